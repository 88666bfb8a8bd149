"""A real feed in the order of its arrival: 53,615 DNS events, up to 671 s late (Zeek).

With WITHIN 1 SECOND and corrections up to KEEP it gives the answers of the same events in order.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from ..harness.engine import drain_sources
from ..harness.read import read_changelog
from ..oracle.multiplicity import difference
from .material import FOLDER, needs_material

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = needs_material

FILES: Final = 4
STREAM: Final = """
CREATE STREAM dns (
  ts TIMESTAMP, host STRING, kind STRING, code INT, rtt DOUBLE, ORDER BY ts{within}
)
FROM JSON '{dir}/in/' OPTIONS (maxFilesPerTrigger = '1'){archive};
CREATE QUERY kinds AS SELECT kind, COUNT(*) AS n, MAX(rtt) AS slowest
FROM dns [RANGE 1 MINUTE SLIDE 10 SECONDS] GROUP BY kind
INTO PARQUET '{dir}/out/kinds' AS CHANGELOG;
CREATE QUERY hosts AS SELECT DISTINCT host, code FROM dns [RANGE 5 SECONDS] WHERE code > 0
INTO PARQUET '{dir}/out/hosts' AS CHANGELOG;
CREATE QUERY latest AS SELECT host, kind FROM dns [PARTITION BY host ROWS 2]
INTO PARQUET '{dir}/out/latest' AS CHANGELOG;
"""
QUERIES: Final = ("kinds", "hosts", "latest")


@cache
def events() -> list[dict[str, Any]]:
    """In the order in which they were written."""
    with gzip.open(FOLDER / "zeek" / "wrccdc_dns.json.gz", "rt") as lines:
        said = [json.loads(line) for line in lines]
    return [
        {
            "ts": each["ts"],
            "host": each["id.orig_h"],
            "kind": each.get("qtype_name"),
            "code": each.get("rcode"),
            "rtt": each.get("rtt"),
        }
        for each in said
    ]


def drained(spark: SparkSession, directory: Path, rows: list[dict[str, Any]], text: str) -> None:
    """A run over the rows, in files whose age is their order."""
    import os

    folder = directory / "in"
    folder.mkdir(parents=True)
    size = -(-len(rows) // FILES)
    for number, at in enumerate(range(0, len(rows), size)):
        path = folder / f"{number}.json"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows[at : at + size]))
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
    drain_sources(spark, text, directory)


def test_the_feed_is_as_late_as_it_is_said_to_be() -> None:
    from datetime import datetime

    instants = [datetime.fromisoformat(row["ts"]) for row in events()]
    largest, late, behind = instants[0], 0, 0.0
    for at in instants:
        largest = max(largest, at)
        late += at < largest
        behind = max(behind, (largest - at).total_seconds())
    assert len(instants) == 53_615
    assert 670 < behind < 672
    assert late > 3_000


@pytest.mark.spark
def test_late_events_give_the_answers_of_events_in_order(
    spark: SparkSession, tmp_path: Path
) -> None:
    late, sorted_ = tmp_path / "late", tmp_path / "sorted"
    corrected = {"within": " WITHIN 1 SECOND", "archive": " ARCHIVE KEEP 700 SECONDS"}
    text = STREAM.replace("{within}", corrected["within"]).replace(
        "{archive}", corrected["archive"]
    )
    drained(spark, late, events(), text)
    in_order = STREAM.replace("{within}", "").replace("{archive}", "")
    drained(spark, sorted_, sorted(events(), key=lambda row: row["ts"]), in_order)
    assert not (late / "checkpoint" / "reflow" / "dead_letters").exists()
    for query in QUERIES:
        expected = read_changelog(sorted_ / "out" / query)
        assert expected
        found = difference(expected, read_changelog(late / "out" / query))
        assert not found, f"{query}\n{found}"
