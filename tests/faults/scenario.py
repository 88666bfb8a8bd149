"""The program that dies: PARQUET and LOG, per-key state, an archive, an NRR, a relation made of the
log of its changes, a stream of elements read and written, a merge with a copy that lags behind,
dead letters.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds

from reflow.runtime.ledger.storage import Storage

from ..harness.engine import emitted
from ..harness.read import read_changelog, read_elements, read_log
from ..oracle.history import History, NrrSchema, StreamSchema
from ..oracle.multiplicity import Changes
from ..oracle.query import NrrUse, Query, Windowed
from ..oracle.windows import Log, Range, Unbounded

Values = dict[str, Any]

# A file of each source is one epoch. `pairs` and `counts` read the archive, `named`, `counts`,
# `priced` and `valid` keep state.
TEXT = """
CREATE STREAM s (ts BIGINT, k STRING, v BIGINT, ORDER BY ts)
FROM JSON '{dir}/in' OPTIONS (maxFilesPerTrigger = '1');
CREATE NRR names (k STRING, name STRING, KEY (k)) FROM JSON '{dir}/names';
CREATE RELATION prices (ts BIGINT, k STRING, p BIGINT, op STRING, ORDER BY ts, KEY (k))
FROM JSON '{dir}/prices' OPTIONS (maxFilesPerTrigger = '1')
REVISIONS BY op (INSERT 'c', REPLACE 'u', DELETE 'd');
CREATE QUERY counts AS SELECT k, COUNT(*) AS n, MAX(v) AS m FROM s [RANGE 10] GROUP BY k
INTO PARQUET '{dir}/out/counts' AS CHANGELOG;
CREATE QUERY pairs AS SELECT a.v AS x, b.v AS y
FROM s [RANGE 6] AS a JOIN s [RANGE 4] AS b ON a.k = b.k
INTO LOG '{dir}/out/pairs.log';
CREATE QUERY named AS SELECT n.name AS name, COUNT(*) AS c
FROM s [UNBOUNDED] AS a JOIN names AS n ON a.k = n.k GROUP BY n.name
INTO PARQUET '{dir}/out/named' AS CHANGELOG;
CREATE STREAM told (k STRING, kind STRING, vs BIGINT, ve BIGINT, old_ve BIGINT,
  ELEMENTS (kind, vs, ve, old_ve)) FROM JSON '{dir}/told' OPTIONS (maxFilesPerTrigger = '1');
CREATE QUERY valid AS SELECT k FROM told INTO PARQUET '{dir}/out/valid' AS ELEMENTS;
CREATE QUERY priced AS SELECT a.v AS v, r.p AS p FROM s [RANGE 6] AS a, prices AS r WHERE a.k = r.k
INTO PARQUET '{dir}/out/priced' AS CHANGELOG;
CREATE STREAM copy (ts BIGINT, k STRING, v BIGINT, ORDER BY ts)
FROM JSON '{dir}/copy' OPTIONS (maxFilesPerTrigger = '1');
CREATE STREAM both MERGE OF copy, s;
CREATE QUERY merged AS SELECT k, SUM(v) AS v FROM both [RANGE 6] GROUP BY k
INTO PARQUET '{dir}/out/merged' AS CHANGELOG;
"""

PRICES = Log(("k",), "op", {"c": "insert", "u": "replace", "d": "delete"}, ("ts",))

QUERIES = {
    "counts": Query(
        "SELECT k, COUNT(*), MAX(v) FROM w GROUP BY k", {"w": Windowed("s", Range(10))}
    ),
    "pairs": Query(
        "SELECT a.v, b.v FROM a JOIN b ON a.k = b.k",
        {"a": Windowed("s", Range(6)), "b": Windowed("s", Range(4))},
    ),
    "named": Query(
        "SELECT n.name, COUNT(*) FROM a JOIN n ON n._row = a._row AND a.k = n.k GROUP BY n.name",
        {"a": Windowed("s", Unbounded())},
        {"n": NrrUse("names", "a")},
    ),
    "priced": Query(
        "SELECT a.v, r.p FROM a JOIN r ON a.k = r.k",
        {"a": Windowed("s", Range(6)), "r": Windowed("prices", PRICES)},
    ),
    "merged": Query("SELECT k, SUM(v) FROM w GROUP BY k", {"w": Windowed("s", Range(6))}),
    "valid": Query("SELECT k FROM e", {"e": Windowed("told", Unbounded())}),
}

ELEMENTS = ("kind", "vs", "ve", "old_ve")
CHANGELOGS = ("counts", "named", "priced", "merged")

LATE = {"ts": 0, "k": "a", "v": -1}
UNKNOWN = {"ts": 12, "k": "z", "p": 0, "op": "d"}
LETTERS = [("delete of an unknown key", UNKNOWN["ts"]), ("late", LATE["ts"])]
"""The dead letters of two epochs and more, in order: reason and instant."""


def rows(epoch: int) -> list[Values]:
    """What arrives in an epoch, from 1 on; the second has a row that is late besides."""
    return [
        {"ts": 5 * epoch + i, "k": "abc"[(epoch + i) % 3], "v": 10 * epoch + i} for i in range(5)
    ]


def copied(epoch: int) -> list[Values]:
    """What a copy brings in an epoch: the end of what came in the one before, and one row more."""
    before = rows(epoch - 1)[1:] if epoch > 1 else []
    return before + rows(epoch)[:1]


def prices(epoch: int) -> list[Values]:
    """How the relation changes in an epoch, its last change ahead of the epoch's rows: a price
    replaced at once and in the next epoch, one that goes, and one that comes back.
    """
    comes, goes, stays = ("abc"[(epoch + i) % 3] for i in range(3))
    changes = [(0, comes, "c"), (1, stays, "u" if epoch > 1 else "c"), (3, stays, "u")]
    changes += [(2, goes, "d")] if epoch > 1 else []
    changes += [(7, comes, "u")]
    return [
        {"ts": 5 * epoch + at, "k": key, "p": 100 * epoch + at, "op": done}
        for at, key, done in sorted(changes)
    ]


def elements(epoch: int) -> list[Values]:
    """What is told in an epoch: an event that the next one ends, one that is over soon, and the end
    of the one before; and that all of it is settled.
    """
    at = 5 * epoch
    told: list[tuple[str | None, str, int, int | None, int | None]] = [
        ("a", "insert", at, None, None),
        ("b", "insert", at + 1, at + 3, None),
        ("b", "adjust", at + 1, at + 4, at + 3),
    ]
    told += [("a", "adjust", at - 5, at + 2, None)] if epoch > 1 else []
    told += [(None, "stable", at + 4, None, None)]
    return [dict(zip(("k", *ELEMENTS), each, strict=True)) for each in told]


def names(version: str) -> list[Values]:
    return [{"k": key, "name": f"{key} {version}"} for key in "abc"]


@dataclass(frozen=True)
class World:
    """A folder with sources, the program and what it writes."""

    directory: Path
    epochs: int = 3

    @property
    def program(self) -> Path:
        return self.directory / "program.py"

    @property
    def storage(self) -> Storage:
        return Storage(str(self.directory / "checkpoint" / "reflow"))

    def prepare(self) -> None:
        for epoch in range(1, self.epochs + 1):
            self._arrive(epoch, "in", rows(epoch) + ([LATE] if epoch == 2 else []))
            self._arrive(epoch, "told", elements(epoch))
            self._arrive(epoch, "copy", copied(epoch))
            self._arrive(epoch, "prices", prices(epoch) + ([UNKNOWN] if epoch == 2 else []))
        self.rename("first")
        self.program.write_text(emitted(TEXT.replace("{dir}", str(self.directory))))

    def _arrive(self, epoch: int, source: str, listed: list[Values]) -> None:
        file = self.directory / source / f"{epoch:03d}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        _write(file, listed)
        os.utime(file, (1_700_000_000 + epoch, 1_700_000_000 + epoch))

    def rename(self, version: str) -> None:
        """Replace what the relation `names` holds."""
        folder = self.directory / "names"
        folder.mkdir(exist_ok=True)
        _write(folder / ".part", names(version))
        (folder / ".part").replace(folder / "names.json")

    def outputs(self) -> dict[str, Changes]:
        out = self.directory / "out"
        read = {name: read_changelog(out / name) for name in CHANGELOGS}
        read["valid"] = read_elements(out / "valid")
        return read | {"pairs": read_log(out / "pairs.log", ["int", "int"])}

    def log_text(self) -> str:
        return (self.directory / "out" / "pairs.log").read_text()

    def dead_letters(self) -> list[Mapping[str, Any]]:
        folder = self.directory / "checkpoint" / "reflow" / "dead_letters"
        table = ds.dataset(folder, format="parquet", partitioning="hive").to_table()
        found: list[Mapping[str, Any]] = table.to_pylist()
        return found


def history(epochs: int, renamed: Mapping[int, str] | None = None) -> History:
    """What arrives, for the oracle; `renamed`: from which epoch on there is which version."""
    made = History(
        {
            "s": StreamSchema("s", {"ts": "BIGINT", "k": "VARCHAR", "v": "BIGINT"}, "ts"),
            "prices": StreamSchema(
                "prices",
                {"ts": "BIGINT", "k": "VARCHAR", "p": "BIGINT", "op": "VARCHAR"},
                "ts",
                relation=True,
            ),
            "told": StreamSchema(
                "told",
                {"k": "VARCHAR", "kind": "VARCHAR"} | dict.fromkeys(ELEMENTS[1:], "BIGINT"),
                "vs",
                elements=ELEMENTS,
            ),
        },
        {"names": NrrSchema("names", {"k": "VARCHAR", "name": "VARCHAR"}, ("k",))},
    )
    for epoch, version in ({1: "first"} | dict(renamed or {})).items():
        made.replace(epoch, "names", names(version))
    for epoch in range(1, epochs + 1):
        made.arrive(epoch, "s", rows(epoch))
        made.arrive(epoch, "prices", prices(epoch))
        made.arrive(epoch, "told", elements(epoch))
    return made


def _write(file: Path, listed: list[Values]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in listed))
