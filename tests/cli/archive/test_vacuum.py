"""`reflow archive vacuum`: what can go, and what must stay."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from reflow.runtime.archive import compaction
from reflow.runtime.ledger import lease as leasing
from reflow.runtime.ledger.lease import lease
from reflow.runtime.ledger.storage import Storage

from .checkpoints import (
    TEXT,
    Archive,
    Made,
    bucket_files,
    head,
    manifests,
)


@pytest.mark.parametrize("kept", [0, 3])
def test_nothing_goes_where_manifests_are_lost(whole: Path, archive: Archive, kept: int) -> None:
    """What no manifest names is then all that there is."""
    for newer in manifests(whole)[kept:]:
        newer.unlink()
    before = bucket_files(whole)
    for how in ((), ("--dry-run",), ("--stopped",)):
        result = archive("vacuum", whole, *how)
        assert result.status == 1 and "manifests are lost" in result.err
    assert archive("verify", whole).status == 1 and bucket_files(whole) == before


def test_what_an_epoch_that_died_has_left(killed: Path, made: Made, archive: Archive) -> None:
    """No fault: it will be begun anew. Until then its files can go, and nothing else does."""
    begun = head(killed)["epoch"] + 1
    result = archive("verify", killed)
    assert result.status == 0 and "reflow archive vacuum" in result.out
    listed = json.loads(archive("vacuum", killed, "--dry-run", "--format", "json").out)
    names = [each["file"] for each in listed["files"]]
    assert any(name.startswith(f"landing/{begun:08d}") for name in names)
    before = bucket_files(killed)
    assert set(names) <= before
    freed = json.loads(archive("vacuum", killed, "--format", "json").out)
    assert {**freed, "dry_run": True} == listed and freed["bytes"] > 0
    assert bucket_files(killed) == before - set(names)
    assert not (killed / "reflow" / f"landing/{begun:08d}").exists()
    assert archive("vacuum", killed).out == "nothing to free\n"
    again = json.loads(archive("verify", killed, "--format", "json").out)
    assert again["faults"] == again["orphans"] == []


def test_a_run_goes_on_from_what_vacuum_leaves(
    made: Made, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = made.place
    checkpoint = place.path("vacuumed")
    shutil.copytree(made.killed, checkpoint)
    assert archive("vacuum", checkpoint).status == 0
    monkeypatch.setattr(compaction, "MERGE_AFTER", 3)
    place.run(TEXT, checkpoint="vacuumed")
    assert archive("verify", checkpoint).status == 0
    rows = place.rows("c", "parquet", "a", "n", "vs", "ve", "w")
    at_91 = {}
    for a, n, vs, ve, w in rows:
        if vs <= 91 and (ve is None or ve > 91):
            at_91[a, n] = at_91.get((a, n), 0) + w
    # [RANGE 50] at 91: rows of 50, 51 and 90.
    assert {row: times for row, times in at_91.items() if times} == {(1, 3): 1}


def test_what_vacuum_frees_is_said(killed: Path, archive: Archive) -> None:
    text = archive("vacuum", killed, "--dry-run").out
    assert text.splitlines()[-1].endswith("would be freed")
    done = archive("vacuum", killed).out
    assert done.splitlines()[-1].endswith(") freed") and "landing/" in done


def test_versions_that_an_epoch_has_pinned_stay(killed: Path, archive: Archive) -> None:
    """The repeated epoch reads the version that its intent names, and does not take it again."""
    folder = killed / "reflow" / "nrr" / "names"
    intent = killed / "reflow" / "epochs" / f"{head(killed)['epoch'] + 1:08d}.intent.json"
    page = json.loads(intent.read_text())
    for version in ("pinned", "forgotten"):
        shutil.copytree(folder / page["nrrs"]["names"], folder / version)
    intent.write_text(json.dumps({**page, "nrrs": {"names": "pinned"}}))
    archive("vacuum", killed)
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        ["pinned", head(killed)["nrrs"]["names"]]
    )


def test_nothing_goes_while_a_run_is_at_work(killed: Path, archive: Archive) -> None:
    before = bucket_files(killed)
    with lease(Storage(str(killed))):
        result = archive("vacuum", killed)
        assert result.status == 1 and "another process is at work" in result.err
        assert archive("verify", killed).status == 0
    assert bucket_files(killed) == before


def test_where_nobody_can_tell_the_user_says_so(
    killed: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on an object store, which has no locks."""
    monkeypatch.setattr(leasing, "fcntl", None)
    before = bucket_files(killed)
    result = archive("vacuum", killed)
    assert result.status == 2 and "--stopped" in result.err and bucket_files(killed) == before
    assert archive("vacuum", killed, "--dry-run").status == 0
    assert archive("vacuum", killed, "--stopped").status == 0
    assert bucket_files(killed) < before
