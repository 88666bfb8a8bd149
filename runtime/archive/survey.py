"""What the archives of a checkpoint hold, read off the bucket index table of a manifest."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..elements.columns import VS
from ..ledger.files import DataFile
from ..ledger.manifest import Manifest
from .compaction import bucket_rows


@dataclass(frozen=True)
class StreamArchive:
    """The archive of one stream. A bucket is what one epoch, or one merge, has written: a file or
    several.

    `first` and `last` are order values (microseconds or ticks); `oldest` and `newest` the epochs of
    the first and the last bucket. `revised_files` hold the `revised_rows`: what came late, and what
    withdraws and replaces rows. `buckets` are the rows of each. `index_bytes`: of the manifest.
    `arrived` rows came in order of late, and `revisions` revise; `suited` is the size of a bucket
    that follows, where BUCKET says none (REPLAY 4.1.2).
    """

    name: str
    files: int
    buckets: tuple[int, ...]
    rows: int
    bytes: int
    first: int | None
    last: int | None
    oldest: int
    newest: int
    revised_files: int
    revised_rows: int
    index_bytes: int
    arrived: int
    revisions: int

    @property
    def rows_per_bucket(self) -> float:
        return self.rows / len(self.buckets)

    @property
    def bytes_per_row(self) -> float:
        return self.bytes / self.rows if self.rows else 0.0

    @property
    def revision_rate(self) -> float:
        """Of the rows that came of late, how many came too late or revise others."""
        came = self.arrived + self.revisions
        return self.revisions / came if came else 0.0

    @property
    def suited(self) -> int:
        return bucket_rows(self.arrived, self.revisions)


def survey(manifest: Manifest) -> list[StreamArchive]:
    """Each archived stream, by name."""
    return [
        _of_stream(name, known.files, *manifest.observed.get(name, (0, 0)))
        for name, known in sorted(manifest.archive.items())
        if known.files
    ]


def _of_stream(name: str, files: Sequence[DataFile], arrived: int, revisions: int) -> StreamArchive:
    buckets: Counter[str] = Counter()
    for file in files:
        buckets[file.bucket] += file.rows
    revised = [file for file in files if file.revised]
    return StreamArchive(
        name=name,
        files=len(files),
        buckets=tuple(buckets.values()),
        rows=sum(file.rows for file in files),
        bytes=sum(file.bytes for file in files),
        first=min((file.low[VS] for file in files if VS in file.low), default=None),
        last=max((file.high[VS] for file in files if VS in file.high), default=None),
        oldest=min(file.epoch for file in files),
        newest=max(file.epoch for file in files),
        revised_files=len(revised),
        revised_rows=sum(file.rows for file in revised),
        index_bytes=len(json.dumps([file.to_json() for file in files], separators=(",", ":"))),
        arrived=arrived,
        revisions=revisions,
    )
