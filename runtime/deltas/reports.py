"""Reports: an answer as a stream. ISTREAM, DSTREAM, RSTREAM, and streams as input of windows."""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame

from ..elements.columns import FOREVER, POS, POSITION, VE, VS, T, W, big, listed, quote
from ..elements.context import Epoch
from ..elements.deltas import Intervals, Points, consolidate, union
from .once import shared
from .trace import add_trace, read_trace

_OLD: Final = "_old_w"
_NEW: Final = "_new_w"
_AT_INSTANT: Final = ", ".join(
    f"'{part}', CAST({T if part == 'vs' else 'NULL'} AS {kind})" for part, kind in POSITION.items()
)


def istream(e: Epoch, name: str, points: Points) -> Points:
    """Rows that enter the answer: by how much their multiplicity rises at an instant.

    State: the net changes at instants from `complete` on, which may still be corrected.
    """
    return _one_way(e, name, points, "")


def dstream(e: Epoch, name: str, points: Points) -> Points:
    """Rows that leave the answer: by how much their multiplicity falls at an instant.

    State: as `istream`.
    """
    return _one_way(e, name, points, "-")


def _one_way(e: Epoch, name: str, points: Points, sign: str) -> Points:
    """What rises (no sign) or falls (`-`), as it is now known less as it was reported."""
    points = shared(e, points.unordered())
    columns, open_ = points.columns, f"{T} >= {big(e.complete)}"
    recent = e.state.read(name)
    new = None if points.frame is None else points.frame.where(open_)
    e.state.add(name, new, lambda frame: consolidate(frame.where(open_), columns, T))
    if points.frame is None:
        return Points(columns, None)
    net = _net(e, columns, recent, points.frame)
    change = f"greatest({sign}{_NEW}, 0L) - greatest({sign}{_OLD}, 0L)"
    at = listed(columns, T)
    text = f"SELECT {at}, {change} AS {W} FROM ({net}) WHERE {T} >= {big(e.start)}"
    frame = e.sql(f"SELECT * FROM ({text}) WHERE {W} <> 0")
    return Points(columns, frame, reported=True)


def rstream(e: Epoch, name: str, points: Points) -> Points:
    """The whole answer at each instant at which it changes.

    State: the answer as of `complete` and later changes.
    """
    points = shared(e, points.unordered())
    columns = points.columns
    trace = read_trace(e, name, columns)
    add_trace(e, name, points)
    if points.frame is None:
        return Points(columns, None)
    net = e.view(e.share(e.sql(_net(e, columns, trace, points.frame))))
    instants = e.share(e.sql(_instants(net, e.start, e.before)))
    shown = e.sql(_shown(columns, net, e.view(instants), e.start))
    return Points(columns, shown, reported=True)


def as_stream(points: Points, ordered: bool = False) -> Intervals:
    """A reported stream as elements `[t, for ever)`, for a window above it.

    `ordered`: with `_pos`, which knows no arrival: rows of one instant have the same place.
    """
    frame = points.frame
    if frame is not None:
        names = [quote(column) for column in points.columns]
        place = [f"named_struct({_AT_INSTANT}) AS {POS}"] if ordered else []
        frame = frame.selectExpr(*names, f"{T} AS {VS}", f"{big(FOREVER)} AS {VE}", W, *place)
    return Intervals(points.columns, frame, ordered=ordered, dear=True)


def _net(e: Epoch, columns: tuple[str, ...], old: DataFrame | None, new: DataFrame) -> str:
    """Net changes per row and instant, by what was known and by all that is known now."""
    names = [quote(column) for column in columns]
    later = new.selectExpr(*names, T, f"0L AS {_OLD}", f"{W} AS {_NEW}")
    known = None if old is None else old.selectExpr(*names, T, f"{W} AS {_OLD}", f"{W} AS {_NEW}")
    both = union(known, later)
    assert both is not None
    at = listed(columns, T)
    return (
        f"SELECT {at}, SUM({_OLD}) AS {_OLD}, SUM({_NEW}) AS {_NEW}"
        f" FROM {e.view(both)} GROUP BY {at}"
    )


def _instants(net: str, start: int, before: int) -> str:
    """The instants at which the answer changes, old or new, numbered in order (`_rank`)."""
    old = f"max({_OLD} <> 0 AND {T} <= {big(before)}) AS is_old"
    changes = (
        f"SELECT {T}, {old}, max({_NEW} <> 0) AS is_new FROM {net}"
        f" WHERE {T} >= {big(start)} GROUP BY {T}"
    )
    rank = f"row_number() OVER (PARTITION BY 0 ORDER BY {T}) AS _rank"
    return f"SELECT *, {rank} FROM ({changes}) WHERE is_old OR is_new"


def _shown(columns: tuple[str, ...], net: str, instants: str, start: int) -> str:
    """Every piece of constant multiplicity at each instant that it covers.

    A piece begins and ends at such instants (or before `start`), so that equal joins find its
    ranks.
    """
    window = f"PARTITION BY {listed(columns) or '0'} ORDER BY {T}"
    upto = f"{window} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    totals = ", ".join(f"SUM({w}) OVER ({upto}) AS {w}" for w in (_OLD, _NEW))
    moved = f"SELECT * FROM {net} WHERE {_OLD} <> 0 OR {_NEW} <> 0"
    pieces = (
        f"SELECT {listed(columns, T)}, lead({T}) OVER ({window}) AS _end, {totals} FROM ({moved})"
    )
    last = f"(SELECT coalesce(max(_rank), 0) FROM {instants})"
    first = "coalesce(a._rank, 1)"
    ranks = f"sequence({first}, coalesce(b._rank - 1, {last}))"
    # What has left is not shown: it would be counted out to the last instant.
    some = f"(p.{_OLD} > 0 OR p.{_NEW} > 0) AND {first} <= coalesce(b._rank - 1, {last})"
    ranked = (
        f"SELECT p.*, explode({ranks}) AS _at FROM ({pieces}) p"
        f" LEFT JOIN {instants} a ON p.{T} = a.{T} LEFT JOIN {instants} b ON p._end = b.{T}"
        f" WHERE {some} AND (p._end IS NULL OR p._end >= {big(start)})"
    )
    new = f"CASE WHEN i.is_new THEN greatest(r.{_NEW}, 0L) ELSE 0L END"
    old = f"CASE WHEN i.is_old THEN greatest(r.{_OLD}, 0L) ELSE 0L END"
    names = ", ".join([*[f"r.{quote(column)}" for column in columns], f"i.{T}"])
    shown = (
        f"SELECT {names}, {new} - {old} AS {W}"
        f" FROM ({ranked}) r JOIN {instants} i ON r._at = i._rank"
    )
    return f"SELECT * FROM ({shown}) WHERE {W} <> 0"
