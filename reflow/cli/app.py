"""From the arguments to the command, and from whatever it raises to an exit status."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence

from reflow import __version__
from reflow.grammar.diagnostic import CqlError

from . import archive, attach, check, compile, explain, fmt, new, rule, run, test
from .failure import Failure

COMMANDS = (new, check, fmt, explain, compile, run, test, attach, archive, rule)
LONG_LIVED = (run.run, test.test)


def parser() -> argparse.ArgumentParser:
    """The whole command line; every command adds itself."""
    top = argparse.ArgumentParser(
        prog="reflow",
        description="Continuous queries on Spark Structured Streaming.",
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"reflow {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns 0, 1 or 2 and never raises for what a user can do wrong."""
    try:
        arguments = parser().parse_args(argv)
    except SystemExit as end:  # argparse ends so after --help, --version and wrong arguments
        return end.code if isinstance(end.code, int) else 2
    if arguments.command not in LONG_LIVED:
        # Most of what a command makes lives until it ends: looking for what does not takes longer.
        gc.set_threshold(50_000)
    try:
        status: int = arguments.command(arguments)
        sys.stdout.flush()
        return status
    except CqlError as error:
        print(error, file=sys.stderr)
        return 2
    except Failure as failure:
        print(f"reflow: {failure}", file=sys.stderr)
        return failure.status
    except BrokenPipeError:
        # The reader of our output went away (`reflow explain … | head`): no fault of anybody.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
