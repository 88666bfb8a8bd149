"""Runs an emitted program in this process. Importing this loads pyspark."""

from __future__ import annotations

import argparse
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Protocol

from reflow.runtime.program import RUN_ERRORS, BadInstant, RunOptions, Summary

from .display import make_display
from .failure import UsageError


class Runnable(Protocol):
    """What the `program` of an emitted file can do."""

    def run(self, options: RunOptions) -> Summary:
        """Runs to the end that the options name."""
        ...


def run_program(text: str, arguments: argparse.Namespace, settings: dict[str, str]) -> int:
    """Runs the program's text; 0 when it ended as asked, also by Ctrl-C, 1 when it failed."""
    display = make_display(quiet=arguments.quiet, json_lines=arguments.json_progress)
    options = RunOptions(
        checkpoint=arguments.checkpoint,
        drain=arguments.drain,
        until=arguments.until,
        master=arguments.master,
        settings=settings,
        rebuild=arguments.rebuild,
        progress=display.epoch,
    )
    try:
        with display:
            summary = load_program(text, arguments.checkpoint).run(options)
    except KeyboardInterrupt:
        print("reflow: interrupted; the same command goes on from here", file=sys.stderr)
        return 1
    except BadInstant as error:
        raise UsageError(f"--until {arguments.until}: {error}") from None
    except RUN_ERRORS as error:
        print(f"reflow: the run failed: {error}", file=sys.stderr)
        return 1
    except Exception:
        # Not a failure that the runtime knows: whoever looks into it needs the place.
        traceback.print_exc()
        print(
            "reflow: the run failed; the checkpoint is as the last epoch left it", file=sys.stderr
        )
        return 1
    display.summary(summary)
    return 0


def load_program(text: str, checkpoint: str) -> Runnable:
    """Writes the program beside the state it runs on and executes it.

    The module is not put into sys.modules: Spark Connect then sends its functions by value, which a
    server that has never seen this file needs.
    """
    path = program_path(checkpoint)
    path.write_text(text, encoding="utf-8")
    namespace: dict[str, object] = {"__name__": "reflow_program", "__file__": str(path)}
    exec(compile(text, str(path), "exec"), namespace)
    program: Runnable = namespace["program"]  # type: ignore[assignment]  # emitted, so it is there
    return program


def program_path(checkpoint: str) -> Path:
    """`program.py` in a local checkpoint, else in a new folder of this machine."""
    local = checkpoint.removeprefix("file://")
    if "://" in local:
        return Path(tempfile.mkdtemp(prefix="reflow-")) / "program.py"
    folder = Path(local)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "program.py"
