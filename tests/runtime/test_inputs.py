"""What a run sees of the inputs of merges, without Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from reflow.runtime.connect.declarations import Merge
from reflow.runtime.epoch.attaching import names, sections
from reflow.runtime.run.inputs import uncommitted

MERGES = [
    Merge("i", {"m.i.i.a": ["a"], "m.i.i.b": ["b"]}, section="m.i"),
    Merge("m", {"m.i": ["i"], "m.c": ["c"]}),
]


def test_inputs_are_called_as_the_merge_names_them() -> None:
    assert names(MERGES) == ["a", "b", "i", "c"]
    assert sections(MERGES, "a") == ["m.i.i.a"]
    assert sections(MERGES, "i") == ["m.i"]
    assert sections(MERGES, "m") == []


@pytest.mark.parametrize(
    ("offsets", "commits", "expected"),
    [
        ([], [], False),
        (["0"], [], True),
        (["9", "10", ".10.crc"], ["9"], True),
        (["9", "10"], ["9", "10"], False),
    ],
)
def test_a_batch_that_was_begun_and_not_ended_is_seen(
    offsets: list[str], commits: list[str], expected: bool
) -> None:
    assert uncommitted(offsets, commits) is expected


def test_a_request_refused_or_taken_is_not_asked_again(tmp_path: Path) -> None:
    from reflow.runtime.ledger import requests
    from reflow.runtime.ledger.storage import Storage

    storage = Storage(str(tmp_path))
    first, second = (requests.ask(storage, "detach", name) for name in "ab")
    requests.answer(storage, first, "no")
    requests.answer(storage, first)
    assert requests.answered(storage, first) == {"refused": "no", "already": False}
    assert requests.unanswered(storage) == [second]
    assert requests.ask(storage, "attach", "a").number == 3
