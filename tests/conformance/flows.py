"""Real logs of Zeek and Argus as the flows of UPA's queries: who sent how much to whom, on which of
two links.

The logs are years apart, and a program has one clock: each is moved so that it begins at `START`.
Rows keep the order in which their log has them: Zeek writes a connection when it ends, so that its
start may be minutes behind. The link is the row's place in its log, even or odd: both links then
know the same hosts.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, islice, zip_longest
from typing import Any, Final

from .material import FOLDER

SECOND: Final = 1_000_000
START: Final = 1_767_571_200 * SECOND  # 2026-01-05 00:00:00 UTC
ROWS: Final = 160
"""Rows of each log."""

COLUMNS: Final = (
    ("ts", "TIMESTAMP"),
    ("link", "INT"),
    ("src", "STRING"),
    ("dst", "STRING"),
    ("protocol", "STRING"),
    ("nbytes", "INT"),
)
LOGS: Final = {
    "zeek": ("zat_conn.log", "wrccdc_dns.log.gz"),
    "netflow": ("test2-malicious.binetflow", "test9-mixed-zeek-dir__conn.log"),
}

Flow = dict[str, Any]


def flows(folder: str) -> list[Flow]:
    """The first `ROWS` rows of each log of the folder, in turns."""
    logs = [_moved(list(islice(_log(folder, name), ROWS))) for name in LOGS[folder]]
    return [flow for flow in chain.from_iterable(zip_longest(*logs)) if flow is not None]


def lateness(rows: Sequence[Flow]) -> int:
    """How far a row is behind the largest before it, at most, in microseconds."""
    largest, late = rows[0]["ts"], 0
    for row in rows:
        largest = max(largest, row["ts"])
        late = max(late, largest - row["ts"])
    return late


def _moved(log: list[Flow]) -> list[Flow]:
    first = min(flow["ts"] for flow in log)
    return [
        flow | {"ts": START + flow["ts"] - first, "link": 1 + place % 2}
        for place, flow in enumerate(log)
    ]


def _log(folder: str, name: str) -> Iterator[Flow]:
    path = FOLDER / folder / name
    with gzip.open(path, "rt") if name.endswith(".gz") else path.open() as lines:
        if name.endswith(".binetflow"):
            yield from map(_argus, csv.DictReader(lines))
        elif name.startswith("test9"):
            yield from map(_zeek, map(json.loads, lines))
        else:
            yield from map(_zeek, _table(lines))


def _table(lines: Iterable[str]) -> Iterator[dict[str, str | None]]:
    """Zeek's own format: tabs, the names in a line that begins with `#fields`, `-` for unset."""
    names: list[str] = []
    for line in lines:
        cells = line.rstrip("\n").split("\t")
        if cells[0] == "#fields":
            names = cells[1:]
        elif not line.startswith("#"):
            yield {n: None if c == "-" else c for n, c in zip(names, cells, strict=True)}


def _zeek(row: Mapping[str, Any]) -> Flow:
    """A connection, or a question to a name server, of which no bytes are told."""
    sent = row.get("orig_bytes")
    return {
        "ts": round(float(row["ts"]) * SECOND),
        "src": row["id.orig_h"],
        "dst": row["id.resp_h"],
        "protocol": row["proto"],
        "nbytes": None if sent is None else int(sent),
    }


def _argus(row: Mapping[str, str]) -> Flow:
    begun = datetime.strptime(row["StartTime"], "%Y/%m/%d %H:%M:%S.%f").replace(tzinfo=UTC)
    return {
        "ts": round(begun.timestamp() * SECOND),
        "src": row["SrcAddr"],
        "dst": row["DstAddr"],
        "protocol": row["Proto"],
        "nbytes": int(row["SrcBytes"]),
    }
