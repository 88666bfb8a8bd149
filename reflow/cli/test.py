"""`reflow test FILE…`: tests of queries, written as files."""

from __future__ import annotations

import argparse
import sys
import tempfile

from .failure import UsageError


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "test",
        help="run tests of queries",
        description="Run the cases of test files: rows go in, the clock is moved by hand, answers "
        "are compared. All cases share one Spark session. Exit status 1 if a case fails, 2 if a "
        "file cannot be read.",
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="a file of tests")
    parser.add_argument(
        "-k",
        "--filter",
        metavar="TEXT",
        action="append",
        default=[],
        help="run only cases whose `file: name` holds the text; may be repeated",
    )
    parser.add_argument("--junit", metavar="OUT", help="write the results as JUnit XML as well")
    parser.add_argument("--master", metavar="URL", help="Spark master (default: local[*])")
    parser.set_defaults(command=test)


def test(arguments: argparse.Namespace) -> int:
    """Everything is compiled before Spark starts; it does not start if no case needs it."""
    from .testing.collect import chosen, collect

    with tempfile.TemporaryDirectory(prefix="reflow-test-") as folder:
        collected = collect(arguments.files, folder)
        for problem in collected.problems:
            print(f"reflow: {problem}", file=sys.stderr)
        cases = chosen(collected.cases, arguments.filter)
        if arguments.filter and collected.cases and not cases:
            raise UsageError(f"no case holds {' or '.join(map(repr, arguments.filter))}")

        from .testing.suite import run_all

        passed = run_all(cases, arguments.master, arguments.junit)
    if collected.problems:
        return 2
    return 0 if passed else 1
