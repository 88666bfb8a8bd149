"""`reflow attach | detach FILE STREAM --checkpoint DIR`: an input of a merge comes or goes."""

from __future__ import annotations

import argparse
import time
from typing import Final

from .failure import Failure, UsageError
from .texts import read_source

_HELP: Final = {
    "attach": "let an input of a merge come back",
    "detach": "let an input of a merge go away while the program runs",
}
_POLL_SECONDS: Final = 0.2


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds both commands to the command line."""
    for kind, text in _HELP.items():
        parser = commands.add_parser(
            kind,
            help=text,
            description=f"{text[0].upper()}{text[1:]}. The run that is at work on the checkpoint "
            "does so between two batches, or else the next run when it starts. An input that comes "
            "back goes on where it left, or begins anew where --from is given.",
        )
        parser.add_argument("file", metavar="FILE", help="the .cql file of the run")
        parser.add_argument("stream", metavar="STREAM", help="an input, as MERGE OF names it")
        parser.add_argument(
            "--checkpoint", metavar="DIR", required=True, help="folder of the run's state"
        )
        parser.add_argument(
            "--no-wait", action="store_true", help="leave the request and do not wait for the run"
        )
        if kind == "attach":
            parser.add_argument(
                "--from",
                dest="since",
                metavar="INSTANT",
                help="it is a new copy, complete from then on: what it said before is forgotten",
            )
        parser.set_defaults(command=ask, kind=kind, since=None)


def ask(arguments: argparse.Namespace) -> int:
    """Leaves the request, and waits until a run has taken it."""
    source = read_source(arguments.file)

    from reflow.compiler.physical.feedback import path
    from reflow.compiler.pipeline import compile_source
    from reflow.runtime.ledger import requests
    from reflow.runtime.ledger.lease import is_taken
    from reflow.runtime.ledger.storage import Storage
    from reflow.runtime.run.instants import BadInstant, parse_instant

    physical = compile_source(source).physical
    merges = physical.merges
    known = list(
        dict.fromkeys(
            section.removeprefix(f"{path(merge.name, merge.section)}.")
            for merge in merges
            for section, _ in merge.inputs
        )
    )
    if arguments.stream not in known:
        hint = f"there are {', '.join(known)}" if known else "no query of the file reads a merge"
        raise UsageError(f"{arguments.stream} is no input of a merge: {hint}")
    if arguments.since is not None:
        try:
            timestamps = all(stream.timestamps for stream in physical.streams)
            parse_instant(arguments.since, timestamps, physical.timezone)
        except BadInstant as error:
            raise UsageError(f"--from: {error}") from None
    root = Storage(arguments.checkpoint)
    if not root.exists("reflow/epochs"):
        raise UsageError(f"{root.uri} is no checkpoint of a run")
    storage = Storage(root.spark_path("reflow"))
    request = requests.ask(storage, arguments.kind, arguments.stream, arguments.since)
    if arguments.no_wait:
        print(f"asked to {arguments.kind} {arguments.stream}")
        return 0
    while (answer := requests.answered(storage, request)) is None:
        if is_taken(root) is False and requests.answered(storage, request) is None:
            raise Failure(
                f"no run is at work on {root.uri}: the next one will {arguments.kind}"
                f" {arguments.stream} when it starts"
            )
        time.sleep(_POLL_SECONDS)
    if answer["refused"]:
        raise Failure(answer["refused"])
    already = " already" if answer["already"] else ""
    print(f"{arguments.stream} is {arguments.kind}ed{already}")
    return 0
