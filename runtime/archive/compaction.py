"""Which buckets are written anew: small ones are merged, and revisions folded into those that they
touch (REPLAY 4.1; DESIGN section 4).

Revisions lie in files of their own, with weights, which every read adds to the buckets' rows: in
what order they are read makes no difference. What a read costs more by that is bounded here: of a
full bucket a read looks at no more than a QUARTER of its rows again in revisions, and a stream has
no more than MERGE_AFTER epochs' small files of either kind. A bucket is so written once for
each quarter of its rows that is revised, and a row that comes on time about as often as without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from ..elements.columns import VS
from ..ledger.files import DataFile
from .index import rows_within

MERGE_AFTER: Final = 16
"""Small buckets after which they are merged into one."""
BUCKET_ROWS: Final = 500_000
"""The largest size that is chosen for a full bucket."""
LEAST_ROWS: Final = 100_000
"""The smallest. REPLAY 4.1.2 has measured from 50 k on; here those of 50 k were the best at no rate
(benchmarks/RESULTS.md)."""
FEW: Final = 1e-4
"""Revisions to a row up to which buckets are of the largest size; those of the smallest from 25
times as many on."""
REMEMBERED: Final = 4_000_000
"""Rows after which older ones count half: a rate that changes is noticed."""
QUARTER: Final = 4
"""One revision to so many rows of a full bucket has it written anew: what a read of it may cost
more (the same share as of keyed state)."""
AT_ONCE: Final = 4
"""Full buckets that one epoch writes anew: no epoch waits for a whole archive."""


@dataclass(frozen=True)
class Compaction:
    """What an epoch writes anew: the files of each of `buckets` become one, with what `revisions`
    say of it; what they say of others stays a revision. Without `buckets` the revisions are laid
    together.
    """

    buckets: tuple[tuple[DataFile, ...], ...]
    revisions: tuple[DataFile, ...]

    @property
    def files(self) -> tuple[DataFile, ...]:
        """All that goes."""
        return (*(file for bucket in self.buckets for file in bucket), *self.revisions)


def compaction(files: tuple[DataFile, ...], size: int, folds: bool) -> Compaction | None:
    """What is due, of the files of a stream from the oldest on; None: nothing. `size`: rows of a
    full bucket; `folds`: revisions may be folded, since nobody reads the rows as they arrived.
    """
    # Files of the source stay as they are; what corrects their rows stays a revision.
    buckets = tuple(file for file in files if not file.revised and not file.in_place)
    revisions = tuple(file for file in files if file.revised)
    small = mergeable(buckets, size)
    due = [small] if small else []
    if folds:
        due += [(bucket,) for bucket in _worn(_outside_run(buckets, size), revisions)]
    if due:
        touched = tuple(r for r in revisions if any(_meets(r, each) for each in due))
        return Compaction(tuple(due), touched if folds else ())
    together = mergeable(revisions, size)
    return Compaction((), together) if together else None


def observed(known: Sequence[int], rows: int, revisions: int) -> tuple[int, int]:
    """Rows of a stream that came in order, and those that revise, after some more of both."""
    before_rows, before_revisions = known
    if before_rows > REMEMBERED:
        before_rows, before_revisions = before_rows // 2, before_revisions // 2
    return before_rows + rows, before_revisions + revisions


def bucket_rows(rows: int, revisions: int) -> int:
    """The size of a full bucket for what has been observed: the more revisions, the smaller.

    A row costs a share of its bucket's writing, which falls with the size; a revision costs the
    reading of buckets, which grows with it. So the best size falls as the root of the rate: from
    BUCKET_ROWS at FEW to LEAST_ROWS at 25 times as many.
    """
    rate = revisions / max(rows + revisions, 1)
    size = BUCKET_ROWS * sqrt(FEW / max(rate, FEW))
    return max(round(size), LEAST_ROWS)


def mergeable(files: tuple[DataFile, ...], size: int) -> tuple[DataFile, ...]:
    """The oldest of the newest run of small files, if they fill a bucket of `size` rows; the whole
    run, if it comes from many epochs. A late row would widen a bucket, and its range would exclude
    nothing any more: the files given are either all revised or none.
    """
    run = _run(files, size)
    found: list[DataFile] = []
    for file in run:
        found.append(file)
        if sum(each.rows for each in found) >= size and _epochs(found) > 1:
            return tuple(found)
    return run if _epochs(run) >= MERGE_AFTER else ()


def _epochs(files: tuple[DataFile, ...] | list[DataFile]) -> int:
    return len({file.epoch for file in files})


def _run(files: tuple[DataFile, ...], size: int) -> tuple[DataFile, ...]:
    """The newest files that are no full bucket yet."""
    number = 0
    for file in reversed(files):
        if file.rows >= max(size // 2, 1):
            break
        number += 1
    return files[len(files) - number :]


def _outside_run(files: tuple[DataFile, ...], size: int) -> tuple[DataFile, ...]:
    return files[: len(files) - len(_run(files, size))]


def _worn(buckets: tuple[DataFile, ...], revisions: tuple[DataFile, ...]) -> Iterator[DataFile]:
    """Of the full buckets those with most revisions for their rows, if they have too many."""
    shares = [(_revised(bucket, revisions) / bucket.rows, bucket) for bucket in buckets]
    most = sorted(shares, key=lambda each: each[0], reverse=True)[:AT_ONCE]
    yield from (bucket for share, bucket in most if share * QUARTER >= 1)


def _revised(bucket: DataFile, revisions: tuple[DataFile, ...]) -> int:
    """About how many revisions are of the bucket's time."""
    return sum(rows_within(each, bucket.low[VS], bucket.high[VS] + 1) for each in revisions)


def _meets(revision: DataFile, bucket: tuple[DataFile, ...]) -> bool:
    low, high = bounds(bucket)
    return revision.low[VS] <= high and revision.high[VS] >= low


def bounds(bucket: tuple[DataFile, ...]) -> tuple[int, int]:
    """The least and the largest order value of the files of a bucket."""
    return min(file.low[VS] for file in bucket), max(file.high[VS] for file in bucket)


def replaced(
    files: tuple[DataFile, ...], gone: tuple[DataFile, ...], made: tuple[DataFile, ...]
) -> tuple[DataFile, ...]:
    """The files with some in place of others: where the first of those was, so that the oldest
    stay first.
    """
    paths = {file.path for file in gone}
    first = next(number for number, file in enumerate(files) if file.path in paths)
    kept = [file for file in files[first:] if file.path not in paths]
    return (*files[:first], *made, *kept)
