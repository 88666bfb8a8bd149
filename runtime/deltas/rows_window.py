"""Count windows: a row stays until so many later ones have come (DESIGN section 1).

A row that comes late moves the ends of the rows before it: what is put out is new minus old of the
keys that it touches (REPLAY: realignment of row windows).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from pyspark.sql import DataFrame

from ..elements.columns import POS, VS, big, quote
from ..elements.context import Epoch
from ..elements.deltas import Intervals, Points
from .held_rows import END, KNOWN, LIVE, OLD_END, OLD_START, START, Held
from .recorded_rows import Recorded

_WITHOUT_ORDER: Final = ("map<", "variant", "interval")
_NUMBER: Final = "_number"
"""The number of a row among those of its key, as of when the state was last folded."""


def rows_window(
    e: Epoch,
    name: str,
    intervals: Intervals,
    rows: int,
    by: Sequence[str] = (),
    slide: int | None = None,
    length: int | None = None,
    net: bool = False,
    ordered: bool = False,
    recorded: bool = False,
) -> Points:
    """The last `rows` rows of each value of `by` (SQL), in order of `_vs` and then of arrival
    (`_pos`), then of the rows' values.

    slide: the window moves at every so-many-th row of its key. length: rows also leave so long
    after they came. net: elements may be withdrawn. ordered: the points keep `_pos`.
    recorded: rows are recorded with their ends, for replays (`recorded_rows`).
    State: per key the last rows before `complete` and all later ones. Ends are signalled.
    """
    place = (POS,) if intervals.ordered else ()
    more = place if slide is None else (*place, _NUMBER)
    held = Held(intervals.columns, by, more, net, length)

    def sweep(frame: DataFrame, view: str) -> str:
        order = _order(held, dict(frame.dtypes))
        if slide is None:
            return _sliding_by_one(held, view, order, rows, length)
        return _sliding(held, view, order, rows, slide)

    ordered = ordered and intervals.ordered
    if recorded:
        points = Recorded(held, name, sweep).points(e, intervals, ordered)
    else:
        points = held.points(e, name, intervals, sweep, ordered)
    key = tuple(column for column in intervals.columns if quote(column) in by)
    # The one row of a key is replaced by the next.
    return replace(points, key=key if rows == 1 and by and len(key) == len(by) else None)


def _order(held: Held, types: Mapping[str, str]) -> str:
    """Order value, arrival, then the values: rows that a report gives at one instant, or that come
    of one row of a stream, have one place.
    """
    values = [c for c in held.columns if not any(t in types[c] for t in _WITHOUT_ORDER)]
    place = [POS] if POS in held.more else []
    return ", ".join([VS, *place, *[quote(column) for column in values]])


def _over(held: Held, flag: str, order: str) -> str:
    """The rows of a key that are known now (or were), in order."""
    return f"OVER (PARTITION BY {held.partition}, {flag} ORDER BY {order})"


def _sliding_by_one(held: Held, view: str, order: str, rows: int, length: int | None) -> str:
    """A row leaves when the `rows`-th later one comes."""
    sides = []
    for flag, start, end in ((LIVE, START, END), (KNOWN, OLD_START, OLD_END)):
        leaves = f"lead({VS}, {rows}) {_over(held, flag, order)}"
        if length is not None:
            leaves = f"least({leaves}, {VS} + {big(length)})"
        sides += [f"{VS} AS {start}", f"{leaves} AS {end}"]
    return f"SELECT *, {', '.join(sides)} FROM {view}"


def _sliding(held: Held, view: str, order: str, rows: int, slide: int) -> str:
    """Rows come and leave at every `slide`-th row: a row with the first such row from it on, and
    away with the first from the `rows`-th later row on.
    """
    numbers, moves, ends = [], [], []
    for flag, start, end in ((LIVE, START, END), (KNOWN, OLD_START, OLD_END)):
        over = _over(held, flag, order)
        # Rows that left the state came before all others: the first one kept tells how many.
        before = f"coalesce(first_value({_NUMBER}) {over} - 1, 0)"
        number = f"_n{flag}"
        numbers.append(f"{before} + row_number() {over} AS {number}")
        stretch = f"PARTITION BY {held.partition}, {flag}, ({number} - 1) DIV {slide}"
        move = f"CASE WHEN {number} % {slide} = 0 THEN {VS} END"
        moves.append(f"max({move}) OVER ({stretch}) AS {start}")
        ends.append(f"lead({start}, {rows}) {over} AS {end}")
    numbered = f"SELECT *, {', '.join(numbers)} FROM {view}"
    moved = f"SELECT *, {', '.join(moves)} FROM ({numbered})"
    kept = f"SELECT * EXCEPT ({_NUMBER}), _n{LIVE} AS {_NUMBER} FROM ({moved})"
    return f"SELECT *, {', '.join(ends)} FROM ({kept})"
