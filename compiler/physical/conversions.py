"""Steps that stand between operators: to points, to elements, and holding back."""

from __future__ import annotations

from collections.abc import Mapping

from ..analyse import Facts
from ..plan.operators import Merge, Operator, Sink
from . import state_layout
from .again import Again
from .archive_layout import Readings
from .calls import AsStream, Hold, ToPoints, Until
from .listing import Listing
from .program import Step

_NEEDS_POINTS = frozenset({"log", "console", "memory"})


class Conversions:
    """Each output is converted once, however many read it."""

    def __init__(
        self, facts: Facts, listing: Listing, readings: Readings, again: Mapping[Operator, Again]
    ) -> None:
        self._facts = facts
        self._again = again
        self._listing = listing
        self._readings = readings
        self._points: dict[tuple[str, Operator], Step] = {}
        self._elements: dict[tuple[str, Operator], Step] = {}

    def as_points(self, source: Operator, step: Step, reason: str | None = None) -> Step:
        """The output in point form; `reason`: other than that the next step needs it."""
        if step.form == "points":
            return step
        at = (self._listing.section, source)
        if at not in self._points:
            pattern, again = self._facts.patterns[source], self._again[source]
            state = state_layout.of_expiries(self._ends(source), again)
            made = self._listing.between("t", ToPoints(), step, pattern, state, reason)
            self._readings.expiries(again.archives, f"expiries read by {made.id}")
            self._points[at] = made
        return self._points[at]

    def as_elements(self, source: Operator, step: Step) -> Step:
        """A reported stream as elements, for a window over it."""
        if step.form == "intervals":
            return step
        at = (self._listing.section, source)
        if at not in self._elements:
            pattern = self._facts.patterns[source]
            call = AsStream(self._facts.arrival[source])
            self._elements[at] = self._listing.between("a", call, step, pattern, "none")
        return self._elements[at]

    def merged(self, source: Operator, merge: Merge, step: Step, as_told: bool) -> Step:
        """An input of a merge: rows of a stream, events as they are told, or rows that come and
        leave at instants.
        """
        if merge.rows:
            return self.as_elements(source, step)
        if not as_told:
            return self.as_points(source, step)
        if not self._facts.ahead[source]:
            return step
        pattern = self._facts.patterns[source]
        return self._listing.between("h", Hold("now"), step, pattern, "rows from `now` on")

    def shown(self, sink: Sink, step: Step) -> Step:
        """The answer in the form that the sink takes, held back as EMIT says."""
        if self._shows_points(sink) and not self._facts.append_only[sink.input]:
            step = self.as_points(sink.input, step)
        until = self._until(sink, step)
        if until is None:
            return step
        pattern = self._facts.taken_as(sink.input, sink)
        return self._listing.between("h", Hold(until), step, pattern, f"rows from `{until}` on")

    def _until(self, sink: Sink, step: Step) -> Until | None:
        if sink.emit != "changes":
            return "complete" if sink.emit == "final" else "frozen"
        ahead = step.form == "intervals" and self._facts.ahead[sink.input]
        return "now" if ahead else None

    def _shows_points(self, sink: Sink) -> bool:
        """Whether the sink needs the instants at which rows enter and leave."""
        if sink.format in _NEEDS_POINTS or sink.mode == "upsert":
            return True
        # Each piece appended would be a row of its own.
        return sink.mode == "append" and self._facts.in_pieces[sink.input]

    def _ends(self, source: Operator) -> str:
        return "never" if self._facts.append_only[source] else self._facts.patterns[source].ends
