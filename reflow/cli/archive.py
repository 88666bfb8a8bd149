"""`reflow archive ls | stats | verify | vacuum CHECKPOINT`: what a run has kept, without Spark."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from .failure import Failure, UsageError

if TYPE_CHECKING:
    from reflow.runtime.archive.vacuum import Orphan
    from reflow.runtime.ledger.manifest import Manifest
    from reflow.runtime.ledger.storage import Storage

_FORMATS = ("text", "json")


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "archive",
        help="look at the archives of a checkpoint, verify them, free space",
        description="Look at what a run has kept in its checkpoint. Starts no Spark.",
    )
    verbs = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    listing = _verb(verbs, "ls", ls, "list the archives: a line a stream")
    figures = _verb(verbs, "stats", stats, "figures of the archives: buckets, bytes, revisions")
    for each in (listing, figures):
        each.add_argument(
            "--ticks", action="store_true", help="show order values as the numbers they are"
        )
    verifying = _verb(verbs, "verify", verify, "compare all files with what the manifests say")
    verifying.add_argument(
        "--footers", action="store_true", help="read only the footers of files: quicker"
    )
    cleaning = _verb(verbs, "vacuum", vacuum, "delete files that the newest manifest does not name")
    cleaning.add_argument("--dry-run", action="store_true", help="only say what would be deleted")
    cleaning.add_argument(
        "--stopped",
        action="store_true",
        help="no run is at work on the checkpoint: needed where that cannot be found out",
    )


def _verb(
    verbs: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    command: object,
    text: str,
) -> argparse.ArgumentParser:
    parser = verbs.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
    parser.add_argument("checkpoint", metavar="CHECKPOINT", help="the folder of a run's state")
    parser.add_argument(
        "--format", choices=_FORMATS, default="text", help="form of the output (default: text)"
    )
    parser.set_defaults(command=command)
    return parser


def ls(arguments: argparse.Namespace) -> int:
    """A line a stream on stdout."""
    from reflow.runtime.archive.survey import survey

    from . import archive_shown as shown

    head = _head(_ledger(arguments.checkpoint))
    streams = [] if head is None else survey(head)
    shown.listing(streams, head, arguments.format == "json", arguments.ticks)
    return 0


def stats(arguments: argparse.Namespace) -> int:
    """The figures of each stream on stdout."""
    from reflow.runtime.archive.survey import survey

    from . import archive_shown as shown

    head = _head(_ledger(arguments.checkpoint))
    streams = [] if head is None else survey(head)
    shown.figures(streams, head, arguments.format == "json", arguments.ticks)
    return 0


def verify(arguments: argparse.Namespace) -> int:
    """What is wrong, file by file, on stdout; 1 where something is."""
    from reflow.runtime.archive import verify as verifying

    from . import archive_shown as shown

    storage = _ledger(arguments.checkpoint)
    verdict = verifying.verify(storage, arguments.footers)
    in_manifests = any(fault.path.startswith("epochs") for fault in verdict.faults)
    orphans = [] if in_manifests else _orphans(storage)
    shown.verdict(verdict, orphans, arguments.format == "json")
    return 1 if verdict.faults else 0


def vacuum(arguments: argparse.Namespace) -> int:
    """What was deleted, or would be, on stdout."""
    from reflow.runtime.archive import vacuum as cleaning
    from reflow.runtime.ledger.lease import Taken, lease
    from reflow.runtime.ledger.storage import Storage

    from . import archive_shown as shown

    storage, root = _ledger(arguments.checkpoint), Storage(arguments.checkpoint)
    if arguments.dry_run:
        shown.freed(_orphans(storage), True, arguments.format == "json")
        return 0
    try:
        with lease(root) as held:
            if not held and not arguments.stopped:
                raise UsageError(
                    f"{arguments.checkpoint}: whether a run is at work there cannot be found out;"
                    " stop it, and say --stopped"
                )
            found = _orphans(storage)
            cleaning.remove(storage, found)
    except Taken as taken:
        raise Failure(f"{taken}: vacuum when the run has ended") from None
    shown.freed(found, False, arguments.format == "json")
    return 0


def _ledger(checkpoint: str) -> Storage:
    """The folder of a checkpoint in which its manifests are. What is none is a UsageError."""
    # Here and not above: pyarrow takes a tenth of a second.
    from reflow.runtime.ledger.storage import Storage

    try:
        root = Storage(checkpoint)
        if root.exists("reflow/plain.json"):
            raise UsageError(
                f"{checkpoint}: the checkpoint of a plain program, which keeps no archive"
            )
        if not root.exists("reflow/epochs") and not root.exists("spark"):
            raise UsageError(f"{checkpoint}: no checkpoint of a run is there")
    except (OSError, ValueError) as error:
        raise UsageError(f"{checkpoint}: {error}") from None
    return Storage(root.spark_path("reflow"))


def _head(storage: Storage) -> Manifest | None:
    """The newest manifest; None before the first epoch is committed."""
    from reflow.runtime.ledger.manifest import committed, read_manifest

    numbers = committed(storage)
    try:
        return read_manifest(storage, numbers[-1]) if numbers else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _unreadable(storage, error) from None


def _orphans(storage: Storage) -> list[Orphan]:
    from reflow.runtime.archive import vacuum as cleaning

    try:
        return cleaning.orphans(storage)
    except cleaning.LostManifests as lost:
        raise Failure(f"{storage.uri}: {lost}; nothing is deleted") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _unreadable(storage, error) from None


def _unreadable(storage: Storage, error: Exception) -> Failure:
    return Failure(
        f"the newest manifest in {storage.uri}/epochs cannot be read ({error}); `reflow archive"
        " verify` looks at all of them"
    )
