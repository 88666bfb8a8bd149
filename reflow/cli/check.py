"""`reflow check FILE…`: every error and warning of every file, and nothing else."""

from __future__ import annotations

import argparse
import sys

from reflow.grammar.diagnostic import CqlError

from .failure import UsageError
from .texts import read_source

_OF_TESTS = "RF3501"


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "check",
        help="report the errors of .cql files",
        description="Report every error of the files. Exit status 2 if there is one. Of a file of "
        "tests every case is checked.",
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
        if any(diagnostic.code == _OF_TESTS for diagnostic in error.diagnostics):
            return _check_tests(path)
        print(error, file=sys.stderr)
        return 2
    except UsageError as error:
        print(f"reflow: {error}", file=sys.stderr)
        return error.status
    print(f"{path}: ok")
    return 0


def _check_tests(path: str) -> int:
    """The errors of a file of tests, each once, but for those that a case asserts."""
    from .testing.collect import collect

    wrong: list[str] = []
    for ready in collect([path], "").cases:
        case = ready.case
        if case.program or case.as_asserted:
            continue
        wrong.append(case.errors or f"{path}:{case.place.line}: {case.name}: it compiles")
    if not wrong:
        print(f"{path}: ok")
        return 0
    print("\n\n".join(dict.fromkeys(wrong)), file=sys.stderr)
    return 2
