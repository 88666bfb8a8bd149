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
    parser.set_defaults(command=compile_command)


def compile_command(arguments: argparse.Namespace) -> int:
    """Writes nothing unless the whole file is right."""
    source = read_source(arguments.file)

    from .compiling import compile_file

    text = compile_file(source)
    if arguments.output == "-":
        print(text, end="")
    else:
        write_text(arguments.output, text)
    return 0
