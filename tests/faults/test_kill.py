"""A run killed at any step of the epoch protocol ends, after its restart, like one that was not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reflow.runtime.archive import compaction
from reflow.runtime.ledger import requests

from ..oracle.evaluate import Evaluator
from ..oracle.multiplicity import difference
from .driver import finish, run
from .killer import SOON
from .scenario import LETTERS, QUERIES, World, history

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

# One run is killed at several steps, each in an epoch of its own, and started again after each:
# in a world that stays, or in one whose relation changes after every crash.
UNCHANGED_WORLD = {"pinned": 2, "sink": 3, "state": 4, "merged": 5}
CHANGED_WORLD = {"buried": 2, "intended": 3, "landed": 4, "committed": 5}
READ_AGAIN = 1  # an epoch that reads merged buckets
# Asked for before the run that dies at the step: an input of the merge goes, in an epoch that dies
# while its state is written, and comes back.
ASKED = {"state": "detach", "merged": "attach"}


def world(directory: Path, epochs: int) -> World:
    made = World(directory, epochs)
    made.prepare()
    return made


def run_killed(made: World, step: str, epoch: int) -> None:
    """A run until it is killed at a step."""
    ended = run(made.program, made.directory, kill_at=(step, epoch))
    assert ended.killed, ended.output


def run_to_the_end(spark: SparkSession, made: World) -> None:
    """A run until all has been read, in the session of the tests, which knows nothing of it."""
    assert finish(made.program, made.directory)


def assert_answers(made: World, renamed: dict[int, str] | None = None) -> None:
    """Every sink says what the oracle says, and what cannot be done is in the dead letters once."""
    oracle = Evaluator(history(made.epochs, renamed))
    for name, found in made.outputs().items():
        fault = difference(oracle.changes(QUERIES[name]), found)
        assert not fault, f"{name}: {fault}"
    letters = [(letter["reason"], letter["vs"]) for letter in made.dead_letters()]
    assert sorted(letters) == LETTERS


def test_the_list_of_steps_is_whole() -> None:
    from reflow.runtime.epoch.protocol import STEPS

    assert {*UNCHANGED_WORLD, *CHANGED_WORLD, "revised", "folded", "recorded"} == set(STEPS)


def test_a_killed_run_resumes(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    epochs = max(UNCHANGED_WORLD.values()) + READ_AGAIN
    undisturbed, made = world(tmp_path / "undisturbed", epochs), world(tmp_path / "killed", epochs)
    requested = {}
    for step, epoch in UNCHANGED_WORLD.items():
        if step in ASKED:
            requested[step] = requests.ask(made.storage, ASKED[step], "copy")
        run_killed(made, step, epoch)
    with monkeypatch.context() as merging:
        merging.setattr(compaction, "MERGE_AFTER", SOON)
        run_to_the_end(spark, made)
    assert_answers(made)
    taken = {"refused": None, "already": False}
    assert [requests.answered(made.storage, each) for each in requested.values()] == [taken, taken]
    run_to_the_end(spark, undisturbed)
    assert_answers(undisturbed)
    assert made.outputs() == undisturbed.outputs()
    assert made.log_text() == undisturbed.log_text()


def test_a_relation_that_changes_after_a_crash_changes_nothing_of_the_epoch(
    spark: SparkSession, tmp_path: Path
) -> None:
    made = world(tmp_path, max(CHANGED_WORLD.values()) + 1)
    renamed = {}
    for step, epoch in CHANGED_WORLD.items():
        run_killed(made, step, epoch)
        renamed[epoch + 1] = f"after {step}"
        made.rename(renamed[epoch + 1])
    run_to_the_end(spark, made)
    assert_answers(made, renamed)
