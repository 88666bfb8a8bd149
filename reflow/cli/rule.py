"""`reflow rule CODE | --all`: the manual page of an error, a warning or a rewrite."""

from __future__ import annotations

import argparse
import sys
from difflib import get_close_matches

from .failure import UsageError


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "rule",
        help="explain an error, a warning or a rewrite",
        description="Print the manual page of an error or warning (RF2005) or of a rewrite "
        "(narrow): what it is, why, an example, the cure.",
    )
    parser.add_argument("name", metavar="CODE", nargs="?", help="a code, or a rewrite's name")
    parser.add_argument("--all", action="store_true", help="print the whole manual")
    parser.set_defaults(command=rule)


def rule(arguments: argparse.Namespace) -> int:
    """One page, or the book, on stdout."""
    from reflow.compiler import manual

    if arguments.all:
        sys.stdout.write(manual.everything())
        return 0
    if arguments.name is None:
        raise UsageError("rule needs a code, such as RF2005, or --all")
    names = {name.casefold(): name for name in manual.known()}
    name = names.get(arguments.name.casefold().strip("[]"))
    if name is None:
        near = get_close_matches(arguments.name.casefold(), names, n=1)
        hint = f"; did you mean {names[near[0]]}?" if near else ""
        raise UsageError(f"there is no error, warning or rewrite `{arguments.name}`{hint}")
    page = manual.page(name)
    sys.stdout.write(manual.shown(page))
    if page.wrong or page.example:
        sys.stdout.write(f"\nThe examples stand after these declarations:\n\n{manual.DECLARATIONS}")
    return 0
