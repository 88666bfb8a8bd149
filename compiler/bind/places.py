"""Where the queries of a file write: no two to the same place."""

from __future__ import annotations

from pathlib import PurePosixPath

from reflow.grammar.source import Span

from ..plan.operators import Sink
from .findings import Findings


class Places:
    """The places taken so far, each with the query that writes there."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._taken: dict[str, str] = {}

    def take(self, sink: Sink, span: Span) -> None:
        """Note where a query writes; `span` is that of its INTO."""
        place = _place(sink)
        if place is None:
            return
        other = self._taken.setdefault(place, sink.query)
        if other != sink.query:
            where = repr(sink.path) if sink.path else "the view of that name"
            self._findings.error(
                "RF3403",
                f"`{sink.query}` and `{other}` both write to {where}",
                span,
                "a place of its own for each query",
            )


def _place(sink: Sink) -> str | None:
    """A path as it counts for the file system; a view as it counts for Spark."""
    if sink.format == "memory":
        return f"view {(sink.path or sink.query).casefold()}"
    if sink.path is None:
        return None
    return str(PurePosixPath(sink.path.removeprefix("file://")))
