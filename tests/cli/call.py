"""Calls `reflow` in this process."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from reflow.cli import main


@dataclass(frozen=True)
class Result:
    """What a call left."""

    status: int
    out: str
    err: str


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> Result:
    """One command line."""
    capsys.readouterr()
    status = main(arguments)
    captured = capsys.readouterr()
    return Result(status, captured.out, captured.err)
