"""Progress of a run, for people (stderr) and for programs (stdout). Importing this loads rich."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text

from reflow.runtime.ledger.progress import Progress, Summary


class Display:
    """Shows nothing: `--quiet`, and what the other displays add to."""

    def __enter__(self) -> Display:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None

    def epoch(self, progress: Progress) -> None:
        """Called after every committed epoch."""

    def summary(self, summary: Summary) -> None:
        """Called once, after the run has ended as asked."""


class JsonDisplay(Display):
    """One JSON object a line: every epoch (`"event": "epoch"`), at last the summary."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def epoch(self, progress: Progress) -> None:
        self._write("epoch", progress.to_json())

    def summary(self, summary: Summary) -> None:
        self._write("summary", summary.to_json())

    def _write(self, event: str, json_object: str) -> None:
        # Flushed, so that a reader at the other end of a pipe sees an epoch when it is over.
        print(f'{{"event": "{event}", {json_object[1:]}', file=self._out, flush=True)


class LineDisplay(Display):
    """A line an epoch, for logs and pipes."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def epoch(self, progress: Progress) -> None:
        self._print(epoch_line(progress))

    def summary(self, summary: Summary) -> None:
        self._print(summary_line(summary))

    def _print(self, line: str) -> None:
        # A stream's name may hold what rich takes for markup.
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)


class LiveDisplay(LineDisplay):
    """One line that is rewritten by every epoch, for a terminal; the summary stays."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        # Output of a CONSOLE sink goes above the line, but only if it goes to the same terminal.
        self._live = Live(
            Text("starting Spark …"),
            console=console,
            transient=True,
            refresh_per_second=8,
            redirect_stdout=sys.stdout.isatty(),
        )

    def __enter__(self) -> Display:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()

    def epoch(self, progress: Progress) -> None:
        self._live.update(Text(epoch_line(progress)))


def make_display(*, quiet: bool, json_lines: bool) -> Display:
    """The display that the arguments and the terminal ask for."""
    if quiet:
        return Display()
    if json_lines:
        return JsonDisplay(sys.stdout)
    console = Console(stderr=True)
    return LiveDisplay(console) if console.is_terminal else LineDisplay(console)


def epoch_line(progress: Progress) -> str:
    """`epoch 3  1,000 rows (52,000/s)  now …  complete … (held back by weather)  …`."""
    parts = [
        f"epoch {progress.epoch}",
        f"{progress.numInputRows:,} rows ({progress.processedRowsPerSecond:,.0f}/s)",
        *_clock(progress.now, progress.complete, progress.heldBackBy, progress.frozen),
        f"state {progress.stateRows:,} rows",
    ]
    if progress.deadLetters:
        parts.append(f"dead letters {progress.deadLetters:,}")
    return "  ".join(parts)


def summary_line(summary: Summary) -> str:
    """The totals of a run, in the words of the epoch's line."""
    return "  ".join(
        [
            f"done: {_count(summary.epochs, 'epoch')}",
            f"{summary.numInputRows:,} rows in {summary.seconds:,.1f} s "
            f"({summary.processedRowsPerSecond:,.0f}/s)",
            *_clock(summary.now, summary.complete, None, summary.frozen),
            f"state {summary.stateRows:,} rows",
            f"dead letters {summary.deadLetters:,}",
        ]
    )


Instant = str | int | None


def _clock(now: Instant, complete: Instant, held_back_by: str | None, frozen: Instant) -> list[str]:
    """The frontiers; those that say nothing new are left out."""
    if now is None:
        return []
    parts = [f"now {now}"]
    if complete is not None and complete != now:
        by = f" (held back by {held_back_by})" if held_back_by else ""
        parts.append(f"complete {complete}{by}")
    if frozen is not None and frozen != complete:
        parts.append(f"frozen {frozen}")
    return parts


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
