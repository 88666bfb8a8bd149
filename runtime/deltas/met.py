"""The pairs of a join with an NRR whose rows may be withdrawn (UPA 4.1, REPLAY 3).

A row is known by its place in the order of arrival: all pairs of a place are those of one row, and
go together. So state is never compared by value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pyspark.sql import DataFrame

from ..elements.columns import POS, VE, VS, W, big, quote
from ..elements.context import Dead, Epoch
from ..elements.deltas import Slice, union
from .join import SMALL_ROWS

_MET: Final = "_met"
"""The epoch in which a pair was made, or the pairs of a place were withdrawn (`_w` below 0)."""


def with_withdrawn(
    e: Epoch,
    name: str,
    frame: DataFrame | None,
    columns: tuple[str, ...],
    met: Callable[[DataFrame], DataFrame],
) -> DataFrame | None:
    """The pairs of an epoch: those that rows of weight above 0 make by `met`, and those withdrawn
    that rows of weight below 0 had made, whatever they would meet now.

    `frame` has (row…, _vs, _ve, _w, _pos), and of a place at most one row each way; the pairs have
    `columns` instead of the row. State: the pairs of rows that may still be withdrawn, those at
    `complete` or later.
    """
    if frame is None:
        e.state.add(f"{name}.pairs", None, _unfolded, _dead(e))
        return None
    if not e.corrects:
        pairs = e.plan_once(met(frame))
        _keep(e, name, pairs.selectExpr("*", f"{big(e.number)} AS {_MET}"))
        return pairs
    frame = e.plan_once(frame)
    withdrawn = frame.where(f"{W} < 0")
    pairs = e.plan_once(met(frame.where(f"{W} > 0")))
    gone = _gone(e, name, withdrawn, columns)
    ends = withdrawn.selectExpr(VS, VE, W, POS)
    changes = pairs.unionByName(ends, allowMissingColumns=True)
    _keep(e, name, changes.selectExpr("*", f"{big(e.number)} AS {_MET}"))
    return union(pairs, gone)


def _gone(e: Epoch, name: str, withdrawn: DataFrame, columns: tuple[str, ...]) -> DataFrame | None:
    """The pairs of earlier epochs whose rows are withdrawn, with their weights turned round."""
    known = e.state.read(f"{name}.pairs", Slice(vs_after=e.start - 1))
    if known is None:
        return None
    hint = "/*+ BROADCAST(a) */ " if e.rows <= SMALL_ROWS else ""
    touched = (
        f"SELECT {hint}k.* FROM {e.view(known)} k LEFT SEMI JOIN {e.view(withdrawn)} a"
        f" ON k.{POS} = a.{POS}"
    )
    names = ", ".join(quote(column) for column in columns)
    return e.sql(f"SELECT {names}, {VS}, {VE}, -{W} AS {W}, {POS} FROM ({_standing(touched)})")


def _standing(pairs: str) -> str:
    """SQL: the pairs that have not been withdrawn since they were made. What is made in the same
    epoch takes the place of what is withdrawn.
    """
    last = f"max(CASE WHEN {W} < 0 THEN {_MET} END) OVER (PARTITION BY {POS}) AS _last"
    return (
        f"SELECT * EXCEPT (_last) FROM (SELECT *, {last} FROM ({pairs}))"
        f" WHERE {W} > 0 AND (_last IS NULL OR {_MET} >= _last)"
    )


def _keep(e: Epoch, name: str, changes: DataFrame) -> None:
    def fold(frame: DataFrame) -> DataFrame:
        later = f"SELECT * FROM {e.view(frame)} WHERE {VS} >= {big(e.complete)}"
        return e.sql(_standing(later))

    e.state.add(f"{name}.pairs", changes.where(f"{VS} >= {big(e.complete)}"), fold, _dead(e))


def _dead(e: Epoch) -> Dead:
    """Files whose rows can no longer be withdrawn."""
    settled = e.state.let_go(e.complete, lazily=True)
    return lambda file: VS in file.high and file.high[VS] < settled


def _unfolded(frame: DataFrame) -> DataFrame:
    return frame
