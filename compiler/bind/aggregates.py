"""An aggregate of a query as one of the plan: a single argument, in which FILTER and the like are
said.

FILTER makes the argument NULL where its condition is not true: no aggregate counts a NULL. Values
that belong together stand in a struct, which is compared field by field.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from ..plan.aggregates import IN_ORDER, Function
from ..plan.operators import Aggregate
from .aggregate_table import AGGREGATES, AggregateFunction
from .build import both, text
from .calls import Call
from .infer import Typer
from .shares import shares
from .types import DOUBLE, INT, NULL, Type

Typed = tuple[exp.Expr, Type]
Named = tuple[str, Typed]

_ONCE_OR_OFTEN = frozenset(
    {"min", "max", "min_by", "max_by", "first", "last", "bool_and", "bool_or", "bit_and", "bit_or"}
)
"""Equal values may be counted as often as they come."""


def aggregate_of(name: str, call: Call, typer: Typer) -> Aggregate:
    """The aggregate called `name`. The call has been checked."""
    entry = AGGREGATES[call.name]
    function = _function(entry, call)
    distinct = call.distinct or call.name in ("approx_count_distinct", "collect_set")
    values = [(a, typer(a)) for a in call.arguments if not isinstance(a, exp.Star)]
    # What is missing has been said; binding goes on.
    values += [(exp.Null(), NULL)] * (entry.least - len(values))
    argument = _filtered(_argument(function, call, values, distinct), call)
    return Aggregate(
        name,
        function,
        None if argument is None else text(*argument),
        typer(call.node).ddl,
        _parameter(call),
        distinct and function not in _ONCE_OR_OFTEN,
    )


def _function(entry: AggregateFunction, call: Call) -> Function:
    return "collect_set" if call.distinct and entry.function == "collect_list" else entry.function


def _argument(
    function: Function, call: Call, values: Sequence[Typed], distinct: bool
) -> Typed | None:
    """What is aggregated; None where only rows are counted."""
    if function == "count":
        return _counted(call, values, distinct)
    if function in ("min_by", "max_by"):
        return _where_all([values[1]], _struct(("y", values[1]), ("x", values[0])))
    if function in IN_ORDER:
        return _in_order(function, call, values[0])
    if AGGREGATES[call.name].takes == "pair":
        x, y = (_as_double(value) for value in (values[1], values[0]))
        return _where_all(values, _struct(("x", x), ("y", y)))
    return values[0]


def _counted(call: Call, values: Sequence[Typed], distinct: bool) -> Typed | None:
    """COUNT(a, b) counts the rows in which none of them is NULL."""
    if call.name == "count_if":
        return _case(values[0][0], _one())
    if call.name == "approx_count_distinct":
        return values[0]
    if distinct and len(values) > 1:
        return _where_all(values, _struct(*[(f"x{n}", v) for n, v in enumerate(values, 1)]))
    if len(values) > 1:
        return _where_all(values, _one())
    if not values or (not distinct and isinstance(values[0][0], (exp.Literal, exp.Boolean))):
        return None
    return values[0]


def _in_order(function: Function, call: Call, value: Typed) -> Typed:
    """The value in a struct, before which the engine puts the row's place in time. FIRST and LAST
    take a NULL for a value unless they are told to pass over it.
    """
    passes = function == "collect_list" or _is_true(call)
    return _where_all([value] if passes else [], _struct(("x", value)))


def _is_true(call: Call) -> bool:
    return len(call.arguments) > 1 and call.arguments[1] == exp.Boolean(this=True)


def _filtered(argument: Typed | None, call: Call) -> Typed | None:
    if call.condition is None:
        return argument
    return _case(call.condition, argument or _one())


def _parameter(call: Call) -> str | None:
    """The shares of a percentile: a number, or several in brackets."""
    if call.name == "median":
        return "0.5"
    if AGGREGATES[call.name].gives != "share":
        return None
    found = shares(call.arguments[1]) or ()
    listed = ", ".join(f"{share:.15g}" for share in found)
    return listed if isinstance(call.arguments[1], exp.Literal) else f"[{listed}]"


def _one() -> Typed:
    return exp.Literal.number(1), INT


def _as_double(value: Typed) -> Typed:
    node, type_ = value
    if type_ == DOUBLE:
        return value
    return exp.Cast(this=node.copy(), to=exp.DataType.build("double")), DOUBLE


def _struct(*fields: Named) -> Typed:
    parts: list[exp.Expr] = []
    for name, (node, _) in fields:
        parts += [exp.Literal.string(name), node.copy()]
    node = exp.Anonymous(this="named_struct", expressions=parts)
    types = tuple(type_ for _, (_, type_) in fields)
    return node, Type("STRUCT", of=types, fields=tuple(name for name, _ in fields))


def _where_all(values: Sequence[Typed], result: Typed) -> Typed:
    """The result where none of the values is NULL, else NULL."""
    tests = [
        exp.Not(this=exp.Is(this=node.copy(), expression=exp.Null()))
        for node, _ in values
        if not isinstance(node, (exp.Literal, exp.Boolean))
    ]
    return _case(both(tests), result) if tests else result


def _case(condition: exp.Expr, result: Typed) -> Typed:
    node, type_ = result
    branch = exp.If(this=condition.copy(), true=node.copy())
    return exp.Case(ifs=[branch]), type_
