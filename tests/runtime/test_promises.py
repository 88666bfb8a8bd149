"""Inputs of merges that break what they have declared: the run ends, or the merge goes over to an
algorithm that needs less.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from reflow.runtime.connect.declarations import Merge
from reflow.runtime.epoch import engine
from reflow.runtime.epoch.promises import BrokenPromise, broken, checked, measured
from reflow.runtime.ledger.progress import Progress

from ..harness.engine import Run
from .running import Place, load
from .test_merged import LOG, lines

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BOTH = (
    "CREATE STREAM a (t BIGINT, k STRING, {0}) FROM JSON 'a';"
    "CREATE STREAM b (t BIGINT, k STRING, {0}) FROM JSON 'b';"
    "CREATE STREAM m MERGE OF a, b; CREATE QUERY q AS SELECT k FROM m {1}"
)
DEGRADE = "SET on_property_violation = 'degrade';"
PROMISES = {
    "R0": ("ORDER BY t STRICT", [(9, "y"), (9, "z")], [(9, "z"), (9, "y")]),
    "R1": ("ORDER BY t, TIES IN ORDER", [(9, "y"), (9, "z")], [(9, "z"), (9, "y")]),
    "R2": ("ORDER BY t, DISTINCT ROWS", [(9, "y"), (9, "y")], [(9, "y"), (9, "y")]),
    "R3": ("ORDER BY t WITHIN 5, DISTINCT ROWS", [(9, "y"), (9, "y")], [(9, "y"), (9, "y")]),
}


def given(*pairs: tuple[int, str]) -> list[dict[str, object]]:
    return [{"t": t, "k": k} for t, k in pairs]


@pytest.mark.parametrize("variant", PROMISES)
@pytest.mark.parametrize("split", [False, True], ids=["within an epoch", "over epochs"])
def test_a_broken_promise_ends_the_run_before_the_epoch_is_committed(
    spark: SparkSession, tmp_path: Path, variant: str, split: bool
) -> None:
    order, left, right = PROMISES[variant]
    run = Run(spark, BOTH.format(order, LOG), tmp_path)
    run.epoch({"a": given((5, "x"), *(left[:1] if split else [])), "b": given((5, "x"))})
    head, shown = run.head.epoch, lines(run)
    promise = order.rpartition(", ")[2]
    with pytest.raises(
        BrokenPromise, match=rf"RF4001: merge `m`: `[ab]` has promised {re.escape(promise)}"
    ):
        run.epoch({"a": given(*left[1 if split else 0 :]), "b": given(*right)})
    assert (run.head.epoch, lines(run)) == (head, shown)


def test_a_run_that_meets_a_broken_promise_fails_and_shows_nothing_of_the_epoch(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Place(tmp_path)
    for name in "ab":
        place.put(f"{name}/1", *['{"t": 9, "k": "shown"}'] * 2)
    text = BOTH.format("ORDER BY t STRICT", "").replace("JSON '", f"JSON '{tmp_path}/")
    with pytest.raises(SystemExit) as ended:
        load(text).main(["--checkpoint", str(tmp_path / "state"), "--drain", "--quiet"])
    told = capsys.readouterr()
    assert ended.value.code == 1
    assert "RF4001: merge `m`: `a` has promised ORDER BY t STRICT and breaks it: 1 row" in told.err
    assert "Traceback" not in told.err and "shown" not in told.out


def test_a_merge_that_goes_over_shows_an_epoch_once(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Run(spark, DEGRADE + BOTH.format("ORDER BY t STRICT", "INTO CONSOLE"), tmp_path)
    run.epoch({"a": given((9, "shown"), (9, "too")), "b": given((9, "shown"))})
    told = capsys.readouterr()
    assert "merged by R2 duplicates" in told.err
    assert (told.out.count("shown"), told.out.count("too")) == (1, 1)


@pytest.mark.parametrize("variant", ["R1", "R3"])
def test_a_run_that_dies_between_both_attempts_goes_over_when_it_starts_again(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variant: str
) -> None:
    order, left, right = PROMISES[variant]
    run = Run(spark, DEGRADE + BOTH.format(order, LOG), tmp_path)
    run.epoch({"a": given((5, "x")), "b": given((5, "x"))})
    breaks = {"a": given(*left), "b": given(*right)}
    with monkeypatch.context() as dying:
        # The last step of the first attempt.
        dying.setattr(engine, "_let_go", _die)
        with pytest.raises(KeyboardInterrupt):
            run.epoch(breaks)
    assert run.head.epoch == 1
    run.restart()
    run.epoch(breaks)
    run.epoch({"a": given((20, "v")), "b": given((20, "v"))})
    wanted = [(5, "x"), *sorted(left), (20, "v")]
    assert sorted(lines(run)) == sorted(f"[{t}]:+:{k}" for t, k in wanted)
    assert run.head.merges["m"]["degraded"]["epoch"] == 2


def _die(context: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("variant", ["R0", "R3"])
@pytest.mark.parametrize("partitions", [1, 2])
def test_epochs_of_which_nothing_reaches_the_merge_are_told_of(
    spark: SparkSession, tmp_path: Path, variant: str, partitions: int
) -> None:
    """All rows are left out below the merge, by a filter that only Spark evaluates; then there are
    none; then there are some.
    """
    told: list[Progress] = []
    streams = BOTH.format(PROMISES[variant][0], LOG).replace("MERGE OF a", "MERGE OF odd")
    view = "CREATE VIEW odd AS SELECT * FROM a WHERE length(k) = 2; CREATE STREAM m"
    run = Run(spark, streams.replace("CREATE STREAM m", view), tmp_path)
    run._engine._report = told.append
    run.epoch({"a": given((5, "x"), (6, "y"))}, partitions)
    run.epoch({}, partitions)
    run.epoch({"a": given((7, "zz"), (8, "z"))}, partitions)
    assert [each.merges["m"]["put"] for each in told if each.merges] == [0, 0, 1]


def test_only_rows_that_were_written_are_asked() -> None:
    """An observation of a frame that nobody writes answers never."""
    merge = Merge("m", {}, promised={"m.a": "ORDER BY t STRICT"})
    context: Any = SimpleNamespace(
        watched={"m": _Unwritten()},
        standing={"m": {"state": "l1", "variant": "R0"}},
        state=SimpleNamespace(written=set()),
    )
    assert measured(context, "m") == {}
    assert broken(context, (merge,)) == []
    assert checked(context, (merge,)) == {"l1"}
    context.state.written.add("l1")
    with pytest.raises(TimeoutError):
        broken(context, (merge,))


class _Unwritten:
    @property
    def get(self) -> dict[str, int]:
        raise TimeoutError


@pytest.mark.parametrize("variant", PROMISES)
@pytest.mark.parametrize("split", [False, True], ids=["within an epoch", "over epochs"])
def test_a_merge_goes_over_to_a_safe_algorithm_and_loses_nothing(
    spark: SparkSession,
    tmp_path: Path,
    variant: str,
    split: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With restarts before and behind the switch; the warning comes once."""
    order, left, right = PROMISES[variant]
    run = Run(spark, DEGRADE + BOTH.format(order, LOG), tmp_path)
    run.epoch({"a": given((5, "x"), *(left[:1] if split else [])), "b": given((5, "x"))})
    run.restart()
    run.epoch({"a": given(*left[1 if split else 0 :]), "b": given(right[0])})
    run.restart()
    run.epoch({"a": given((20, "v")), "b": given(right[1], (20, "v"), (20, "w"))})
    run.epoch({"a": given((20, "w"), (20, "v"))})
    wanted = [(5, "x"), *sorted(left), (20, "v"), (20, "v"), (20, "w")]
    assert sorted(lines(run)) == sorted(f"[{t}]:+:{k}" for t, k in wanted)
    assert capsys.readouterr().err.count("warning: RF4001") == 1
    standing = run.head.merges["m"]
    assert standing["variant"] == {"R3": "R4"}.get(variant, "R2 duplicates")
    assert standing["degraded"]["epoch"] in (2, 3)


def test_progress_tells_what_a_merge_does(spark: SparkSession, tmp_path: Path) -> None:
    """Three elements make two; what starts last is kept of `a` and of the output."""
    told: list[Progress] = []
    run = Run(spark, BOTH.format("ORDER BY t STRICT", LOG), tmp_path)
    run._engine._report = told.append
    run.epoch({"a": given((5, "x"), (9, "y")), "b": given((5, "x"))})
    assert told[-1].merges == {
        "m": {
            "variant": "R0",
            "inputs": {"a": {"stable": 9}, "b": {"stable": 5}},
            "stable": 9,
            **{"leader": "a", "away": {}, "conflicts": None},
            **{"w": 2, "d": None, "g": 1, "h": None},
            **{"c": 1.5, "came": 3, "put": 2, "adjusts": 0},
        }
    }
