"""`reflow new DIR`: a starter that runs: one query, a little data, a README."""

from __future__ import annotations

import argparse
from pathlib import Path

from .failure import UsageError


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "new",
        help="make a folder with a first query and data",
        description="Make a folder with a query that runs, a little data and a README.",
    )
    parser.add_argument("folder", metavar="DIR", help="a new or empty folder")
    parser.set_defaults(command=new)


def new(arguments: argparse.Namespace) -> int:
    """Writes the starter; refuses a folder that holds anything."""
    folder = Path(arguments.folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: already there and not an empty folder")

    from .starter import write_starter

    try:
        write_starter(folder)
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror}") from None
    print(f"made {folder}; now:")
    print(f"  cd {folder}")
    print("  reflow explain averages.cql")
    print("  reflow run averages.cql --checkpoint state --drain")
    print("  reflow test averages.test.cql")
    return 0
