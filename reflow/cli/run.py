"""`reflow run FILE --checkpoint DIR`: compiles the file and runs the program in this process."""

from __future__ import annotations

import argparse

from .failure import UsageError
from .texts import read_source


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "run",
        help="compile a .cql file and run it",
        description="Compile the file and run it on Spark until Ctrl-C (which ends it after the "
        "running epoch), or until --drain or --until are reached. The same command goes on where "
        "the last one ended.",
    )
    parser.add_argument("file", metavar="FILE", help="a .cql file")
    parser.add_argument(
        "--checkpoint", metavar="DIR", required=True, help="folder of the run's state"
    )
    end = parser.add_mutually_exclusive_group()
    end.add_argument(
        "--drain", action="store_true", help="process all that is there, complete `now` and end"
    )
    end.add_argument("--until", metavar="T", help="process all that is there, move the clock to T")
    parser.add_argument("--master", metavar="URL", help="Spark master (default: local[*])")
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        dest="settings",
        help="a setting for this run, as SET in the file; may be repeated",
    )
    parser.add_argument(
        "--rebuild",
        action="store_true",
        help="start over: forget the checkpoint and remove the output first",
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--quiet", action="store_true", help="no progress, no summary")
    shown.add_argument(
        "--json-progress",
        action="store_true",
        help="one JSON object a line on stdout: every epoch, then the summary",
    )
    parser.set_defaults(command=run)


def run(arguments: argparse.Namespace) -> int:
    """Checks everything that can be checked before the JVM is started."""
    settings = parse_settings(arguments.settings)
    source = read_source(arguments.file)

    from . import observed
    from .compiling import compile_file

    figures = observed.for_run(arguments.checkpoint, arguments.rebuild)
    text = compile_file(source, settings, figures)

    from . import spark_environment

    spark_environment.prepare(arguments.master)

    from .running import run_program

    of_spark = {name: value for name, value in settings.items() if name.startswith("spark.")}
    return run_program(text, arguments, of_spark)


def parse_settings(pairs: list[str]) -> dict[str, str]:
    """`["k=v", …]` as a mapping; a later one replaces an earlier one of the same name."""
    settings: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--set {pair}: expected NAME=VALUE")
        settings[name.strip()] = value
    return settings
