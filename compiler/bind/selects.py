"""One SELECT: FROM and WHERE, then grouping, then the list, then DISTINCT and a report."""

from __future__ import annotations

from sqlglot import exp

from reflow.compiler.syntax import nodes
from reflow.grammar.source import Span
from reflow.grammar.value import value

from ..plan.aggregates import EXTREMES, SUMS
from ..plan.operators import Distinct, Operator, Report
from .aggregate_table import AGGREGATES
from .build import filtered, projected, text
from .calls import Call, span_of
from .catalog import BROKEN, BROKEN_ANSWER, Answer, Context
from .clauses import Clauses, read_clauses
from .groups import grouping
from .infer import Typer
from .joins import assembled
from .matches import Matcher
from .names import fresh_all
from .resolved import columns_of, conjuncts, random_calls
from .shape import grows, is_unbounded
from .tables import BindQuery, Tables, bind_tables
from .types import Type


def bind_select(select: nodes.Select, bind_query: BindQuery, context: Context) -> Answer:
    """The answer of one SELECT. What is wrong in any of its clauses is recorded."""
    if not select.from_items:
        head = context.word("SELECT", select.span)
        context.findings.error("RF3201", "this query has no FROM", head, "FROM and a stream")
        return BROKEN_ANSWER
    tables = bind_tables(select, bind_query, context)
    clauses = read_clauses(select, tables.scope, context)
    return _Selecting(select, tables, clauses, bind_query, context).answer()


def reported(
    report: nodes.Report | None, operator: Operator, span: Span, context: Context
) -> Operator:
    """The report of an answer, where one is asked for. `span` is that of the query."""
    return operator if report is None else Report(operator, report)


@value
class _Selecting:
    select: nodes.Select
    tables: Tables
    clauses: Clauses
    bind_query: BindQuery
    context: Context

    def answer(self) -> Answer:
        items = self.clauses.items
        types = tuple(self._typer(item.expression) for item in items)
        scope = self.tables.scope
        matcher = Matcher(scope, self.bind_query, self.context, self.select.span)
        operator, expressions = self._grouped(self._joined(matcher))
        if self.tables.scope.open or operator is BROKEN:
            return BROKEN_ANSWER
        names = fresh_all([(item.wanted,) for item in items])
        columns = zip(names, expressions, types, strict=True)
        operator = projected(operator, [(name, text(e, type_)) for name, e, type_ in columns])
        if self.select.distinct:
            self._refuse_maps(types)
            self._warn_of_growth(operator, "DISTINCT", "different rows")
            operator = Distinct(operator)
        operator = reported(self.select.report, operator, self.select.span, self.context)
        places = tuple(item.place for item in items)
        random = tuple(dict.fromkeys((*self._random(), *matcher.random)))
        return Answer(operator, tuple(item.name for item in items), places, random)

    @property
    def _typer(self) -> Typer:
        return Typer(self.tables.scope.types, self.context.findings, self.select.span)

    def _joined(self, matcher: Matcher) -> Operator:
        matches = matcher.bound(self.clauses.sought)
        matcher.refuse_growth(self.tables.leaves, self.clauses.sought)
        used = frozenset().union(*(columns_of(e) for e in self.clauses.expressions))
        used = used.union(*(match.reads for match in matches))
        operator = assembled(self.tables, self.clauses.where, used, self.context)
        if operator is BROKEN or len(matches) < len(self.clauses.sought):
            return BROKEN
        return matcher.joined(operator, matches)

    def _grouped(self, operator: Operator) -> tuple[Operator, tuple[exp.Expr, ...]]:
        """The operator with its Group, if there is one, and the list's expressions over it."""
        clauses = self.clauses
        listed = tuple(item.expression for item in clauses.items)
        if not clauses.grouped:
            return operator, listed
        if clauses.keys:
            self._warn_of_growth(operator, "GROUP BY", "groups")
        made = grouping(
            clauses.keys, clauses.items, clauses.having, self._typer, self.context, clauses.unclear
        )
        self._refuse_growth(operator, made.calls)
        grouped: Operator = made.over(operator)
        if clauses.having is not None:
            having = made.above(clauses.having, self.select.span)
            grouped = filtered(grouped, conjuncts(having))
        return grouped, tuple(made.above(item.expression, item.span) for item in clauses.items)

    def _refuse_maps(self, types: tuple[Type, ...]) -> None:
        """Spark tells no two maps apart."""
        for item, type_ in zip(self.clauses.items, types, strict=True):
            if type_.name == "MAP":
                message = f"DISTINCT cannot take a {type_}"
                self.context.findings.error("RF2109", message, item.span)

    def _random(self) -> tuple[tuple[str, Span], ...]:
        expressions = self.clauses.expressions + self.tables.conditions
        own = (call for e in expressions for call in random_calls(e, self.select.span))
        below = (call for leaf in self.tables.leaves for call in leaf.random)
        return tuple(dict.fromkeys((*below, *own)))

    def _refuse_growth(self, operator: Operator, calls: tuple[Call, ...]) -> None:
        """An aggregate over all values keeps them: a stream that nobody bounded is an error."""
        allowed = self.context.settings.unbounded_state or self.tables.scope.open
        for call in calls:
            entry = AGGREGATES[call.name]
            distinct = call.distinct or call.name in ("approx_count_distinct", "collect_set")
            if entry.function in SUMS | EXTREMES or distinct:
                if distinct and not self.clauses.keys and entry.function not in EXTREMES:
                    self._warn_of_growth(operator, call.name.upper(), "different values")
            elif grows(operator) and not allowed:
                self.context.findings.error(
                    "RF3303",
                    f"{call.name.upper()} over a stream without end would keep every value",
                    span_of(call.node, self.select.span),
                    "a window, such as `[RANGE 1 HOUR]`",
                    "write [UNBOUNDED] to keep everything, or SET unbounded_state = 'allow'",
                )

    def _warn_of_growth(self, operator: Operator, word: str, what: str) -> None:
        if is_unbounded(operator) and not self.context.settings.unbounded_state:
            self.context.findings.warning(
                "RF3302",
                f"{word} over a stream without end: its state grows with the number of {what}",
                self.context.word(word, self.select.span),
                "only their number bounds it: give the stream a window",
            )
