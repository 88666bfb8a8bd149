"""AS ELEMENTS: what a query writes, another one reads back as it stands."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow.dataset as ds
import pytest

from ..harness.engine import Run
from ..harness.read import read_changelog, read_elements
from ..oracle.multiplicity import Changes, add, net
from .running import Place, visible

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SOURCE = """
CREATE STREAM s (t {kind}, id BIGINT, k STRING, op STRING, KEY (id), ORDER BY t)
FROM JSON '{{dir}}/s' OPTIONS (maxFilesPerTrigger = '1')
REVISIONS BY op (INSERT 'c', REPLACE 'u', DELETE 'd') ARCHIVE KEEP {keep};
"""
QUERY = "SELECT k, COUNT(*) AS n FROM s [RANGE {length}] GROUP BY k"
WINDOW = "SELECT k, id AS n FROM s [RANGE {length}]"
FORMATS: Final = ("JSON", "PARQUET", "CSV")
READS: Final = (
    "CREATE STREAM f (k STRING, n BIGINT, kind STRING, vs {kind}, ve {kind}, old_ve {kind},"
    " ELEMENTS (kind, vs, ve, old_ve)) FROM {format} '{{dir}}/{format}';\n"
    "CREATE QUERY q AS SELECT k, n FROM f INTO PARQUET '{{dir}}/back-{format}' AS CHANGELOG;"
)


def rows(place: Place, kind: str) -> None:
    """Files of a stream in which rows are replaced and deleted, each an epoch."""
    files = [
        [(1, 1, "a", "c"), (2, 2, "b", "c"), (3, 3, "a", "c")],
        [(4, 4, "a", "c"), (3, 3, "b", "u"), (6, 5, None, "c")],
        [(8, 6, "a", "c"), (2, 2, "b", "d"), (7, 7, "", "c")],
        [(12, 8, "b", "c"), (8, 6, "b", "u")],
        [(30, 9, "a", "c")],
    ]
    for number, listed in enumerate(files):
        lines = [
            json.dumps({"t": _at(t, kind), "id": id_, "k": k, "op": op}) for t, id_, k, op in listed
        ]
        place.put(f"s/{number}.json", *lines)


def _at(t: int, kind: str) -> Any:
    return t if kind == "BIGINT" else f"2026-01-05T00:00:{t:02d}.00000{t % 10}Z"


def written(place: Place, kind: str, query: str) -> None:
    length, keep = ("5", "8") if kind == "BIGINT" else ("5 SECONDS", "8 SECONDS")
    asked = query.format(length=length)
    sinks = [f"INTO {each} '{{dir}}/{each}' AS ELEMENTS" for each in FORMATS]
    sinks.append("INTO PARQUET '{dir}/truth' AS CHANGELOG")
    queries = [f"CREATE QUERY q{n} AS {asked} {into};" for n, into in enumerate(sinks)]
    place.run("\n".join([SOURCE.format(kind=kind, keep=keep), *queries]), checkpoint="writes")


def without_empty_texts(changes: Changes) -> Changes:
    """Spark's CSV reads an empty text as NULL."""
    found: Changes = {}
    for row, at in changes.items():
        for instant, weight in at.items():
            add(found, tuple(None if value == "" else value for value in row), instant, weight)
    return net(found)


@pytest.mark.parametrize("kind", ["BIGINT", "TIMESTAMP"])
@pytest.mark.parametrize("query", [QUERY, WINDOW], ids=["points", "intervals"])
def test_every_format_is_read_back(
    spark: SparkSession, tmp_path: Path, kind: str, query: str
) -> None:
    place = Place(tmp_path)
    rows(place, kind)
    written(place, kind, query)
    truth = net(read_changelog(tmp_path / "truth"))
    assert truth
    assert read_elements(tmp_path / "PARQUET") == truth
    told = ds.dataset(visible(tmp_path / "PARQUET"), format="parquet").to_table().to_pylist()
    kinds = Counter(row["kind"] for row in told)
    assert kinds["stable"] >= 3, kinds
    assert kinds["adjust"] >= 3, kinds
    for format_ in FORMATS:
        state = f"reads-{format_}"
        place.run(READS.format(kind=kind, format=format_), checkpoint=state, until=_end(kind))
        letters = tmp_path / state / "reflow" / "dead_letters"
        assert not letters.exists() or not visible(letters), format_
        expected = without_empty_texts(truth) if format_ == "CSV" else truth
        assert net(read_changelog(tmp_path / f"back-{format_}")) == expected, format_


def _end(kind: str) -> str:
    return "40" if kind == "BIGINT" else "2026-01-05 00:00:40"


def test_a_reader_may_begin_before_its_writer(spark: SparkSession, tmp_path: Path) -> None:
    """`epoch=1` in an empty folder would be a column that Spark did not know of."""
    from reflow.runtime.connect.sources import streaming_frame

    folder = tmp_path / "f"
    folder.mkdir()
    text = READS.format(kind="BIGINT", format="JSON").replace("{dir}/JSON", "{dir}/f")
    frame = streaming_frame(spark, Run(spark, text, tmp_path)._program.streams)
    query = frame.writeStream.format("memory").queryName("begun_before").start()
    try:
        query.processAllAvailable()
        (folder / "epoch=1").mkdir()
        (folder / "epoch=1" / "part.json").write_text('{"k": "a", "kind": "insert", "vs": 1}')
        query.processAllAvailable()
        assert spark.table("begun_before").count() == 1
    finally:
        query.stop()
