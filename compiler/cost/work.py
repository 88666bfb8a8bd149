"""What an operator does in a unit of time, counted in rows touched (UPA 5.4.1).

In: an operator, what passes its inputs and its output, and in which form they come. Out: rows that
pass through, insertions into state, probes of state, deletions by negative tuples, expirations.
Rows in point form bring every departure as a negative tuple; rows in interval form bring only the
early ones, and state lets whole partitions of them expire.
"""

from __future__ import annotations

from typing import assert_never

from reflow.grammar.value import value

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
from ..plan.rebuild import known
from .flow import Flow


@value
class Work:
    """Rows touched per unit of time, and the formula that says so."""

    formula: str
    passed: float = 0.0
    insertions: float = 0.0
    probes: float = 0.0
    deletions: float = 0.0
    expirations: float = 0.0

    @property
    def total(self) -> float:
        return self.passed + self.insertions + self.probes + self.deletions + self.expirations


@value
class Edge:
    """An input or an output: what passes it, and whether in point form."""

    flow: Flow
    points: bool

    @property
    def negative(self) -> float:
        """Negative tuples per unit of time."""
        return self.flow.leaving if self.points else self.flow.early

    @property
    def expiring(self) -> float:
        """Rows whose end comes without a negative tuple."""
        return self.flow.leaving - self.negative

    @property
    def delta(self) -> float:
        return self.flow.rate + self.negative

    @property
    def as_points(self) -> Edge:
        return Edge(self.flow, True)


def work(operator: Operator, inputs: list[Edge], output: Edge) -> Work:
    """The work of one operator."""
    node = known(operator)
    match node:
        case Scan():
            return Work("rate", passed=output.flow.rate)
        case Filter() | Project() | Window() | Union() | Sink():
            return Work("rows in + negatives in", passed=sum(edge.delta for edge in inputs))
        case RowsWindow() | SessionWindow() | Relation() | Reconstitution():
            return _of_later_rows(inputs[0], output)
        case Join():
            return _of_join(node, inputs[0], inputs[1], output)
        case SemiJoin():
            return _of_join(node, inputs[0], inputs[1], output)
        case SetOperation():
            return _of_sets(inputs[0], inputs[1], output)
        case NrrJoin():
            delta = inputs[0].delta
            return Work("rows in + rows out", passed=output.delta, probes=delta)
        case Distinct():
            return _of_distinct(inputs[0], output)
        case Group():
            return _of_group(inputs[0], output)
        case Report():
            return _of_report(node, inputs[0], output)
        case _:
            assert_never(node)


def _of_later_rows(source: Edge, output: Edge) -> Work:
    """Each row is kept, and looks up the rows whose end it decides."""
    return Work(
        "keep each row in + look up what it ends + rows out",
        passed=output.delta,
        insertions=source.flow.rate,
        probes=source.flow.rate,
        deletions=output.flow.leaving,
    )


def _of_sets(left: Edge, right: Edge, output: Edge) -> Work:
    """Each change of a side changes the number of copies of its row (UPA 5.4.1, negation)."""
    left, right = left.as_points, right.as_points
    return Work(
        "count the copies of each row that comes or leaves on either side",
        passed=output.delta,
        insertions=left.flow.rate + right.flow.rate,
        probes=left.delta + right.delta,
        deletions=left.negative + right.negative,
    )


def _of_join(join: Join | SemiJoin, left: Edge, right: Edge, output: Edge) -> Work:
    """Each delta row is kept and probes the other side: a bucket of it where columns must be
    equal, else all of it.
    """
    if output.points:
        left, right = left.as_points, right.as_points
    in_left = left.flow.live / left.flow.combinations(a for a, _ in join.equal)
    in_right = right.flow.live / right.flow.combinations(b for _, b in join.equal)
    return Work(
        "insert and expire both sides + delta left * bucket right + delta right * bucket left",
        passed=output.delta,
        insertions=left.flow.rate + right.flow.rate,
        probes=left.delta * max(1.0, in_right) + right.delta * max(1.0, in_left),
        deletions=left.negative + right.negative,
        expirations=left.expiring + right.expiring,
    )


def _of_distinct(source: Edge, output: Edge) -> Work:
    """δ* looks a row's value up and keeps the output; over rows that can be taken back the input
    is kept as well, with the number of copies.
    """
    if not output.points:
        return Work(
            "δ*: probe each row in + insert and expire the output",
            passed=output.delta,
            insertions=output.flow.rate,
            probes=source.delta,
            expirations=output.flow.leaving,
        )
    source = source.as_points
    return Work(
        "input and output by key: probe, insert, delete",
        passed=output.delta,
        insertions=source.flow.rate + output.flow.rate,
        probes=source.delta,
        deletions=source.negative + output.negative,
    )


def _of_group(source: Edge, output: Edge) -> Work:
    """Rows that come and rows that leave change their group; its old row is replaced."""
    return Work(
        "probe each row that comes or leaves + replace the group's row",
        passed=output.delta,
        insertions=output.flow.rate,
        probes=source.flow.rate + source.flow.leaving,
        deletions=output.flow.rate,
    )


def _of_report(report: Report, source: Edge, output: Edge) -> Work:
    """RSTREAM reads the whole answer at each change; the others pass what comes or leaves."""
    kept = source.flow.rate + source.flow.leaving if report.kind == "rstream" else 0.0
    return Work("rows in + rows out", passed=source.delta + output.flow.rate, insertions=kept)
