"""`q1 EXCEPT ALL BY (a, b) q2`: whole rows of q1, counted by columns that both queries have."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from reflow.compiler.syntax import nodes

from ..plan.operators import Operator, SetOperation
from ..plan.operators.base import Expr
from .build import extended, projected, reference, text
from .calls import span_of
from .catalog import Answer, Context
from .ddl import read_type
from .joins import refuse_growth
from .names import fresh, lookup, meant, one_of
from .resolved import column, name_parts
from .shape import as_relation, grows
from .types import Type, branch_type, with_article


def except_by(
    query: nodes.SetOperation, left: Answer, right: Answer, context: Context
) -> Operator | None:
    """Rows of the left with its columns; None, with errors, where the names or types do not fit."""
    keys = [_key(name, query, left, right, context) for name in query.by]
    found = [key for key in keys if key is not None]
    if len(found) < len(keys):
        return None
    if grows(as_relation(left.operator)) and not context.settings.unbounded_state:
        whose = "a stream of the query before it"
        refuse_growth("this EXCEPT ALL BY", whose, query.left.span, context)
    one, mine = _compared(as_relation(left.operator), [(a, t) for a, _, t in found])
    other, theirs = _compared(as_relation(right.operator), [(b, t) for _, b, t in found])
    by = tuple(dict.fromkeys(zip(mine, theirs, strict=True)))
    whole = SetOperation(one, other, "except all", by)
    own = left.operator.schema
    return projected(whole, [(c.name, reference(c.name, c.type)) for c in own])


def _key(
    name: exp.Expr, query: nodes.SetOperation, left: Answer, right: Answer, context: Context
) -> tuple[str, str, Type] | None:
    """The column's internal names on both sides, and the type in which they are compared."""
    mine = _column(name, query, left, "before EXCEPT", context)
    theirs = _column(name, query, right, "after EXCEPT", context)
    if mine is None or theirs is None:
        return None
    (a, one), (b, other) = mine, theirs
    type_ = branch_type(one, other)
    if type_ is None or "MAP" in (one.name, other.name):
        context.findings.error(
            "RF2106",
            f"BY cannot compare {with_article(one)} with {with_article(other)}",
            span_of(name, query.span),
            "columns of the same type, or of numbers",
        )
        return None
    return a, b, type_


def _column(
    name: exp.Expr, query: nodes.SetOperation, answer: Answer, where: str, context: Context
) -> tuple[str, Type] | None:
    wanted = ".".join(part.name for part in name_parts(name) or ())
    columns = tuple(zip(answer.names, answer.operator.schema, strict=True))
    found = lookup(wanted, columns, lambda pair: pair[0])
    span = span_of(name, query.span)
    if found.only is not None:
        return found.only[1].name, read_type(found.only[1].type)
    if found.found:
        message = f"the column `{wanted}` is ambiguous in the query {where}"
        context.findings.error("RF2006", message, span, hint="give one of them another alias")
        return None
    context.findings.error(
        "RF2005",
        f"there is no column `{wanted}` in the query {where}",
        span,
        one_of(answer.names),
        meant(wanted, answer.names) or "BY names columns that both queries give",
    )
    return None


def _compared(
    operator: Operator, columns: Sequence[tuple[str, Type]]
) -> tuple[Operator, tuple[str, ...]]:
    """The operator with each of these columns in its type: the column itself, or a cast one."""
    types = {c.name: c.type for c in operator.schema}
    taken = {name.casefold() for name in types}
    names: list[str] = []
    more: list[tuple[str, Expr]] = []
    for name, type_ in columns:
        if types[name] == type_.ddl or type_.ddl == "UNKNOWN":
            names.append(name)
            continue
        to = exp.DataType.build(type_.ddl, dialect="spark")
        key = fresh((f"by_{name}",), taken)
        taken.add(key.casefold())
        names.append(key)
        more.append((key, text(exp.Cast(this=column(name), to=to), type_)))
    return extended(operator, more), tuple(names)
