"""Groups that a sample corrects (REVISE BY APPROXIMATE; DESIGN section 5).

A group whose aggregates are sums over its rows is corrected by what its rows change: an estimate of
that, each drawn row standing for several, joins the rows of the epoch. So an answer is as it was
told plus the difference of two estimates from one sample, and never a sample's answer.

The standard error is that of a sum over rows that are drawn independently (Horvitz and Thompson):
if a drawn row brings `w y` into the estimate, where w is what it stands for, the variance is
estimated by the sum of (1 - p) (w y)². All that a drawn row brings at an instant is one `w y`, in
whichever elements: what it brings to the answer as it was and as it is now is not taken for
independent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..elements.columns import ADDED, DRAWN, VE, VS, T, W, quote
from ..elements.context import Epoch
from ..elements.deltas import Intervals, union
from .group_accumulators import Reach
from .grouping import Grouping
from .measures import Aggregate, argument_column


def corrected_by_sample(
    e: Epoch,
    name: str,
    grouping: Grouping,
    aggregates: Mapping[str, Aggregate],
    rows: Intervals,
) -> tuple[Intervals, Reach]:
    """The rows of this epoch with those that a sample says are missing before `since`, and as of
    when measures must be known for it.
    """
    before, after = e.frontiers
    reach = Reach(e.since, after.frozen, e.start)
    if e.corrects:
        # Without a pair, too: a late row may be the first, from which a row over nothing stands.
        reach = Reach(before.frozen, after.frozen, before.frozen)
    found = e.corrections(f"group {name}", rows)
    if found is None or found.frame is None:
        return rows, reach
    wrong = e.share(found.frame)
    if e.drawn_share < 1:
        e.mistaken(e.sql(standard_error(grouping, aggregates, e.view(wrong), e.drawn_share)))
    frame = union(rows.frame, wrong.drop(DRAWN, ADDED))
    return replace(rows, frame=frame), reach


def standard_error(
    grouping: Grouping, aggregates: Mapping[str, Aggregate], rows: str, share: float
) -> str:
    """SQL for one row with `error`: the largest standard error of a sum or count, in any group at
    any instant. `rows`: a view of elements (keys…, arguments…, _vs, _ve, _w, _drawn).
    """
    values = list(_values(aggregates))
    numbers = range(len(values))
    brought = _brought_by_row(grouping, values, rows)
    # A sum of squares, kept up from instant to instant by what each row's square changes.
    squares = ", ".join(
        f"SUM(_y{n} * _y{n} - (_y{n} - _d{n}) * (_y{n} - _d{n})) AS _q{n}" for n in numbers
    )
    changes = f"SELECT {grouping.by(T)}, {squares} FROM ({brought}) GROUP BY {grouping.by(T)}"
    window = f"PARTITION BY {grouping.partition} ORDER BY {T}"
    totals = ", ".join(f"SUM(_q{n}) OVER ({window}) AS _q{n}" for n in numbers)
    largest = ", ".join(f"max(_q{n})" for n in numbers)
    variance = f"{1 - share!r}D * greatest({largest}, 0D)"
    return f"SELECT sqrt({variance}) AS error FROM (SELECT {totals} FROM ({changes}))"


def _brought_by_row(grouping: Grouping, values: Sequence[str], rows: str) -> str:
    """SQL for what each drawn row brings to each value of its group from an instant on (`_y0`…),
    and by how much that changes there (`_d0`…).
    """
    numbers = range(len(values))
    own = ", ".join(f"{value} AS _v{n}" for n, value in enumerate(values))
    start, end = f"struct({VS} AS {T}, {W} AS _s)", f"struct({VE} AS {T}, -{W} AS _s)"
    ends = f"inline(array({start}, {end}))"
    points = f"SELECT {grouping.by(DRAWN, own, ends)} FROM {rows} WHERE {DRAWN} IS NOT NULL"
    at = grouping.by(DRAWN, T)
    sums = ", ".join(f"SUM(_s * _v{n}) AS _d{n}" for n in numbers)
    window = f"PARTITION BY {grouping.by(DRAWN)} ORDER BY {T}"
    upto = ", ".join(f"SUM(_d{n}) OVER ({window}) AS _y{n}" for n in numbers)
    return f"SELECT *, {upto} FROM (SELECT {at}, {sums} FROM ({points}) GROUP BY {at})"


def _values(aggregates: Mapping[str, Aggregate]) -> Iterator[str]:
    """What a row brings into each count and sum that is asked for, as DOUBLE."""
    for name, spec in aggregates.items():
        argument = quote(argument_column(name))
        if spec.argument is None:
            yield "1D"
        elif spec.function == "count" or spec.averages:
            yield f"CASE WHEN {argument} IS NULL THEN 0D ELSE 1D END"
        if spec.argument is not None and spec.function != "count":
            yield f"coalesce(CAST({argument} AS DOUBLE), 0D)"
