"""A run that is killed while rows are corrected, by replaying slices of the archive, ends, after
its restart, like one that was not.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow.dataset as ds
import pytest

from reflow.runtime.archive import compaction
from reflow.runtime.archive.verify import verify
from reflow.runtime.ledger.manifest import committed, read_manifest
from reflow.runtime.ledger.storage import Storage

from ..harness.dying import dying
from ..harness.engine import emitted
from ..harness.read import read_changelog, read_log
from ..oracle.evaluate import Evaluator
from ..oracle.history import StreamSchema
from ..oracle.multiplicity import difference
from ..oracle.query import Query, Windowed
from ..oracle.revisions import Correctable, Corrected
from ..oracle.windows import Range
from .driver import finish, run
from .killer import SOON

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

TEXT: Final = """
CREATE STREAM s (t BIGINT, id BIGINT, k STRING, v BIGINT, op STRING, KEY (id), ORDER BY t)
FROM JSON '{dir}/in' OPTIONS (maxFilesPerTrigger = '1')
REVISIONS BY op (INSERT 'c', REPLACE 'u', DELETE 'd') ARCHIVE KEEP 100;
CREATE QUERY sums AS SELECT k, SUM(v) AS total FROM s [RANGE 10] GROUP BY k
REVISE BY REPLAY MINIMAL INTO PARQUET '{dir}/out/sums' AS CHANGELOG;
CREATE QUERY pairs AS SELECT a.v AS x, b.v AS y FROM s [RANGE 6] AS a JOIN s [RANGE 4] AS b
ON a.k = b.k AND a.id < b.id INTO LOG '{dir}/out/pairs.log';
"""
QUERIES: Final = {
    "sums": Query("SELECT k, SUM(v) FROM w GROUP BY k", {"w": Windowed("s", Range(10))}),
    "pairs": Query(
        "SELECT a.v, b.v FROM a JOIN b ON a.k = b.k AND a.id < b.id",
        {"a": Windowed("s", Range(6)), "b": Windowed("s", Range(4))},
    ),
}
KILLED: Final = {"revised": 2, "recorded": 3, "folded": 4}
"""Steps that only such epochs have: at them a process is killed, each in an epoch of its own."""
DEAD: Final = {"landed": 5, "buried": 6, "sink": 7, "state": 8, "committed": 9}
"""The others, at which `test_kill` kills: here the run dies in the process of the tests."""
EPOCHS: Final = max(DEAD.values()) + 1


def rows(epoch: int) -> list[dict[str, Any]]:
    """What comes in an epoch: five rows, and from the second on corrections of earlier ones."""
    listed = [_row("c", 5 * epoch + i, 10 * epoch + i, epoch * i) for i in range(5)]
    if epoch == 1:
        return listed
    before = 10 * (epoch - 1)
    corrections = [
        _row("u", 5 * epoch - 5, before, 1_000 * epoch),
        _row("d", 5 * epoch - 4, before + 1, 0),
        _row("d", 5 * epoch, 9_999, 0),
        _row("c", 5 * epoch - 3, 10 * epoch + 9, 7),
        _row("u", 5 * epoch + 2, 10 * epoch + 2, -epoch),
    ]
    return [*listed, *corrections]


def _row(op: str, t: int, identity: int, value: int) -> dict[str, Any]:
    return {"t": t, "id": identity, "k": "ab"[identity % 2], "v": value, "op": op}


def test_a_run_killed_while_it_corrects_resumes(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = prepared(tmp_path)
    for strike in KILLED.items():
        ended = run(program, tmp_path, kill_at=strike)
        assert ended.killed, ended.output
    monkeypatch.setattr(compaction, "MERGE_AFTER", SOON)
    for strike in DEAD.items():
        with dying(monkeypatch, lambda *at, strike=strike: at == strike) as died:
            assert not finish(program, tmp_path)
        assert died
    assert finish(program, tmp_path)
    history = arrived()
    oracle = Evaluator(history)
    found = {
        "sums": read_changelog(tmp_path / "out" / "sums"),
        "pairs": read_log(tmp_path / "out" / "pairs.log", ["int", "int"]),
    }
    for name, changes in found.items():
        fault = difference(oracle.changes(QUERIES[name]), changes)
        assert not fault, f"{name}: {fault}"
    folder = tmp_path / "checkpoint" / "reflow" / "dead_letters"
    letters = ds.dataset(folder, format="parquet").to_table().column("reason").to_pylist()
    assert letters == ["delete of an unknown key"] * (EPOCHS - 1)
    table = tmp_path / "checkpoint" / "reflow" / "revisions"
    told = ds.dataset(table, format="parquet").to_table().column("change").to_pylist()
    each = EPOCHS - 1
    assert Counter(told) == {"replace": 2 * each, "delete": each, "insert": each}
    assert_folded(tmp_path / "checkpoint" / "reflow")


def assert_folded(checkpoint: Path) -> None:
    """The index of buckets is right, and no bucket needs a revision any more."""
    storage = Storage(str(checkpoint))
    assert not verify(storage).faults
    *_, before, last = (read_manifest(storage, epoch).archive["s"] for epoch in committed(storage))
    assert any(file.revised for file in before.files)
    assert not any(file.revised for file in last.files)


def prepared(directory: Path) -> Path:
    """The program, and its source: a file an epoch."""
    source = directory / "in"
    source.mkdir()
    for epoch in range(1, EPOCHS + 1):
        file = source / f"{epoch:03d}.json"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows(epoch)))
        os.utime(file, (1_700_000_000 + epoch, 1_700_000_000 + epoch))
    program = directory / "program.py"
    program.write_text(emitted(TEXT.replace("{dir}", str(directory))))
    return program


def arrived() -> Corrected:
    """What came, for the oracle."""
    columns = {"t": "BIGINT", "id": "BIGINT", "k": "VARCHAR", "v": "BIGINT", "op": "VARCHAR"}
    history = Corrected(
        {"s": StreamSchema("s", columns, "t")},
        correctable={"s": Correctable("id", "op", 0, 100)},
        read=frozenset({"s"}),
    )
    for epoch in range(1, EPOCHS + 1):
        history.arrive(epoch, "s", rows(epoch))
    return history


def test_the_oracle_knows_of_every_correction() -> None:
    history = arrived()
    assert len(history.anomalies("s")) == EPOCHS - 1
    assert len(history.arrived("s")) == 5 * EPOCHS
    assert all(Evaluator(history).changes(query) for query in QUERIES.values())
