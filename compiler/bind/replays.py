"""REVISE BY REPLAY and APPROXIMATE: whether it can be right, for a query and for a file."""

from __future__ import annotations

from collections.abc import Mapping

from reflow.compiler.syntax import nodes

from ..plan.operators import Merge, Sink
from ..plan.replayable import below, corrected, passes_through, why_not
from .approximations import Approximations
from .findings import Findings

_CODE = "RF3305"


class Replays:
    """The queries of a file by how they are corrected."""

    def __init__(self, findings: Findings, settings: Mapping[str, str]) -> None:
        self._findings = findings
        self._approximations = Approximations(findings, settings)
        self._replayed: list[nodes.Revise] = []
        self._others: list[tuple[Sink, str]] = []

    def take(self, sink: Sink, statement: nodes.Statement) -> None:
        """Note a query; one that asks for REPLAY and cannot have it is a mistake."""
        revise = statement.revise if isinstance(statement, nodes.CreateQuery) else None
        if revise is not None and revise.percent is not None:
            self._approximations.take(sink, revise)
            return
        why = why_not(sink.input)
        if sink.mode == "elements":
            why = why or "a replay corrects pieces of events, and AS ELEMENTS writes whole ones"
        needs_none = not corrected(sink.input) or passes_through(sink.input)
        if any(isinstance(each, Merge) for each in below(sink.input)):
            # Sections have clocks of their own, which a replay does not.
            needs_none = False
        if not needs_none:
            self._approximations.other(sink)
        if revise is not None and revise.technique.startswith("replay"):
            if why is None or needs_none:
                self._replayed.append(revise)
            else:
                self._refuse(revise, f"`{sink.query}` cannot be replayed: {why}", "REVISE BY AUTO")
        elif not needs_none:
            direct = "it says REVISE BY DIRECT" if sink.revise == "direct" else why
            self._others += [] if direct is None else [(sink, direct)]

    def check(self) -> None:
        """One file keeps state as of one frontier: all its queries are replayed, or none."""
        self._approximations.check()
        for revise in self._replayed[:1]:
            for other, why in self._others[:1]:
                message = f"`{other.query}`, in the same file, cannot be replayed: {why}"
                self._refuse(revise, message, "a file of its own for that query, or for this one")

    def _refuse(self, revise: nodes.Revise, message: str, hint: str) -> None:
        self._findings.error(_CODE, message, revise.span, "another technique", hint)
