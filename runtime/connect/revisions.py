"""The table of revisions: each change of a row that had come before, or should have, and what it
cost (REPLAY 3).

A Parquet table `revisions/epoch=<n>` in the checkpoint with columns stream; change (`insert`: a row
that came late, `replace`, `delete`); at (order value of the row, BIGINT); before and after (the row
as JSON, or NULL); came (BIGINT, microseconds since 1970); technique; and of all revisions of the
epoch together: rows_replayed (about so many, of the archives), outputs_corrected (rows
written about instants that were complete; NULL where no sink tells instants), milliseconds (of the
epoch), standard_error (DOUBLE: the largest of any COUNT or SUM that was corrected from a sample, in
any group at any instant; 0 where that was exact; NULL of other techniques).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame

from ..elements.columns import VS, W, quote, string
from .declarations import Stream

DIRECTORY: Final = "revisions"


@dataclass(frozen=True)
class Cost:
    """What the revisions of an epoch took together."""

    came: int
    technique: str
    rows_replayed: int
    outputs_corrected: int | None
    milliseconds: int
    standard_error: float | None = None

    def columns(self) -> list[str]:
        """As SQL."""
        corrected = self.outputs_corrected
        error = "NULL" if self.standard_error is None else string(repr(self.standard_error))
        return [
            f"{self.came}L AS came",
            f"{string(self.technique)} AS technique",
            f"{self.rows_replayed}L AS rows_replayed",
            f"CAST({'NULL' if corrected is None else corrected} AS BIGINT) AS outputs_corrected",
            f"{self.milliseconds}L AS milliseconds",
            f"CAST({error} AS DOUBLE) AS standard_error",
        ]


def directory(epoch: int) -> str:
    return f"{DIRECTORY}/epoch={epoch}"


def table(elements: DataFrame, stream: Stream, struct: str, cost: Cost) -> DataFrame:
    """The revisions that elements `(struct, _vs, _w)` of a stream come to: what is withdrawn and
    what is put in its place have the same key. Without a key every element is a row by itself.
    """
    row = f"to_json({struct}, map('ignoreNullFields', 'false'))"
    told = elements.selectExpr("*", f"{row} AS _row", f"coalesce({W}, 1L) AS _sign")
    keys = [f"{struct}.{quote(column)}" for column in stream.key]
    parts = [
        "max(CASE WHEN _sign < 0 THEN _row END) AS before",
        "max(CASE WHEN _sign > 0 THEN _row END) AS after",
        f"min({VS}) AS at",
    ]
    changed = _grouped(told, keys, parts)
    change = (
        "CASE WHEN before IS NULL THEN 'insert' WHEN after IS NULL THEN 'delete' ELSE 'replace' END"
    )
    return changed.selectExpr(
        f"{string(stream.name)} AS stream",
        f"{change} AS change",
        "at",
        "before",
        "after",
        *cost.columns(),
    )


def _grouped(told: DataFrame, keys: Sequence[str], parts: Sequence[str]) -> DataFrame:
    if not keys:
        return told.selectExpr("CAST(NULL AS STRING) AS before", "_row AS after", f"{VS} AS at")
    view = "_reflow_revised"
    told.createOrReplaceTempView(view)
    by = ", ".join(keys)
    return told.sparkSession.sql(f"SELECT {', '.join(parts)} FROM {view} GROUP BY {by}")


def write(frame: DataFrame, path: str) -> None:
    """Write one epoch's revisions; a repeated epoch replaces them."""
    frame.coalesce(1).write.mode("overwrite").parquet(path)
