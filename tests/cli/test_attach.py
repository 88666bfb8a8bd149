"""`reflow attach | detach` without a run: what is refused, and what they leave."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from reflow.runtime.ledger import requests
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


@pytest.mark.parametrize("refused", [None, "m.b is attached"])
def test_the_command_tells_what_the_run_answers(
    given: list[str], capsys: pytest.CaptureFixture[str], refused: str | None
) -> None:
    asked = requests.Request(1, "attach", "b")
    answering = threading.Thread(target=requests.answer, args=(store(given), asked, refused))
    answering.start()
    found = call(capsys, "attach", given[0], "b", *given[1:])
    answering.join()
    assert found.status == (0 if refused is None else 1)
    assert (found.out, found.err) == (
        ("b is attached\n", "") if refused is None else ("", f"reflow: {refused}\n")
    )
    assert requests.unanswered(store(given)) == []


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
