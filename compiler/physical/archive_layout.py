"""How much of each stream is archived: as far back as a step reads rows again, and not at all if
none does."""

from __future__ import annotations

from ..analyse.reach import Reaches
from ..analyse.replays import Replay
from ..plan.graph import Plan
from ..plan.operators import Scan
from .choice import Choice
from .program import FOR_EVER


class Readings:
    """Collects which steps read which archives, how far back."""

    def __init__(self) -> None:
        self._found: dict[str, Choice[int]] = {}

    def contents(self, reaches: Reaches, reader: str) -> None:
        """A step that reads rows while they are valid: for ever where they have no end."""
        for reach in sorted(reaches, key=str):
            self._add(reach.stream, FOR_EVER if reach.length is None else reach.length, reader)

    def expiries(self, reaches: Reaches, reader: str) -> None:
        """A step that reads rows when they end: rows without an end are never read again."""
        for reach in sorted(reaches, key=str):
            if reach.length is not None:
                self._add(reach.stream, reach.length, reader)

    def replays(self, replay: Replay, plan: Plan) -> None:
        """Slices of the archives are read as far back as corrections reach, and beyond that the
        rows on which the answers there depend. With KEEP n ROWS the runtime counts from there, not
        from `complete`.
        """
        scans = [operator for operator in plan.operators() if isinstance(operator, Scan)]
        by_rows = any(scan.stream.kept_rows is not None for scan in scans)
        longest = 0 if by_rows else max(scan.stream.kept or 0 for scan in scans)
        # Of a sample, only what corrected rows meet is read.
        read = replay.reach if replay.percent is None else replay.drawn
        technique = "REPLAY" if replay.percent is None else "APPROXIMATE"
        for name, _ in read:
            self._add(name, longest + replay.need, f"REVISE BY {technique}")
        for scan in scans:
            if scan.retracts:
                kept = 0 if by_rows else scan.stream.kept or 0
                self._add(scan.stream.name, kept + 1, "revisions are looked up by their key")

    def keep(self, stream: str) -> Choice[int | None]:
        """How much of a stream's archive to keep, with the step that reads furthest back."""
        found = self._found.get(stream)
        if found is None:
            return Choice(None, "nothing reads rows again: no archive")
        return Choice(found.value, found.reason)

    def _add(self, stream: str, length: int, reader: str) -> None:
        old = self._found.get(stream)
        if old is None or _longer(length, old.value):
            self._found[stream] = Choice(length, reader)


def _longer(length: int, than: int) -> bool:
    if than == FOR_EVER:
        return False
    return length == FOR_EVER or length > than
