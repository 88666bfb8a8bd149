"""REVISE BY APPROXIMATE: whether the corrections of a query, and of a file, can be estimated."""

from __future__ import annotations

from collections.abc import Mapping

from reflow.compiler.syntax import nodes

from ..plan.estimable import RATES, nearest, why_not_estimated
from ..plan.operators import Sink
from ..plan.replayable import why_not
from .findings import Findings
from .shape import scans

_CODE = "RF3306"
_RATE = "RF3307"


def approximate_rate(revise: nodes.Revise | None, findings: Findings) -> int | None:
    """The percentage of APPROXIMATE; None of other techniques, and of one that is refused."""
    if revise is None or revise.percent is None:
        return None
    if revise.percent in RATES:
        return int(revise.percent)
    rates = " or ".join(f"{rate}%" for rate in nearest(revise.percent))
    message = f"{revise.percent:g}% of the rows: each would stand for no whole number of rows"
    expected = f"{', '.join(f'{rate}%' for rate in reversed(RATES))}"
    findings.error(_RATE, message, revise.span, expected, f"REVISE BY APPROXIMATE {rates}")
    return None


def _hint(sink: Sink) -> str:
    """What corrects the query exactly."""
    if not _is_kept(sink):
        return "ARCHIVE KEEP … on a stream that is corrected, or no REVISE BY"
    replayable = why_not(sink.input) is None and sink.mode != "elements"
    return "REVISE BY REPLAY MINIMAL" if replayable else "REVISE BY AUTO"


def _is_kept(sink: Sink) -> bool:
    """Whether anything that is complete is corrected."""
    streams = (scan.stream for scan in scans(sink.input) if not scan.as_arrived)
    return any(stream.kept is not None for stream in streams)


class Approximations:
    """The queries of a file whose corrections are estimated, and those that are corrected
    otherwise.
    """

    def __init__(self, findings: Findings, settings: Mapping[str, str]) -> None:
        self._findings = findings
        self._negative = settings.get("execution") == "nt"
        self._estimated: list[tuple[Sink, nodes.Revise]] = []
        self._others: list[Sink] = []

    def take(self, sink: Sink, revise: nodes.Revise) -> None:
        """Note a query that asks for it, or say why it cannot have it."""
        why = self._why_not(sink)
        if why is None:
            self._estimated.append((sink, revise))
        else:
            message = f"corrections of `{sink.query}` cannot be estimated: {why}"
            self._refuse(revise, message, _hint(sink))

    def other(self, sink: Sink) -> None:
        """Note a query that is corrected otherwise."""
        self._others.append(sink)

    def check(self) -> None:
        """One file has state as of one frontier, and one sample."""
        if not self._estimated:
            return
        first, _ = self._estimated[0]
        hint = "a file of its own for that query, or for this one"
        for other in self._others[:1]:
            message = f"`{other.query}`, in the same file, is corrected exactly"
            self._refuse(self._estimated[0][1], message, hint)
        for sink, revise in self._estimated[1:]:
            if None not in (sink.percent, first.percent) and sink.percent != first.percent:
                message = f"`{first.query}`, in the same file, draws {first.percent}% of the rows"
                self._refuse(revise, message, f"REVISE BY APPROXIMATE {first.percent}%")

    def _why_not(self, sink: Sink) -> str | None:
        why = why_not_estimated(sink)
        if why is not None:
            return why
        if sink.mode == "elements":
            return "AS ELEMENTS writes whole events, and of what is complete pieces are corrected"
        if not _is_kept(sink):
            return "none of its streams says ARCHIVE KEEP, and nothing complete is corrected"
        if self._negative:
            return "SET execution = 'nt' knows no ends of rows"
        return None

    def _refuse(self, revise: nodes.Revise, message: str, hint: str) -> None:
        self._findings.error(_CODE, message, revise.span, "another technique", hint)
