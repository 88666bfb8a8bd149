"""`reflow explain FILE`: the plan with its update patterns, state layouts and reasons."""

from __future__ import annotations

import argparse

from .texts import read_source, write_text

FORMATS = ("tree", "json", "dot", "mermaid", "html")


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "explain",
        help="show the plan of a .cql file",
        description="Show the plan: operators, update patterns, state and the reasons. "
        "Starts no Spark.",
    )
    parser.add_argument("file", metavar="FILE", help="a .cql file")
    parser.add_argument(
        "--format", choices=FORMATS, default="tree", help="form of the output (default: tree)"
    )
    parser.add_argument(
        "--checkpoint",
        metavar="DIR",
        help="take rates from the archives of an earlier run, where WITH STATS gives none",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of stdout")
    parser.set_defaults(command=explain)


def explain(arguments: argparse.Namespace) -> int:
    """The page on stdout or in a file, warnings on stderr."""
    source = read_source(arguments.file)

    from . import observed
    from .compiling import explain_file

    figures = observed.of_archives(arguments.checkpoint) if arguments.checkpoint else {}
    page = explain_file(source, arguments.format, figures).rstrip("\n")
    if arguments.output:
        write_text(arguments.output, f"{page}\n")
    else:
        print(page)
    return 0
