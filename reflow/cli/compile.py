"""`reflow compile FILE -o OUT`: the program as a Python file."""

from __future__ import annotations

import argparse

from .texts import read_source, write_text


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "compile",
        help="write the PySpark program of a .cql file",
        description="Write the program. Run it with `spark-submit OUT --checkpoint DIR` or "
        "`python OUT --checkpoint DIR`.",
    )
    parser.add_argument("file", metavar="FILE", help="a .cql file")
    parser.add_argument(
        "-o", "--output", metavar="OUT", required=True, help="the Python file; - is stdout"
    )
    parser.add_argument(
        "--checkpoint",
        metavar="DIR",
        help="take rates from the archives of an earlier run, where WITH STATS gives none",
    )
    parser.set_defaults(command=compile_command)


def compile_command(arguments: argparse.Namespace) -> int:
    """Writes nothing unless the whole file is right."""
    source = read_source(arguments.file)

    from . import observed
    from .compiling import compile_file

    figures = observed.of_archives(arguments.checkpoint) if arguments.checkpoint else {}
    text = compile_file(source, observed=figures)
    if arguments.output == "-":
        print(text, end="")
    else:
        write_text(arguments.output, text)
    return 0
