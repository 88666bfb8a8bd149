"""Figures of an earlier run: read from its manifest, and kept with the plan that they made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reflow.cli import observed
from reflow.cli.failure import UsageError

from .call import call

TEXT = """
CREATE STREAM s (ts TIMESTAMP, k STRING, ORDER BY ts) FROM CSV 's/';
SELECT k, MAX(ts) AS n FROM s [RANGE 1 MINUTE] GROUP BY k INTO PARQUET 'out';
"""


def bucket(rows: int, first: int, last: int) -> dict[str, object]:
    return {"rows": rows, "low": {"_vs": first}, "high": {"_vs": last}}


def checkpoint(folder: Path, *buckets: dict[str, object], epoch: int = 1) -> str:
    epochs = folder / "reflow" / "epochs"
    epochs.mkdir(parents=True, exist_ok=True)
    archive = {"s": {"schema": "", "files": list(buckets)}}
    (epochs / f"{epoch:08d}.json").write_text(json.dumps({"archive": archive}), "utf-8")
    (epochs / f"{epoch + 1:08d}.intent.json").write_text("{}", "utf-8")
    return str(folder)


def test_all_buckets_of_the_newest_manifest_count(tmp_path: Path) -> None:
    checkpoint(tmp_path, bucket(5, 1, 2), epoch=9)
    found = checkpoint(tmp_path, bucket(600, 30, 70), bucket(0, 1, 1), bucket(7, 20, 80), epoch=10)
    assert observed.of_archives(found) == {"s": {"rows": 607, "first": 20, "last": 80}}


def test_a_stream_without_an_archive_tells_nothing(tmp_path: Path) -> None:
    assert observed.of_archives(checkpoint(tmp_path)) == {}


def test_a_folder_without_a_run_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no epoch"):
        observed.of_archives(str(tmp_path / "none"))


def test_a_run_goes_on_with_the_figures_that_it_began_with(tmp_path: Path) -> None:
    found = checkpoint(tmp_path, bucket(600, 0, 60))
    seen = {"s": {"rows": 600, "first": 0, "last": 60}}
    # The plan of the running program knew nothing.
    assert observed.for_run(found, rebuild=False) == {}
    assert observed.for_run(found, rebuild=True) == seen
    checkpoint(tmp_path, bucket(9, 0, 1), epoch=3)
    assert observed.for_run(found, rebuild=False) == seen
    assert observed.for_run(found, rebuild=True) == {"s": {"rows": 9, "first": 0, "last": 1}}


def test_a_new_checkpoint_has_no_figures(tmp_path: Path) -> None:
    for rebuild in (False, True):
        assert observed.for_run(str(tmp_path / "new"), rebuild) == {}


def test_explain_and_compile_take_the_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "q.cql"
    file.write_text(TEXT, "utf-8")
    found = checkpoint(tmp_path / "state", bucket(600, 0, 60_000_000))
    result = call(capsys, "explain", str(file), "--checkpoint", found)
    assert "s: rate 10 (archive)" in result.out
    assert "s: rate 100 (default)" in call(capsys, "explain", str(file)).out
    result = call(capsys, "compile", str(file), "-o", "-", "--checkpoint", found)
    assert (result.status, result.err) == (0, "")
    assert call(capsys, "explain", str(file), "--checkpoint", str(tmp_path / "no")).status == 2
