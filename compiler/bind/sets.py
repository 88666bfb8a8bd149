"""UNION, EXCEPT and INTERSECT: branches by position, under the names of the left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from reflow.compiler.syntax import nodes

from ..plan.operators import Distinct, Operator, SetOperation, Union
from ..plan.operators.base import Expr
from ..plan.operators.sets import SetKind
from .build import projected
from .catalog import BROKEN_ANSWER, Answer, Context
from .ddl import read_type
from .except_by import except_by
from .resolved import column
from .shape import as_relation, is_unbounded, quoted
from .types import Type, branch_type, with_article


def set_operation(
    query: nodes.SetOperation, left: Answer, right: Answer, context: Context
) -> Answer:
    """The answer of a set operator over two bound queries."""
    if left.broken or right.broken:
        return BROKEN_ANSWER
    random = tuple(dict.fromkeys(left.random + right.random))
    if query.by:
        operator = except_by(query, left, right, context)
        if operator is None:
            return BROKEN_ANSWER
        return replace(left, operator=operator, random=random)
    types = _types(query, left, right, context)
    if types is None:
        return BROKEN_ANSWER
    names = tuple(c.name for c in left.operator.schema)
    first, second = (_cast(as_relation(a.operator), names, types) for a in (left, right))
    operator = _combined(query, first, second)
    if not isinstance(operator, Union):
        _warn_of_growth(query, (first, second), context)
    return Answer(operator, left.names, left.places, random)


def _warn_of_growth(query: nodes.SetOperation, sides: Sequence[Operator], context: Context) -> None:
    """Each different row is counted for as long as a side has it."""
    if any(map(is_unbounded, sides)) and not context.settings.unbounded_state:
        word = query.operator.upper()
        context.findings.warning(
            "RF3302",
            f"{word} over a stream without end: its state grows with the number of different rows",
            query.right.span,
            "only their number bounds it: give the stream a window",
        )


def _combined(query: nodes.SetOperation, first: Operator, second: Operator) -> Operator:
    if query.operator == "union":
        branches = first.branches if isinstance(first, Union) else (first,)
        united: Operator = Union((*branches, second))
        return united if query.all else Distinct(united)
    kinds: dict[tuple[str, bool], SetKind] = {
        ("except", True): "except all",
        ("except", False): "except",
        ("intersect", True): "intersect all",
        ("intersect", False): "intersect",
    }
    return SetOperation(first, second, kinds[query.operator, query.all])


def _types(
    query: nodes.SetOperation, left: Answer, right: Answer, context: Context
) -> tuple[Type, ...] | None:
    """The types of the columns by position; None, with errors, where the branches do not fit."""
    word = query.operator.upper()
    a, b = left.operator.schema, right.operator.schema
    if len(a) != len(b):
        context.findings.error(
            "RF2107",
            f"the branches of {word} have {len(a)} and {len(b)} columns",
            query.right.span,
            f"{len(a)} column{'' if len(a) == 1 else 's'}",
        )
        return None
    found = [
        _type(query, name, read_type(one.type), read_type(other.type), context)
        for name, one, other in zip(left.names, a, b, strict=True)
    ]
    good = tuple(type_ for type_ in found if type_ is not None)
    return good if len(good) == len(found) else None


def _type(
    query: nodes.SetOperation, name: str, one: Type, other: Type, context: Context
) -> Type | None:
    """The type of one column of both branches."""
    word = query.operator.upper()
    type_ = branch_type(one, other)
    if type_ is None:
        context.findings.error(
            "RF2106",
            f"the branches of {word} give {one.ddl} and {other.ddl} for `{name}`",
            query.right.span,
            "columns of the same type, or of numbers",
            f"convert one: CAST(… AS {one.ddl})",
        )
    elif type_.name == "MAP" and (word, query.all) != ("UNION", True):
        # Spark tells no two maps apart.
        message = f"{word} cannot take {with_article(type_)}"
        context.findings.error("RF2109", message, query.left.span)
        return None
    return type_


def _cast(operator: Operator, names: tuple[str, ...], types: tuple[Type, ...]) -> Operator:
    """The branch with these names and types."""
    columns: list[tuple[str, Expr]] = []
    for name, own, type_ in zip(names, operator.schema, types, strict=True):
        wanted = type_.ddl
        if own.type == wanted or wanted == "UNKNOWN":
            columns.append((name, Expr(quoted(own.name), own.type)))
            continue
        cast = exp.Cast(this=column(own.name), to=exp.DataType.build(wanted, dialect="spark"))
        columns.append((name, Expr(cast.sql(dialect="spark"), wanted)))
    return projected(operator, columns)
