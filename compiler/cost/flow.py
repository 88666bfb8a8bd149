"""What passes each edge: rows that come in a unit of time, rows that are live, that leave early.

In: an operator, what passes its inputs, statistics. Out: what passes its output. Values of a column
are taken to be equally frequent and columns to be independent, arrivals to be spread evenly, as UPA
5.4.1 does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from math import exp, inf
from typing import assert_never

from reflow.grammar.value import value

from ..plan.expressions import bare_column, columns_of
from ..plan.operators import (
    Distinct,
    Filter,
    Group,
    Join,
    NrrJoin,
    Operator,
    Project,
    Reconstitution,
    Relation,
    Report,
    RowsWindow,
    Scan,
    SemiJoin,
    SessionWindow,
    SetOperation,
    Sink,
    Union,
    Window,
)
from ..plan.operators.base import Expr
from ..plan.rebuild import known
from .selectivity import fixed_columns, selectivity
from .sets import present, surplus
from .statistics import Statistics, horizon, unit

Different = Mapping[str, float]

_MOST_BUSY = 50.0
"""Beyond so many rows in a gap, sessions do not end within any time that is looked at."""


@value
class Flow:
    """Of an output, per unit of time: `rate` rows come and `leaving` leave, `early` of them before
    an announced end or without one. `live` rows are valid at an instant. `distinct` holds the
    number of different values of each column. What never ends is looked at after `horizon` units;
    things happen at multiples of `step` only, or at any time (0).
    """

    rate: float
    live: float
    leaving: float
    early: float
    distinct: Different
    horizon: float
    step: float = 0.0

    def of(self, column: str) -> float:
        """Different values of a column; an unknown column has as many as there are rows."""
        return max(1.0, self.distinct.get(column, self.live))

    def combinations(self, columns: Iterable[str]) -> float:
        """Different combinations of the columns' values."""
        product = 1.0
        for column in columns:
            product *= self.of(column)
        return product

    def occupied(self, values: float) -> float:
        """How many of so many values the live rows have: each row draws one."""
        return values * (1 - exp(-self.live / values)) if values < inf else self.live

    def silent(self) -> Flow:
        """The rows without their coming and leaving."""
        return replace(self, rate=0.0, leaving=0.0, early=0.0)

    def scaled(self, share: float) -> Flow:
        """A share of the rows."""
        return replace(
            self,
            rate=self.rate * share,
            live=self.live * share,
            leaving=self.leaving * share,
            early=self.early * share,
        )


Below = Callable[[Operator], Flow]


def flow(operator: Operator, below: Below, statistics: Statistics) -> Flow:
    """What passes an operator's output; `below` tells of its inputs."""
    node = known(operator)
    match node:
        case Scan():
            return _scan(node, statistics)
        case Relation():
            return _contents(node, below(node.input), statistics)
        case Reconstitution():
            return _events(node, below(node.input))
        case Filter():
            return filtered(below(node.input), node.predicate)
        case Project():
            return _projected(node, below(node.input))
        case Union():
            return _united(node, [below(branch) for branch in node.branches])
        case Window():
            return _windowed(node, below(node.input))
        case RowsWindow():
            return _last_rows(node, below(node.input))
        case SessionWindow():
            return _in_sessions(node, below(node.input))
        case Join():
            return _joined(node, below(node.left), below(node.right))
        case SemiJoin():
            return _half_joined(node, below(node.left), below(node.right))
        case SetOperation():
            return _compared(node, below(node.left), below(node.right))
        case NrrJoin():
            return _with_relation(node, below(node.input), statistics)
        case Distinct():
            return _once(node, below(node.input))
        case Group():
            return _grouped(node, below(node.input))
        case Report():
            return _reported(node, below(node.input))
        case Sink():
            return below(node.input)
        case _:
            assert_never(node)


def _scan(scan: Scan, statistics: Statistics) -> Flow:
    stream = scan.stream
    rate = statistics.rate(stream).value
    found = {c.name: statistics.distinct(stream, c.name).value for c in stream.columns}
    end = horizon(stream.timestamps)
    return Flow(rate, rate * end, 0.0, 0.0, found, end)


def _contents(relation: Relation, log: Flow, statistics: Statistics) -> Flow:
    """As many rows as the relation holds; each leaves when another change of the log says so."""
    if relation.only_grows:
        return log
    live = statistics.rows_held(relation.input.stream).value
    found = {name: min(count, max(1.0, live)) for name, count in log.distinct.items()}
    return replace(log, live=live, leaving=log.rate, early=log.rate, distinct=found)


def _events(events: Reconstitution, elements: Flow) -> Flow:
    """As if every element were an insert; how long events last nobody knows."""
    early = 0.0 if events.insert_only else elements.rate
    return replace(elements, leaving=elements.rate, early=early)


def filtered(rows: Flow, predicate: Expr | None) -> Flow:
    """The rows that a predicate lets pass; the columns that it ties down have fewer values."""
    if predicate is None:
        return rows
    share = selectivity(predicate.sql, rows.of)
    fixed = fixed_columns(predicate.sql)
    read = columns_of(predicate.sql)
    found = {
        name: 1.0 if name in fixed else max(1.0, count * share) if name in read else count
        for name, count in rows.distinct.items()
    }
    return replace(rows.scaled(share), distinct=found)


def _projected(project: Project, rows: Flow) -> Flow:
    found = {name: _values(expression, rows) for name, expression in project.columns}
    return replace(rows, distinct=found)


def _values(expression: Expr, rows: Flow) -> float:
    column = bare_column(expression.sql)
    if column is not None:
        return rows.of(column)
    # An expression has as many values at most as what it reads has combinations.
    return min(rows.combinations(columns_of(expression.sql)), max(1.0, rows.live))


def _united(union: Union, branches: list[Flow]) -> Flow:
    columns = [[c.name for c in branch.schema] for branch in union.branches]
    found = {
        column.name: max(f.of(names[i]) for f, names in zip(branches, columns, strict=True))
        for i, column in enumerate(union.schema)
    }
    return Flow(
        sum(f.rate for f in branches),
        sum(f.live for f in branches),
        sum(f.leaving for f in branches),
        sum(f.early for f in branches),
        found,
        branches[0].horizon,
        min(f.step for f in branches),
    )


def _windowed(window: Window, rows: Flow) -> Flow:
    if window.kind == "unbounded":
        return rows
    of = unit(window.timestamps)
    length = (1 if window.length is None else window.length) / of
    # Ends are rounded up to the slide, by half of it on average.
    step = (window.slide or 0) / of
    return replace(rows, live=rows.rate * (length + step / 2), leaving=rows.rate, step=step)


def _last_rows(window: RowsWindow, rows: Flow) -> Flow:
    """So many of each value, or as many as come in the length; each leaves when another comes."""
    live = window.rows * rows.occupied(_of_each(window.by, rows))
    if window.length is not None:
        live = min(live, rows.rate * window.length / unit(window.timestamps))
    live = min(live, rows.live)
    return replace(rows, live=live, leaving=rows.rate, early=rows.rate)


def _in_sessions(window: SessionWindow, rows: Flow) -> Flow:
    """A row lasts until a gap follows, as a busy period of a queue that serves all at once does."""
    gap = window.gap / unit(window.timestamps)
    of_each = rows.rate / _of_each(window.by, rows)
    busy = min(of_each * gap, _MOST_BUSY)
    lasts = (exp(busy) - 1) / of_each if of_each else gap
    live = min(rows.rate * lasts, rows.live)
    return replace(rows, live=live, leaving=rows.rate, early=rows.rate)


def _of_each(by: tuple[Expr, ...], rows: Flow) -> float:
    """How many values a window is divided by."""
    values = 1.0
    for each in by:
        values *= _values(each, rows)
    return values


def matching(join: Join | SemiJoin, left: Flow, right: Flow) -> float:
    """The probability that a row of the left and one of the right are a pair."""
    share = 1.0
    for a, b in join.equal:
        share /= max(left.of(a), right.of(b))
    if join.condition is not None:
        both = {**left.distinct, **right.distinct}
        share *= selectivity(join.condition.sql, lambda name: both.get(name, 1.0))
    return share


def _joined(join: Join, left: Flow, right: Flow) -> Flow:
    share = matching(join, left, right)
    rate = (left.rate * right.live + right.rate * left.live) * share
    found = {**left.distinct, **right.distinct}
    for a, b in join.equal:
        found[a] = found[b] = min(left.of(a), right.of(b))
    return Flow(
        rate,
        left.live * right.live * share,
        # A pair leaves with the first of its rows.
        rate if left.leaving or right.leaving else 0.0,
        min(rate, (left.early * right.live + right.early * left.live) * share),
        found,
        left.horizon,
        min(left.step, right.step),
    )


def _half_joined(join: SemiJoin, left: Flow, right: Flow) -> Flow:
    """A row of the left is there while its match is, or while none is; the first match that comes
    and the last that leaves change that early (UPA 5.4.1, negation).
    """
    share = matching(join, left, right)
    partners = right.live * share
    lonely = exp(-partners)
    stays = lonely if join.anti else 1 - lonely
    touched = left.live * share * lonely
    return Flow(
        left.rate * stays + touched * (right.leaving if join.anti else right.rate),
        left.live * stays,
        left.leaving * stays,
        left.early * stays + touched * (right.rate if join.anti else right.leaving),
        left.distinct,
        left.horizon,
        min(left.step, right.step),
    )


def _compared(sets: SetOperation, left: Flow, right: Flow) -> Flow:
    """Rows of the left that are, or are not, on the right as well. A row on the right that comes or
    leaves changes that early (UPA 5.4.1, negation).
    """
    compared = [a for a, _ in sets.by] or [c.name for c in sets.schema]
    values = min(left.combinations(compared), 1e18)
    ours, theirs = left.live / values, right.live / values
    more, exceeds = surplus(ours, theirs)
    there, matched = present(ours), present(theirs)
    live, changes = {
        "except all": (more, exceeds),
        "intersect all": (ours - more, there - exceeds),
        "except": (there * (1 - matched), exp(-ours) * (1 - matched)),
        "intersect": (there * matched, exp(-ours) * matched),
    }[sets.kind]
    # Without ALL only the first copy on the right that comes and the last that leaves change it.
    of_right = changes if sets.kind.endswith("all") else there * exp(-theirs)
    excludes = sets.kind.startswith("except")
    comes, goes = (right.leaving, right.rate) if excludes else (right.rate, right.leaving)
    return replace(
        left,
        rate=left.rate * changes + comes * of_right,
        live=values * live,
        leaving=left.leaving * changes + goes * of_right,
        early=left.early * changes + goes * of_right,
        step=min(left.step, right.step),
    )


def _with_relation(join: NrrJoin, rows: Flow, statistics: Statistics) -> Flow:
    relation = join.relation
    of = dict(join.columns)
    found = {name: statistics.distinct_of_relation(relation, c).value for name, c in join.columns}
    fan = statistics.rows(relation).value
    for left, right in join.equal:
        if relation.key != (of[right],):
            fan /= max(rows.of(left), found[right])
            continue
        # The whole key is compared: one row of the relation at most.
        fan = 1.0
        break
    return filtered(replace(rows.scaled(fan), distinct={**rows.distinct, **found}), join.condition)


def _once(distinct: Distinct, rows: Flow) -> Flow:
    """A value appears when a copy comes and no other is live, and leaves when its last one does."""
    values = rows.combinations(c.name for c in distinct.schema)
    alone = exp(-rows.live / values) if values < inf else 1.0
    live = rows.occupied(values)
    return replace(rows.scaled(alone), live=live)


def groups(group: Group, rows: Flow) -> float:
    """Groups that have rows at an instant."""
    if not group.keys:
        return 1.0
    values = 1.0
    for _, expression in group.keys:
        values *= _values(expression, rows)
    return rows.occupied(values)


def _grouped(group: Group, rows: Flow) -> Flow:
    """Each row that comes or leaves replaces the row of its group."""
    live = groups(group, rows)
    changes = rows.rate + rows.leaving
    if rows.step:
        changes = min(changes, live / rows.step)
    found = {name: _values(expression, rows) for name, expression in group.keys}
    found |= {aggregate.name: max(1.0, live) for aggregate in group.aggregates}
    return Flow(changes, live, changes, changes, found, rows.horizon, rows.step)


def _reported(report: Report, rows: Flow) -> Flow:
    """A stream again: what has been reported stays."""
    match report.kind:
        case "istream":
            rate = rows.rate
        case "dstream":
            rate = rows.leaving
        case "rstream":
            rate = (rows.rate + rows.leaving) * rows.live
    return Flow(rate, rate * rows.horizon, 0.0, 0.0, rows.distinct, rows.horizon, rows.step)
