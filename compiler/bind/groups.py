"""GROUP BY, HAVING and aggregates: one Group, and the expressions above it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from reflow.grammar.source import Span
from reflow.grammar.value import value

from ..plan.aggregates import IN_ORDER
from ..plan.operators import Group, Operator
from .aggregate_table import AGGREGATES
from .aggregates import aggregate_of
from .build import text
from .calls import Call, aggregates_in, call_of, span_of
from .catalog import Context
from .infer import Typer
from .items import Item
from .names import fresh_all
from .resolved import column, columns_of
from .shape import keeps_instants


@value
class Grouping:
    """The keys and aggregates of a SELECT with their internal names, by the expression each stands
    for. `unclear`: a key was wrong.
    """

    keys: tuple[tuple[str, exp.Expr], ...]
    aggregates: tuple[tuple[str, Call], ...]
    typer: Typer
    context: Context
    unclear: bool = False

    @property
    def calls(self) -> tuple[Call, ...]:
        return tuple(call for _, call in self.aggregates)

    def over(self, operator: Operator) -> Group:
        keys = tuple((name, text(key, self.typer(key))) for name, key in self.keys)
        self._refuse_disorder(operator)
        aggregates = tuple(aggregate_of(name, call, self.typer) for name, call in self.aggregates)
        return Group(operator, keys, aggregates)

    def _refuse_disorder(self, operator: Operator) -> None:
        """FIRST and the like need rows that have a place in time."""
        if keeps_instants(operator):
            return
        for _, call in self.aggregates:
            if AGGREGATES[call.name].function in IN_ORDER:
                self.context.findings.error(
                    "RF3222",
                    f"{call.name.upper()} asks for the order of rows, and rows that are revised"
                    " have none",
                    span_of(call.node, self.typer.around),
                    "rows of a stream, or of a join of streams",
                    "say which row is meant: MIN_BY(x, column), MAX_BY(x, column)",
                )

    def above(self, expression: exp.Expr, around: Span) -> exp.Expr:
        """The expression over the columns of the Group. What is neither grouped nor aggregated is
        an error.
        """

        def replace(node: exp.Expr) -> exp.Expr:
            for name, key in self.keys:
                if node == key:
                    return column(name)
            call = call_of(node)
            if call is not None and call.is_aggregate:
                return column(self._name_of(node))
            if isinstance(node, exp.Column):
                self._refuse(node, around)
            return node

        return expression.copy().transform(replace, copy=False)

    def _name_of(self, node: exp.Expr) -> str:
        return next(name for name, call in self.aggregates if call.node == node)

    def _refuse(self, node: exp.Column, around: Span) -> None:
        known = self.typer.types.keys()
        wrong_key = self.unclear or any(columns_of(key) - known for _, key in self.keys)
        if wrong_key or node.name not in known:
            # A name without meaning is an error of its own, and a wrong key may have meant this.
            return
        span = span_of(node, around)
        written = self.context.text(span)
        advice = f"add it to GROUP BY, or write MAX({written}) for one of its values"
        if written.endswith("*"):
            advice = f"`{node.name}` is one of its columns; name those that are grouped"
        self.context.findings.error(
            "RF3205",
            f"`{written}` is neither grouped nor aggregated",
            span,
            "a column of GROUP BY, or an aggregate",
            advice,
        )


def grouping(
    keys: Sequence[tuple[exp.Expr, str]],
    items: Sequence[Item],
    having: exp.Expr | None,
    typer: Typer,
    context: Context,
    unclear: bool = False,
) -> Grouping:
    """`keys` pairs each key with the name that it would like to have; `unclear` says that one is
    missing because it was wrong.
    """
    distinct_keys = dict(reversed(keys))
    ordered = [key for key, _ in keys]
    unique = tuple(dict.fromkeys(ordered))
    calls = _calls(items, having)
    wanted = [(distinct_keys[key],) for key in unique]
    wanted += [(_wish(call, items),) for call in calls]
    names = fresh_all(wanted)
    return Grouping(
        tuple(zip(names[: len(unique)], unique, strict=True)),
        tuple(zip(names[len(unique) :], calls, strict=True)),
        typer,
        context,
        unclear,
    )


def _calls(items: Sequence[Item], having: exp.Expr | None) -> tuple[Call, ...]:
    """Every aggregate once, in the order of SELECT and then HAVING."""
    expressions = [item.expression for item in items] + ([having] if having is not None else [])
    found: dict[exp.Expr, Call] = {}
    for expression in expressions:
        for call in aggregates_in(expression):
            found.setdefault(call.node, call)
    return tuple(found.values())


def _wish(call: Call, items: Sequence[Item]) -> str:
    """The alias of the item that is just this aggregate, else `sum_price` and the like."""
    for item in items:
        if item.expression == call.node:
            return item.wanted
    argument = call.arguments[0] if call.arguments else None
    return f"{call.name}_{argument.name}" if isinstance(argument, exp.Column) else call.name
