"""A run killed at any step of the epoch protocol ends, after its restart, like one that was not."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..oracle.evaluate import Evaluator
from ..oracle.multiplicity import difference
from .driver import run
from .scenario import LATE, QUERIES, World, history

pytestmark = [pytest.mark.spark, pytest.mark.slow]

STEPS = ("pinned", "intended", "landed", "buried", "sink", "state", "committed")
# Each step is struck once, in a world that stays or in one whose relation changes after it.
UNCHANGED_WORLD = ("pinned", "sink", "state")
CHANGED_WORLD = tuple(step for step in STEPS if step not in UNCHANGED_WORLD)
SMALL_BUCKETS = 6  # enough epochs that buckets are merged, and read again
NEVER = 1_000_000


def world(directory: Path, epochs: int = 3) -> World:
    made = World(directory, epochs)
    made.prepare()
    return made


def assert_answers(made: World, renamed: dict[int, str] | None = None) -> None:
    """Every sink says what the oracle says, and the late row is in the dead letters once."""
    oracle = Evaluator(history(made.epochs, renamed))
    for name, found in made.outputs().items():
        fault = difference(oracle.changes(QUERIES[name]), found)
        assert not fault, f"{name}: {fault}"
    assert [(letter["reason"], letter["vs"]) for letter in made.dead_letters()] == [
        ("late", LATE["ts"])
    ]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> World:
    made = world(tmp_path_factory.mktemp("undisturbed"))
    ended = run(made.program, made.directory)
    assert ended.status == 0, ended.output
    return made


def test_the_list_of_steps_is_whole() -> None:
    from reflow.runtime.epoch.protocol import STEPS as known

    assert {*STEPS, "merged"} == set(known)
    assert {*UNCHANGED_WORLD, *CHANGED_WORLD} == set(STEPS)


def test_an_undisturbed_run_answers_as_the_oracle(undisturbed: World) -> None:
    assert_answers(undisturbed)


@pytest.mark.parametrize("step", UNCHANGED_WORLD)
def test_a_killed_run_resumes(undisturbed: World, tmp_path: Path, step: str) -> None:
    made = world(tmp_path)
    ended = run(made.program, made.directory, kill_at=(step, 2))
    assert ended.killed, ended.output
    ended = run(made.program, made.directory)
    assert ended.status == 0, ended.output
    assert made.outputs() == undisturbed.outputs()
    assert made.log_text() == undisturbed.log_text()
    assert_answers(made)


@pytest.mark.parametrize("step", CHANGED_WORLD)
def test_a_relation_that_changes_after_the_crash_changes_nothing_of_the_epoch(
    tmp_path: Path, step: str
) -> None:
    made = world(tmp_path)
    ended = run(made.program, made.directory, kill_at=(step, 2))
    assert ended.killed, ended.output
    made.rename("second")
    ended = run(made.program, made.directory)
    assert ended.status == 0, ended.output
    assert_answers(made, {3: "second"})


def test_a_run_killed_while_buckets_are_merged_resumes(tmp_path: Path) -> None:
    made = world(tmp_path, SMALL_BUCKETS)
    ended = run(made.program, made.directory, kill_at=("merged", 2))
    assert ended.killed, ended.output
    ended = run(made.program, made.directory, kill_at=("merged", NEVER))
    assert ended.status == 0, ended.output
    assert_answers(made)
