"""Instants as people write them, and the command line of an emitted program."""

from __future__ import annotations

import json

import pytest

from reflow.runtime.ledger.progress import Progress
from reflow.runtime.run.instants import BadInstant, parse_instant
from reflow.runtime.run.options import RunOptions, parse_arguments
from reflow.runtime.run.runner import first_lines


def test_ticks_are_whole_numbers() -> None:
    assert parse_instant("42", timestamps=False, timezone="UTC") == 42
    assert parse_instant("-3", timestamps=False, timezone="UTC") == -3
    for text in ("4.5", "2026-01-01", ""):
        with pytest.raises(BadInstant, match="whole number of ticks"):
            parse_instant(text, timestamps=False, timezone="UTC")


@pytest.mark.parametrize(
    ("text", "zone", "micros"),
    [
        ("1970-01-01 00:00:01", "UTC", 1_000_000),
        ("1970-01-01T00:00:00.000001", "UTC", 1),
        ("1970-01-02", "UTC", 86_400_000_000),
        ("1969-12-31 23:59:59.5", "UTC", -500_000),
        ("1970-01-01 01:00:00", "Europe/Berlin", 0),
        ("1970-01-01 01:00:00+00:00", "Europe/Berlin", 3_600_000_000),
        ("1970-01-01T00:00:00Z", "America/New_York", 0),
    ],
)
def test_timestamps_are_read_in_the_programs_zone(text: str, zone: str, micros: int) -> None:
    assert parse_instant(text, timestamps=True, timezone=zone) == micros


def test_a_microsecond_far_from_1970_is_kept() -> None:
    one = parse_instant("2262-04-11 23:47:16.854775", timestamps=True, timezone="UTC")
    two = parse_instant("2262-04-11 23:47:16.854776", timestamps=True, timezone="UTC")
    assert two - one == 1


def test_what_is_no_timestamp_is_refused_with_an_example() -> None:
    with pytest.raises(BadInstant, match="2026-01-31 12:00:00"):
        parse_instant("tomorrow", timestamps=True, timezone="UTC")


def test_the_command_line_of_a_program() -> None:
    found = parse_arguments(
        "q",
        [
            "--checkpoint",
            "c",
            "--until",
            "5",
            "--set",
            "spark.a=b=c",
            "--set",
            "spark.d=",
            "--rebuild",
            "--quiet",
        ],
    )
    assert found == RunOptions(
        "c", until="5", settings={"spark.a": "b=c", "spark.d": ""}, rebuild=True, progress=None
    )


def test_the_defaults_of_the_command_line() -> None:
    found = parse_arguments("q", ["--checkpoint", "c"])
    assert (found.drain, found.until, found.master, found.settings) == (False, None, None, {})
    assert not found.rebuild


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        ["--checkpoint", "c", "--set", "a"],
        ["--checkpoint", "c", "--set", "timezone=UTC"],  # compiled in: here it would do nothing
        ["--what"],
    ],
)
def test_wrong_usage_ends_with_status_2(
    wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        parse_arguments("q", wrong)
    assert end.value.code == 2
    assert "usage: q" in capsys.readouterr().err


def test_progress_is_a_json_line_an_epoch(capsys: pytest.CaptureFixture[str]) -> None:
    pass_on = parse_arguments("q", ["--checkpoint", "c"]).progress
    assert pass_on is not None
    pass_on(
        Progress(1, 0, "batch", 5, 1.0, 2.0, "2026-01-01T00:00:00", None, "a", None, 3, 4, 5, 6, {})
    )
    line = json.loads(capsys.readouterr().out)
    assert (line["epoch"], line["numInputRows"], line["heldBackBy"]) == (1, 5, "a")


def test_a_failure_is_told_without_spark_s_stack_trace() -> None:
    error = ValueError("[CAST] no number\n\tat org.apache.spark.X\nJVM stacktrace:\nbecause of x")
    assert first_lines(error) == "[CAST] no number\nbecause of x"
    assert first_lines(ValueError()) == "ValueError"
