"""The outcomes on the terminal: a line a case, the differences of those that failed, a summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from .outcome import Mark, Mismatch, Outcome, Trouble

MOST_ROWS = 40
"""Rows shown of one difference."""

_MARKS: dict[Mark, tuple[str, str]] = {
    "missing": ("- missing", "red"),
    "unexpected": ("+ unexpected", "green"),
    "both": ("  both", "dim"),
}


class Reporter:
    """Prints to stdout; colours only on a terminal."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False)
        self._path = ""

    def case(self, outcome: Outcome) -> None:
        """One case, below the name of its file."""
        case = outcome.case
        if case.place.path != self._path:
            self._path = case.place.path
            self._line(Text(self._path, style="bold"))
        status = Text("  ok    ", "green") if outcome.passed else Text("  FAIL  ", "bold red")
        self._line(status + Text(case.name) + Text(f"  {outcome.seconds:.1f} s", "dim"))
        if outcome.passed:
            return
        for failure in outcome.failures:
            self._failure(failure)
        for note in outcome.notes:
            self._line(Text(f"        note: {note}", "yellow"))

    def summary(self, outcomes: Sequence[Outcome], seconds: float) -> None:
        """How many passed and failed."""
        failed = [outcome for outcome in outcomes if not outcome.passed]
        if failed:
            self._line(Text())
            for outcome in failed:
                place = outcome.case.place
                self._line(Text(f"failed: {place.path}:{place.line}: {outcome.case.name}"))
        passed = len(outcomes) - len(failed)
        text = f"{passed} passed, {len(failed)} failed in {seconds:.1f} s"
        self._line(Text(text, "bold red" if failed or not outcomes else "bold green"))

    def _failure(self, failure: Mismatch | Trouble) -> None:
        place = failure.place
        self._line(Text(f"        {place.path}:{place.line}: {_short(place.text)}"))
        if isinstance(failure, Trouble):
            for line in failure.text.splitlines():
                self._line(Text(f"        {line}".rstrip()))
            return
        counts = f"expected {_rows(failure.expected)}, got {_rows(failure.got)}"
        self._line(Text(f"        {counts}"))
        for text in _table(failure):
            self._line(text)

    def _line(self, text: Text) -> None:
        self._console.print(text, soft_wrap=True)


def _table(mismatch: Mismatch) -> Iterator[Text]:
    """A line of names, then a line a row, in columns. No line is cut: it would hide a value."""
    shown = mismatch.rows[:MOST_ROWS]
    lines = [("", *mismatch.columns), *((_MARKS[mark][0], *row) for mark, row in shown)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    styles = ["", *(_MARKS[mark][1] for mark, _ in shown)]
    for line, style in zip(lines, styles, strict=True):
        padded = [cell + " " * (w - cell_len(cell)) for cell, w in zip(line, widths, strict=True)]
        yield Text("        " + "  ".join(padded).rstrip(), style)
    left = len(mismatch.rows) - MOST_ROWS
    if left > 0:
        yield Text(f"        … {_rows(left)} more")


def _rows(count: int) -> str:
    return "no rows" if count == 0 else "1 row" if count == 1 else f"{count} rows"


def _short(text: str, most: int = 90) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
