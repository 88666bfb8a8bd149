"""`reflow attach | detach` without a run: what is refused, and what they leave."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from reflow.runtime.ledger import requests
from reflow.runtime.ledger.lease import LOCK, lease
from reflow.runtime.ledger.storage import Storage

from .call import call

COPY = "CREATE STREAM {0} (t BIGINT, k STRING, ORDER BY t) FROM JSON '{0}';\n"
TEXT = COPY.format("a") + COPY.format("b") + COPY.format("c")
TEXT += "CREATE STREAM m MERGE OF a, b; CREATE QUERY q AS SELECT k FROM m INTO LOG 'q.log';"


@pytest.fixture
def given(tmp_path: Path) -> list[str]:
    """A file, and a checkpoint on which something was run."""
    (tmp_path / "q.cql").write_text(TEXT)
    (tmp_path / "cp" / "reflow" / "epochs").mkdir(parents=True)
    return [str(tmp_path / "q.cql"), "--checkpoint", str(tmp_path / "cp")]


def store(given: list[str]) -> Storage:
    return Storage(f"{given[-1]}/reflow")


def test_a_request_is_left(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for kind in ("detach", "attach"):
        assert call(capsys, kind, "b", *given, "--no-wait").status == 2
        found = call(capsys, kind, given[0], "b", *given[1:], "--no-wait")
        assert (found.status, found.out) == (0, f"asked to {kind} b\n")
    left = [(each.number, each.kind, each.stream) for each in requests.unanswered(store(given))]
    assert left == [(1, "detach", "b"), (2, "attach", "b")]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ((None, False), (0, "b is attached\n", "")),
        ((None, True), (0, "b is attached already\n", "")),
        (("m.b is last",), (1, "", "reflow: m.b is last\n")),
    ],
)
def test_the_command_tells_what_the_run_answers(
    given: list[str],
    capsys: pytest.CaptureFixture[str],
    answer: tuple[Any, ...],
    expected: tuple[int, str, str],
) -> None:
    asked = requests.Request(1, "attach", "b")
    with lease(Storage(given[-1])):
        answering = threading.Thread(target=requests.answer, args=(store(given), asked, *answer))
        answering.start()
        found = call(capsys, "attach", given[0], "b", *given[1:])
        answering.join()
    assert (found.status, found.out, found.err) == expected
    assert requests.unanswered(store(given)) == []


@pytest.mark.parametrize("lock", [False, True])
def test_who_waits_for_a_run_that_is_not_there_is_told(
    given: list[str], capsys: pytest.CaptureFixture[str], lock: bool
) -> None:
    if lock:
        (Path(given[-1]) / LOCK).touch()
    found = call(capsys, "detach", given[0], "b", *given[1:])
    assert found.status == 1
    assert "no run is at work on " in found.err
    assert "the next one will detach b when it starts" in found.err
    assert [each.stream for each in requests.unanswered(store(given))] == ["b"]


def test_a_new_copy_names_an_instant_of_the_program(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    attach = ["attach", given[0], "b", *given[1:], "--no-wait", "--from"]
    found = call(capsys, *attach, "noon")
    assert (found.status, found.err) == (
        2,
        "reflow: --from: 'noon' is not a whole number of ticks\n",
    )
    assert call(capsys, *attach, "12").status == 0
    assert [each.since for each in requests.unanswered(store(given))] == ["12"]
    assert call(capsys, "detach", *attach[1:], "12").status == 2


def test_only_inputs_of_merges_come_and_go(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = call(capsys, "detach", given[0], "c", *given[1:], "--no-wait")
    assert (found.status, found.err) == (
        2,
        "reflow: c is no input of a merge: there are a, b\n",
    )
    assert requests.unanswered(store(given)) == []


def test_a_checkpoint_must_be_there(
    given: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    found = call(capsys, "detach", given[0], "a", "--checkpoint", str(tmp_path / "no"))
    assert found.status == 2 and "is no checkpoint of a run" in found.err
    assert not (tmp_path / "no").exists()
