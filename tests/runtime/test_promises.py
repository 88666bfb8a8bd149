"""Inputs of merges that break what they have declared: the run ends, or the merge goes over to an
algorithm that needs less.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reflow.runtime.epoch.promises import BrokenPromise
from reflow.runtime.ledger.progress import Progress

from ..harness.engine import Run
from .test_merged import LOG, lines

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

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
    head = run.head.epoch
    promise = order.rpartition(", ")[2]
    with pytest.raises(
        BrokenPromise, match=rf"RF4001: merge `m`: `[ab]` has promised {re.escape(promise)}"
    ):
        run.epoch({"a": given(*left[1 if split else 0 :]), "b": given(*right)})
    assert run.head.epoch == head


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
