"""The bucket index table (REPLAY 4.1.1): which bucket may hold which order values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..elements.columns import DAWN, FOREVER, VS, big
from ..elements.deltas import Slice
from ..ledger.files import DataFile
from ..state.store import overlaps


def matching(buckets: tuple[DataFile, ...], wanted: Slice) -> list[DataFile]:
    """The buckets that may hold rows with `_vs` in the slice's bounds."""
    by_start = Slice(vs_after=wanted.vs_after, vs_upto=wanted.vs_upto)
    return [bucket for bucket in buckets if overlaps(bucket, by_start)]


def rows_within(bucket: DataFile, low: int, high: int) -> int:
    """About how many of a bucket's rows have `_vs` in `[low, high)`, as if they lay evenly."""
    first, last = bucket.low[VS], bucket.high[VS]
    inside = min(high, last + 1) - max(low, first)
    return max(0, -(-bucket.rows * inside // (last + 1 - first)))


def floor(files: Iterable[DataFile], rows: int) -> int:
    """From which order value on the youngest buckets lie that have so many rows together; DAWN if
    all have fewer. What came late or corrects others is not counted.
    """
    counted = 0
    lowest = FOREVER
    for _, low, number in sorted(_buckets(files), reverse=True):
        counted, lowest = counted + number, min(lowest, low)
        if counted >= rows:
            return lowest
    return DAWN


def _buckets(files: Iterable[DataFile]) -> Iterator[tuple[int, int, int]]:
    """(largest, least order value, rows) of what one epoch or one merge has written, in however
    many files.
    """
    together: dict[str, list[DataFile]] = {}
    for file in files:
        if not file.revised:
            together.setdefault(file.bucket, []).append(file)
    for bucket in together.values():
        yield (
            max(file.high[VS] for file in bucket),
            min(file.low[VS] for file in bucket),
            sum(file.rows for file in bucket),
        )


def live(buckets: tuple[DataFile, ...], keep: int, complete: int) -> tuple[DataFile, ...]:
    """The buckets of which some row may still be read: whole buckets leave, first in first out."""
    if keep < 0:
        return buckets
    return tuple(bucket for bucket in buckets if bucket.high[VS] + keep > complete)


def live_rows(keep: int, complete: int) -> str:
    """The condition on a bucket's rows that may still be read. A merged bucket without it would
    hold all rows since it was begun: its youngest keeps it alive.
    """
    return "TRUE" if keep < 0 else f"{VS} > {big(complete - keep)}"
