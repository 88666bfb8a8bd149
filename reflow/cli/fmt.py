"""`reflow fmt FILE… [--check]`: `.cql` files in house style."""

from __future__ import annotations

import argparse
import sys

from reflow.grammar.diagnostic import CqlError

from .failure import Failure
from .texts import decoded, read_file, replace_file


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "fmt",
        help="format .cql files",
        description="Format the files in place: keywords in capitals, one clause a line; comments "
        "stay. A file that does not parse is left alone, with exit status 2.",
    )
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="a .cql file; - is stdin, written to stdout"
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; list the files that would change, with exit status 1 if there are any",
    )
    parser.set_defaults(command=fmt)


def fmt(arguments: argparse.Namespace) -> int:
    """All files are formatted, the errors of those that cannot be are on stderr."""
    return max(_format_one(path, arguments.check) for path in arguments.files)


def _format_one(path: str, check: bool) -> int:
    try:
        content = sys.stdin.buffer.read() if path == "-" else read_file(path)
        formatted = _formatted(path, content)
        if check:
            return _differs(path, content, formatted)
        _write(path, content, formatted)
    except CqlError as error:
        print(error, file=sys.stderr)
        return 2
    except Failure as error:
        print(f"reflow: {error}", file=sys.stderr)
        return error.status
    return 0


def _formatted(path: str, content: bytes) -> bytes:
    source = decoded("<stdin>" if path == "-" else path, content)

    from reflow.grammar.format.formatter import ChangedMeaning, format_source

    try:
        return format_source(source).encode()
    except ChangedMeaning as error:
        raise Failure(f"{error}; this is a bug of Reflow, and the file is left alone") from error


def _differs(path: str, content: bytes, formatted: bytes) -> int:
    if content == formatted:
        return 0
    print(path)
    return 1


def _write(path: str, content: bytes, formatted: bytes) -> None:
    """A file is written only if it changes, and named; stdout gets the text in any case."""
    if path == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(formatted)
        sys.stdout.buffer.flush()
    elif content != formatted:
        replace_file(path, formatted)
        print(f"{path}: formatted")
