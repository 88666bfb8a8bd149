"""LAYOUT SOURCE on a real source: what is read in place gives what copies give, through a crash and
a restart; and nobody but the source's owner changes its files.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from reflow.runtime.archive.vacuum import orphans, remove
from reflow.runtime.archive.verify import verify
from reflow.runtime.epoch import protocol
from reflow.runtime.ledger.files import DataFile
from reflow.runtime.ledger.manifest import committed, read_manifest
from reflow.runtime.ledger.storage import Storage
from reflow.runtime.program import RunError

from .running import Place

DECLARED = """
CREATE STREAM {name} (a STRING, id BIGINT, ts TIMESTAMP, KEY (id), ORDER BY ts WITHIN 2 SECONDS)
  FROM PARQUET '{{dir}}/in' OPTIONS (maxFilesPerTrigger = '2')
  ARCHIVE KEEP 10 SECONDS LAYOUT {layout};
CREATE QUERY pairs_{name} AS SELECT x.id AS x, y.id AS y
  FROM {name} [RANGE 6 SECONDS] AS x JOIN {name} [RANGE 4 SECONDS] AS y ON x.a = y.a
  INTO PARQUET '{{dir}}/pairs_{name}' AS CHANGELOG;
CREATE QUERY last_{name} AS SELECT a, COUNT(*) AS n FROM {name} [ROWS 3] GROUP BY a
  REVISE BY ARCHIVE INTO PARQUET '{{dir}}/last_{name}' AS CHANGELOG;
"""
TEXT = "".join(
    DECLARED.format(name=name, layout=layout.upper())
    for name, layout in (("source", "source"), ("plain", "plain"))
)
EPOCHS = 8
SECOND = 1_000_000


class Struck(Exception):
    """The process dies here."""


def files(place: Place, first: int, last: int) -> None:
    """Two files for each epoch: one in order, one with a row that is late, has no instant, or is
    older than what is kept, and names with escapes. Every third has no statistics of instants.
    """
    for number in range(first, last):
        start = 5 * number
        put(place, 2 * number, [("ab"[i % 2], 10 * number + i, start + i // 2) for i in range(5)])
        odd = {1: [("a", 901, 0)], 2: [("b", 902, None)], 6: [("a", 903, 1)]}
        put(place, 2 * number + 1, [("b", 10 * number + 5, start + 3), *odd.get(number, [])])


def put(place: Place, number: int, rows: list[tuple[str, int, int | None]]) -> None:
    path = place.path("in") / f"{number:03} a%.parquet"
    path.parent.mkdir(exist_ok=True)
    a, ids, seconds = zip(*rows, strict=True)
    instants = pa.array([None if s is None else s * SECOND for s in seconds], pa.int64())
    table = pa.table(
        {
            "ts": instants.cast(pa.timestamp("us", "UTC")),
            "id": pa.array(ids, pa.int64()),
            "a": pa.array(a),
        }
    )
    staged = path.parent / f".{number}"
    pq.write_table(table, staged, use_deprecated_int96_timestamps=number % 3 == 0)
    os.utime(staged, (1_700_000_000 + number,) * 2)
    staged.replace(path)


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {str(p): (p.stat().st_mtime_ns, p.read_bytes()) for p in sorted(folder.iterdir())}


def dies_at(struck: str) -> Callable[[str, int], None]:
    def reached(step: str, epoch: int) -> None:
        if step == struck:
            raise Struck("dies here")

    return reached


def archived(storage: Storage, stream: str) -> list[DataFile]:
    known = read_manifest(storage, committed(storage)[-1]).archive.get(stream)
    return [] if known is None else list(known.files)


def written(place: Place, name: str) -> list[tuple[Any, ...]]:
    """What a query has written, but for the stream's name."""
    return place.rows(name, "parquet")


@pytest.mark.spark
def test_files_in_place_give_what_copies_give(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(tmp_path)
    files(place, 0, 3)
    place.run(TEXT)
    files(place, 3, EPOCHS)
    before = contents(place.path("in"))
    for step in ("landed", "sink"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(protocol, "reached", dies_at(step))
            with pytest.raises(RunError, match="dies here"):
                place.run(TEXT)
    place.run(TEXT)
    for query in ("pairs", "last"):
        rows = written(place, f"{query}_plain")
        assert rows and written(place, f"{query}_source") == rows
    letters = {
        stream: [letter[1:] for letter in place.dead_letters() if letter[0] == stream]
        for stream in ("source", "plain")
    }
    assert len(letters["plain"]) == 2 and letters["source"] == letters["plain"]

    storage = Storage(str(place.path("state/reflow")))
    kept = archived(storage, "source")
    in_place = [file for file in kept if file.in_place]
    assert in_place and all(
        Path(storage.located(file.path)[1]).parent == place.path("in") for file in in_place
    )
    # Of the first epochs nothing is kept, and no file whose rows are all in order was copied.
    assert len(in_place) < 2 * EPOCHS
    own = {file.path for file in kept if not file.in_place and not file.revised}
    assert {pq.read_metadata(storage.full(path)).num_rows for path in own} <= {1}
    remove(storage, orphans(storage))
    assert contents(place.path("in")) == before
    assert verify(storage).faults == ()

    changed, gone = in_place[0], in_place[-1]
    os.utime(storage.located(changed.path)[1], (1, 1))
    Path(storage.located(gone.path)[1]).unlink()
    found = {(fault.wrong, fault.path) for fault in verify(storage, footers_only=True).faults}
    assert found == {("changed", changed.path), ("missing", gone.path)}
    files(place, EPOCHS, EPOCHS + 1)
    with pytest.raises(RunError, match="LAYOUT SOURCE reads a source's files where they"):
        place.run(TEXT)
