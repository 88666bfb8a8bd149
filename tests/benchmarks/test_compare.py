"""A comparison that sees nothing is worth nothing: equal and unequal outputs of each workload."""

from __future__ import annotations

import pyarrow as pa
import pytest

from benchmarks.peers import WORKLOADS
from benchmarks.support.compare import MINUTE, changes, difference, each_minute, net

PIECES = pa.table(
    {
        "src": pa.array([1, 1, 2], pa.int32()),
        "average": [1.5, 2.0, 3.0],
        "n": [1, 2, 3],
        "vs": [MINUTE, 3 * MINUTE, 2 * MINUTE],
        "ve": pa.array([3 * MINUTE, 4 * MINUTE, None], pa.int64()),
        "w": [1, 1, 1],
    }
)
ENDS = pa.table(
    {
        "src": pa.array([1, 1, 1, 2, 2], pa.int32()),
        "average": [1.5, 1.5, 2.0, 3.0, 3.0],
        "n": [1, 1, 2, 3, 3],
        "at": [MINUTE, 2 * MINUTE, 3 * MINUTE, 2 * MINUTE, 3 * MINUTE],
    }
)


def same(name: str, ours: pa.Table, theirs: pa.Table) -> str:
    """The verdict of one workload."""
    return next(workload for workload in WORKLOADS if workload.name == name).same(ours, theirs)


def test_texts_are_compared_as_texts() -> None:
    one, other = pa.table({"symbol": ["a", "b"]}), pa.table({"symbol": ["b", "a"]})
    assert difference(one, other) == ""
    wrong = pa.table({"symbol": ["a", "c"]})
    assert difference(one, wrong) == "column symbol differs in 1 rows"


def test_windows() -> None:
    assert same("panes", PIECES, ENDS) == ""
    assert same("panes", PIECES, ENDS.slice(1)) != ""
    wrong = ENDS.set_column(1, "average", pa.array([1.5, 1.5, 2.0, 3.0, 3.1]))
    assert same("panes", PIECES, wrong) == "column average differs in 1 rows"


def test_an_adjusted_row_counts_once() -> None:
    open_row = {"src": 1, "vs": 5, "ve": None}
    closed = {"src": 1, "vs": 5, "ve": 9}
    log = [{**open_row, "w": 1}, {**open_row, "w": -1}, {**closed, "w": 1}]
    assert net(pa.Table.from_pylist(log), ["src", "vs", "ve"]).to_pylist() == [closed]
    assert net(pa.Table.from_pylist(log), ["src"]).to_pylist() == [{"src": 1}]


def test_pieces_that_begin_between_minutes() -> None:
    pieces = pa.table({"src": [1], "vs": [MINUTE + 1], "ve": [3 * MINUTE + 1]})
    assert each_minute(pieces, 9 * MINUTE)["at"].to_pylist() == [2 * MINUTE, 3 * MINUTE]


def test_multiplicities_are_compared() -> None:
    rows = pa.table({"ts": [1, 2], "src": [1, 1], "nbytes": [5, 5]})
    twice = rows.append_column("w", pa.array([1, 2]))
    assert same("scan", rows, rows) == ""
    assert same("scan", twice, rows) == "3 rows against 2"


@pytest.mark.parametrize("late", [0, 1])
def test_rows_a_watermark_holds_back_are_left_out(late: int) -> None:
    ours = pa.table({"ts": [1, 2, 3], "src": [1, 1, 1], "average": [1.0, 2.0, 3.0]})
    theirs = ours.slice(late, 2 - late)
    assert (same("recent", ours, theirs) == "") == (late == 0)


def test_changes_are_the_same_however_a_changelog_tells_them() -> None:
    announced = pa.table({"k": [1, 1, 2], "vs": [1, 5, 2], "ve": [5, 9, 30], "w": [1, 1, 1]})
    points = pa.table(
        {
            "k": [1, 2, 1, 1],
            "vs": [1, 2, 9, 3],
            "ve": pa.array([None, None, None, None], pa.int64()),
            "w": [1, 1, -1, 0],
        }
    )
    expected = pa.table({"k": [1, 1, 2], "at": [1, 9, 2], "w": [1, -1, 1]})
    for changelog in (announced, points):
        assert difference(changes(changelog, 20), expected) == ""


def test_changes_after_the_last_instant_are_left_out_and_others_are_not() -> None:
    changelog = pa.table({"k": [1], "vs": [1], "ve": [5], "w": [2]})
    assert changes(changelog, 4).to_pydict() == {"k": [1], "at": [1], "w": [2]}
    assert changes(changelog, 5).num_rows == 2


def test_a_row_that_stays_is_no_change_whichever_epoch_says_so() -> None:
    prolonged = {"k": [1, 1], "vs": [1, 5], "ve": [5, 9], "w": [1, 1], "epoch": [1, 2]}
    at_once = {"k": [1], "vs": [1], "ve": [9], "w": [1], "epoch": [2]}
    sides = [changes(pa.table(each), 20) for each in (prolonged, at_once)]
    assert difference(*sides) == ""
    assert sides[0].num_rows == 2
