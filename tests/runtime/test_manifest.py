"""Manifests and intents: the chain of committed epochs, and what a repeated epoch finds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from reflow.runtime.ledger.clock import Clock
from reflow.runtime.ledger.files import DataFile
from reflow.runtime.ledger.manifest import Intent, Ledger, Manifest, StateFiles
from reflow.runtime.ledger.storage import Storage

BATCH = {"kind": "batch", "query_id": "q", "batch_id": 0}


@pytest.fixture
def storage(tmp_path: Path) -> Storage:
    return Storage(str(tmp_path))


def intent(epoch: int, stamp: int = 1) -> Intent:
    return Intent(epoch, BATCH, {"planes": "v1"}, ("slow",), stamp)


def full_manifest(epoch: int) -> Manifest:
    file = DataFile("state/g1/00000001/p.parquet", 3, 99, epoch, {"_vs": 1}, {"_vs": 2**62})
    return Manifest(
        epoch=epoch,
        parent=epoch - 1,
        source=BATCH,
        fingerprint="f",
        clock=Clock().advance({"a": (1, 9)}, frozenset(), {"a": 2}),
        archive={"a": StateFiles("", (file,))},
        state={"g1": StateFiles('{"type":"struct"}', (file, file))},
        nrrs={"planes": "v1"},
        sinks={"q": {"bytes": 17}},
        batches={"q": 4},
        rows=12,
        dead_letters=1,
        last_rows={"": 5, "a": 6},
    )


def test_a_new_checkpoint_has_a_head_before_the_first_epoch(storage: Storage) -> None:
    head = Ledger(storage, "f").head
    assert (head.epoch, head.parent, head.fingerprint) == (0, None, "f")
    assert not head.has_batch("q", 0)


def test_a_restart_finds_the_newest_manifest_as_it_was(storage: Storage) -> None:
    ledger = Ledger(storage, "f")
    ledger.commit(full_manifest(1))
    ledger.commit(full_manifest(2))
    assert Ledger(storage, "f").head == full_manifest(2)


def test_the_tenth_epoch_is_newer_than_the_ninth(storage: Storage) -> None:
    ledger = Ledger(storage, "f")
    for epoch in range(1, 12):
        ledger.commit(full_manifest(epoch))
    assert Ledger(storage, "f").head.epoch == 11


def test_the_checkpoint_tells_whose_it_is(storage: Storage) -> None:
    Ledger(storage, "f").commit(full_manifest(1))
    assert Ledger(storage, "another").head.fingerprint == "f"


def test_an_epoch_is_committed_once(storage: Storage) -> None:
    first, second = Ledger(storage, "f"), Ledger(storage, "f")
    first.commit(full_manifest(1))
    with pytest.raises(FileExistsError):
        second.commit(replace(full_manifest(1), rows=99))
    assert second.head.epoch == 0
    assert Ledger(storage, "f").head.rows == 12


def test_a_repeated_epoch_learns_what_the_first_attempt_had_decided(storage: Storage) -> None:
    assert Ledger(storage, "f").intend(intent(1, stamp=1)) == intent(1, stamp=1)
    again = Ledger(storage, "f")
    assert again.pending_intent() == intent(1, stamp=1)
    assert again.intend(intent(1, stamp=2)) == intent(1, stamp=1)


def test_an_intent_is_no_commit_and_ends_with_one(storage: Storage) -> None:
    ledger = Ledger(storage, "f")
    ledger.intend(intent(1))
    assert Ledger(storage, "f").head.epoch == 0
    ledger.commit(full_manifest(1))
    assert ledger.pending_intent() is None


def test_a_withdrawn_intent_makes_room_for_another(storage: Storage) -> None:
    ledger = Ledger(storage, "f")
    ledger.intend(intent(1, stamp=1))
    ledger.withdraw_intent()
    assert ledger.pending_intent() is None
    assert ledger.intend(intent(1, stamp=2)).stamp == 2


def test_a_batch_is_known_if_it_or_a_later_one_of_its_query_was_committed() -> None:
    manifest = full_manifest(3)
    assert manifest.has_batch("q", 4)
    assert manifest.has_batch("q", 0)
    assert not manifest.has_batch("q", 5)
    assert not manifest.has_batch("other", 0)


def test_rows_of_state_are_the_sum_over_its_files() -> None:
    assert full_manifest(1).state["g1"].rows == 6


def test_an_old_epoch_is_forgotten_and_the_head_stays(storage: Storage) -> None:
    ledger = Ledger(storage, "f")
    for epoch in (1, 2):
        ledger.intend(intent(epoch))
        ledger.commit(full_manifest(epoch))
    ledger.forget(1)
    assert storage.names("epochs") == ["00000002.intent.json", "00000002.json"]
    assert Ledger(storage, "f").head == full_manifest(2)
