"""`reflow check FILE…`: every error and warning of every file, and nothing else."""

from __future__ import annotations

import argparse
import sys

from reflow.grammar.diagnostic import CqlError

from .failure import UsageError
from .texts import read_source


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "check",
        help="report the errors of .cql files",
        description="Report every error of the files. Exit status 2 if there is one.",
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="a .cql file")
    parser.set_defaults(command=check)


def check(arguments: argparse.Namespace) -> int:
    """All files are checked, the good ones named on stdout, the errors of the others on stderr."""
    return max(_check_one(path) for path in arguments.files)


def _check_one(path: str) -> int:
    try:
        source = read_source(path)

        from .compiling import compile_file

        compile_file(source)
    except CqlError as error:
        print(error, file=sys.stderr)
        return 2
    except UsageError as error:
        print(f"reflow: {error}", file=sys.stderr)
        return error.status
    print(f"{path}: ok")
    return 0
