"""How a program is to be run."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field

from ..ledger.progress import Progress


@dataclass(frozen=True)
class RunOptions:
    """`drain`: process what is there and end. `until`: so too, and move the clock to an instant
    (text).
    """

    checkpoint: str
    drain: bool = False
    until: str | None = None
    master: str | None = None
    settings: dict[str, str] = field(default_factory=dict)
    rebuild: bool = False
    progress: Callable[[Progress], None] | None = None


def parse_arguments(name: str, arguments: list[str] | None = None) -> RunOptions:
    """The command line of an emitted program. Exits with status 2 on wrong usage."""
    parser = argparse.ArgumentParser(prog=name, description=f"Run the continuous query {name}.")
    parser.add_argument("--checkpoint", required=True, help="directory of the run's state")
    parser.add_argument("--drain", action="store_true", help="process what is there, then end")
    parser.add_argument("--until", metavar="T", help="drain, and move the clock to T")
    parser.add_argument("--master", metavar="URL", help="Spark master (default: local[*])")
    parser.add_argument("--set", metavar="K=V", action="append", default=[], help="a setting")
    parser.add_argument(
        "--rebuild",
        action="store_true",
        help="start over: forget the checkpoint and remove the output first",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress lines")
    found = parser.parse_args(arguments)
    pairs = [text.partition("=") for text in found.set]
    if bad := [k for k, sep, _ in pairs if not sep]:
        parser.error(f"--set takes NAME=VALUE, not {bad[0]!r}")
    if other := [k for k, _, _ in pairs if not k.startswith("spark.")]:
        parser.error(
            f"--set takes Spark's settings here, not {other[0]!r}: settings of the language are"
            " compiled in (SET in the .cql file, or reflow run --set)"
        )
    return RunOptions(
        checkpoint=found.checkpoint,
        drain=found.drain,
        until=found.until,
        master=found.master,
        settings={k: v for k, _, v in pairs},
        rebuild=found.rebuild,
        progress=None if found.quiet else lambda progress: print(progress.to_json(), flush=True),
    )
