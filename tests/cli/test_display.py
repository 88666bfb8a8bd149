"""What a run shows: lines for people, JSON for programs, nothing when quiet."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from reflow.cli.display import (
    Display,
    JsonDisplay,
    LineDisplay,
    epoch_line,
    make_display,
    summary_line,
)
from reflow.runtime.ledger.progress import Progress, Summary

EPOCH = Progress(
    epoch=7,
    batchId=3,
    kind="batch",
    numInputRows=28_000,
    inputRowsPerSecond=14_000.0,
    processedRowsPerSecond=56_000.4,
    now="2013-02-01T00:00:00",
    complete="2013-01-31T23:00:00",
    heldBackBy="weather",
    frozen="2013-01-31T23:00:00",
    stateRows=1_204,
    stateBytes=90_000,
    archiveRows=5_000,
    deadLetters=0,
    durationMs={"triggerExecution": 500},
)
TOTAL = Summary(
    epochs=1,
    numInputRows=28_000,
    processedRowsPerSecond=56_000.4,
    now=90,
    complete=90,
    frozen=90,
    stateRows=0,
    deadLetters=2,
    seconds=0.5,
)


def test_an_epoch_names_who_holds_complete_back() -> None:
    assert epoch_line(EPOCH) == (
        "epoch 7  28,000 rows (56,000/s)  now 2013-02-01T00:00:00  "
        "complete 2013-01-31T23:00:00 (held back by weather)  state 1,204 rows"
    )


def test_frontiers_that_say_nothing_new_are_left_out() -> None:
    together = replace(EPOCH, complete=EPOCH.now, frozen=EPOCH.now, heldBackBy=None, deadLetters=4)
    assert epoch_line(together) == (
        "epoch 7  28,000 rows (56,000/s)  now 2013-02-01T00:00:00  state 1,204 rows  dead letters 4"
    )
    assert "now" not in epoch_line(replace(EPOCH, now=None, complete=None, frozen=None))


def test_frozen_behind_complete() -> None:
    assert "complete 90  frozen 50" in epoch_line(
        replace(EPOCH, now=95, complete=90, frozen=50, heldBackBy=None)
    )


def test_summary() -> None:
    assert summary_line(TOTAL) == (
        "done: 1 epoch  28,000 rows in 0.5 s (56,000/s)  now 90  state 0 rows  dead letters 2"
    )


def test_json_lines() -> None:
    out = io.StringIO()
    display = JsonDisplay(out)
    display.epoch(EPOCH)
    display.summary(TOTAL)
    first, second = (json.loads(line) for line in out.getvalue().splitlines())
    assert (first["event"], first["numInputRows"], first["heldBackBy"]) == (
        "epoch",
        28_000,
        "weather",
    )
    assert (second["event"], second["deadLetters"]) == ("summary", 2)


def test_lines_are_never_wrapped_or_marked_up() -> None:
    out = io.StringIO()
    with LineDisplay(Console(file=out, width=20)) as display:
        display.epoch(replace(EPOCH, heldBackBy="[bold]"))
        display.summary(TOTAL)
    assert len(out.getvalue().splitlines()) == 2
    assert "[bold]" in out.getvalue()


def test_choice(capsys: pytest.CaptureFixture[str]) -> None:
    assert type(make_display(quiet=True, json_lines=False)) is Display
    assert type(make_display(quiet=False, json_lines=True)) is JsonDisplay
    with make_display(quiet=True, json_lines=False) as quiet:
        quiet.epoch(EPOCH)
        quiet.summary(TOTAL)
    assert capsys.readouterr() == ("", "")
