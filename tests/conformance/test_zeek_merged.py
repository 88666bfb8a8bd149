"""One log of DNS events in both forms in which Zeek writes it, JSON and TSV: MERGE OF makes one
stream of the two, with every event as often as it happened.

The forms differ as two programs differ: round trips are floats here and six digits there, lists are
arrays or text, nothing is no field or `-`. Views make rows of both that can be compared.
"""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow.dataset as ds
import pytest

from ..harness.engine import drain_sources
from .material import FOLDER, needs_material

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = needs_material

EVENTS: Final = 53_615
LATEST: Final = 671
"""Seconds that an event may be late, in both files."""
CUTS: Final = {"json": (0.35, 0.75), "tsv": (0.1, 0.5)}
"""Where the files are cut: the copies are apart, and now one is ahead, now the other."""

TEXT: Final = f"""
CREATE STREAM told_json (
  ts TIMESTAMP, uid STRING, "id.orig_h" STRING, "id.orig_p" INT, "id.resp_h" STRING,
  "id.resp_p" INT, proto STRING, trans_id INT, rtt DOUBLE, query STRING, qclass INT,
  qclass_name STRING, qtype INT, qtype_name STRING, rcode INT, rcode_name STRING,
  "AA" BOOLEAN, "TC" BOOLEAN, "RD" BOOLEAN, "RA" BOOLEAN, "Z" INT, answers ARRAY<STRING>,
  "TTLs" ARRAY<DOUBLE>, rejected BOOLEAN, ORDER BY ts WITHIN {LATEST} SECONDS
) FROM JSON '{{dir}}/json/' OPTIONS (maxFilesPerTrigger = '1');

CREATE STREAM told_tsv (
  ts TIMESTAMP, uid STRING, "id.orig_h" STRING, "id.orig_p" INT, "id.resp_h" STRING,
  "id.resp_p" INT, proto STRING, trans_id INT, rtt DOUBLE, query STRING, qclass INT,
  qclass_name STRING, qtype INT, qtype_name STRING, rcode INT, rcode_name STRING,
  "AA" STRING, "TC" STRING, "RD" STRING, "RA" STRING, "Z" INT, answers STRING,
  "TTLs" STRING, rejected STRING, ORDER BY ts WITHIN {LATEST} SECONDS
) FROM CSV '{{dir}}/tsv/'
OPTIONS (sep = '\\t', comment = '#', nullValue = '-', quote = '', maxFilesPerTrigger = '1');

CREATE VIEW by_json AS SELECT
  ts, uid, "id.orig_h" AS host, "id.orig_p" AS port, "id.resp_h" AS server, proto, trans_id,
  ROUND(rtt, 6) AS rtt, query, qclass, qtype, qtype_name, rcode, rcode_name, "AA" AS aa, "RD" AS rd,
  "RA" AS ra, "Z" AS z, answers, rejected
FROM told_json;

CREATE VIEW by_tsv AS SELECT
  ts, uid, "id.orig_h" AS host, "id.orig_p" AS port, "id.resp_h" AS server, proto, trans_id,
  rtt, CASE WHEN query = '(empty)' THEN '' ELSE query END AS query, qclass, qtype, qtype_name,
  rcode, rcode_name, "AA" = 'T' AS aa, "RD" = 'T' AS rd, "RA" = 'T' AS ra, "Z" AS z,
  SPLIT(answers, ',') AS answers, rejected = 'T' AS rejected
FROM told_tsv;

CREATE STREAM dns MERGE OF by_json, by_tsv;

CREATE QUERY events AS SELECT * FROM dns INTO PARQUET '{{dir}}/out/events' AS CHANGELOG;
"""


@cache
def lines(name: str) -> list[str]:
    with gzip.open(FOLDER / "zeek" / name, "rt") as text:
        return text.read().splitlines()


def instant(seconds: str) -> str:
    """Zeek's TSV tells times as decimal seconds, which no reader of Spark takes for a time."""
    whole, _, micros = seconds.partition(".")
    return f"{datetime.fromtimestamp(int(whole), UTC):%Y-%m-%dT%H:%M:%S}.{micros}Z"


def tsv_lines() -> list[str]:
    """The TSV as it stands, but for the times; its head and its end are comments."""
    split = (line.partition("\t") for line in lines("wrccdc_dns.log.gz"))
    return [
        (first if first.startswith("#") else instant(first)) + tab + rest
        for first, tab, rest in split
    ]


def in_pieces(folder: Path, found: list[str], cuts: tuple[float, ...]) -> None:
    """Files whose age is their order."""
    folder.mkdir()
    ends = [0, *(int(cut * len(found)) for cut in cuts), len(found)]
    for number, (start, end) in enumerate(pairwise(ends)):
        path = folder / f"{number}.txt"
        path.write_text("\n".join(found[start:end]) + "\n")
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))


def told() -> Counter[tuple[Any, ...]]:
    """The events, as often as they happened, by some of their columns."""
    said = (json.loads(line) for line in lines("wrccdc_dns.json.gz"))
    return Counter(
        (
            datetime.fromisoformat(each["ts"]),
            each["uid"],
            each["trans_id"],
            each.get("query"),
            each.get("rcode"),
            tuple(each.get("answers") or ()),
        )
        for each in said
    )


def merged(folder: Path) -> Counter[tuple[Any, ...]]:
    """What the changes of a folder add up to."""
    found: Counter[tuple[Any, ...]] = Counter()
    for row in ds.dataset(folder, format="parquet").to_table().to_pylist():
        assert row["ve"] is None
        assert row["vs"] == row["ts"]
        key = (row["ts"], row["uid"], row["trans_id"], row["query"], row["rcode"])
        found[(*key, tuple(row["answers"] or ()))] += row["w"]
    return found


@pytest.mark.spark
def test_both_forms_make_one_stream(spark: SparkSession, tmp_path: Path) -> None:
    in_pieces(tmp_path / "json", lines("wrccdc_dns.json.gz"), CUTS["json"])
    in_pieces(tmp_path / "tsv", tsv_lines(), CUTS["tsv"])
    drain_sources(spark, TEXT, tmp_path)
    assert not (tmp_path / "checkpoint" / "reflow" / "dead_letters").exists()
    expected = told()
    assert expected.total() == EVENTS
    assert merged(tmp_path / "out" / "events") == expected
