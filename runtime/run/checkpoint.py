"""Whose checkpoint it is: looked at before anything is read or written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..connect.declarations import Query
from ..connect.sinks import existing
from ..epoch.engine import CheckpointError
from ..ledger.manifest import Ledger
from ..ledger.storage import Storage

PLAIN: Final = "reflow/plain.json"
"""Names the plain program that a checkpoint belongs to; delta programs have manifests."""


def start_over(root: Storage, queries: Sequence[Query]) -> None:
    """Forget the checkpoint, then remove the output: in this order, so that a crash between the two
    leaves what a new run refuses, not what an old one goes on from.
    """
    root.delete("spark")
    root.delete("reflow")
    existing.remove(queries)


def claim(root: Storage, ledger: Ledger, queries: Sequence[Query]) -> None:
    """Before a delta program's first epoch: nothing of another run may be in its way."""
    if root.exists(PLAIN):
        raise _of_another(root)
    if ledger.head.epoch > 0 or ledger.pending_intent() is not None:
        return
    if _committed(root, "spark"):
        raise CheckpointError(
            f"{root.uri} has lost its folder reflow/, without which the rows that were read are"
            " gone; start over with --rebuild"
        )
    existing.refuse(queries)


def claim_plain(root: Storage, fingerprint: str, queries: Sequence[Query]) -> None:
    """The same for a plain program, each of whose queries has a checkpoint of Spark's own."""
    if root.exists("reflow/epochs"):
        raise _of_another(root)
    if root.exists(PLAIN) and root.read_json(PLAIN)["fingerprint"] != fingerprint:
        raise _of_another(root)
    existing.refuse(q for q in queries if not root.exists(f"spark/{plain_folder(q.name)}/metadata"))
    if not root.exists(PLAIN):
        root.create(PLAIN, {"fingerprint": fingerprint})


def plain_folder(query: str) -> str:
    """The folder of a plain query in `spark/`."""
    return f"query-{query}"


def _committed(root: Storage, directory: str) -> bool:
    return any(name.isdigit() for name in root.names(f"{directory}/commits"))


def _of_another(root: Storage) -> CheckpointError:
    return CheckpointError(
        f"{root.uri} is the checkpoint of another program (or of another version of this one):"
        " take a new checkpoint, or start over with --rebuild"
    )
