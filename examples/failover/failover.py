"""Two copies of a query and their merge, as three processes. One copy is killed and comes back,
then the other is killed; a third copy without a history takes over from both. The merged answers go
on all the while, and are those of a run that nobody stops.

    python -m examples.failover.failover [FOLDER]
"""

from __future__ import annotations

import shutil
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa

from benchmarks.generators.files import write_one
from benchmarks.generators.quotes import START, SYMBOLS, quotes

from ..processes import Failed, Process, reflow

HERE = Path(__file__).resolve().parent
MINUTES = 9
MINUTE = 60 * SYMBOLS
WINDOW = timedelta(minutes=1)
LAST_SLIDE = timedelta(seconds=10)


class Show:
    """A folder with the queries, and what runs in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._rows = pa.concat_tables(quotes(MINUTES * MINUTE))
        self._given = 0
        self._running: dict[str, Process] = {}
        for name in ("data/in", "data/recent", "out/a", "out/b"):
            (folder / name).mkdir(parents=True)
        for file in HERE.glob("*.cql"):
            shutil.copy(file, folder)

    @property
    def now(self) -> datetime:
        """Up to where quotes have been given."""
        start = datetime.fromtimestamp(START / 1e6, UTC).replace(tzinfo=None)
        return start + timedelta(minutes=self._given)

    def start(self, name: str) -> None:
        """Starts a process, anew or again."""
        self._running[name] = Process(self._folder, name)
        _tell(f"{name} starts")

    def kill(self, name: str) -> None:
        """Kills one."""
        self._running.pop(name).kill()
        _tell(f"{name} is killed")

    def minute(self, recent: bool = False) -> None:
        """Gives a minute of quotes, and waits until the merged answers reach into its last slide.
        `recent`: the third copy reads it, too.
        """
        part = self._rows.slice(self._given * MINUTE, MINUTE)
        for name in ("in", "recent") if recent else ("in",):
            write_one(self._folder / "data" / name, self._given, part)
        begun = time.monotonic()
        self._given += 1
        last = (self.now - LAST_SLIDE).isoformat()
        self._reached("merged", last)
        copies = ", ".join(sorted(self._running.keys() - {"merged"}))
        print(
            f"{last[11:]} answered after {time.monotonic() - begun:4.1f} s, by {copies}", flush=True
        )

    def jump_start(self) -> None:
        """The third copy has no history: it is right from where its window is full."""
        since = self.now - timedelta(minutes=1) + WINDOW
        self.start("copy_next")
        self.minute(recent=True)
        self._reached("copy_next", (self.now - LAST_SLIDE).isoformat())
        self._ask("attach", "next", "--from", since.isoformat(" "))

    def cut_over(self) -> None:
        """From now on it is the third copy that answers."""
        for name in ("a", "b"):
            self._ask("detach", name)
            if f"copy_{name}" in self._running:
                self.kill(f"copy_{name}")

    def end(self) -> None:
        """Ends what runs."""
        while self._running:
            self._running.popitem()[1].stop()

    def _ask(self, what: str, stream: str, *more: str) -> None:
        said = reflow(
            self._folder, what, "merged.cql", stream, "--checkpoint", "state/merged", *more
        )
        _tell(said.strip())

    def _reached(self, name: str, instant: str) -> None:
        self._running[name].wait(lambda told: str(told.get("now") or "") >= instant)


def _tell(text: str) -> None:
    print(f"         {text}", flush=True)


def play(folder: Path) -> None:
    """The whole story; each line shows an answer that came, or what was done to a copy."""
    show = Show(folder)
    try:
        for name in ("copy_a", "copy_b", "merged"):
            show.start(name)
        show.minute()
        show.minute()
        show.kill("copy_a")
        show.minute()
        show.start("copy_a")
        show.minute()
        show.kill("copy_b")
        show.minute()
        show.minute(recent=True)
        show.jump_start()
        show.cut_over()
        show.minute(recent=True)
    finally:
        show.end()


def compare(folder: Path) -> int:
    """The merged answers against those of the query by itself; how many lines there are."""
    reflow(folder, "run", "alone.cql", "--checkpoint", "state/alone", "--drain", "--quiet")
    merged, alone = (_lines(folder / "out" / f"{name}.log") for name in ("merged", "alone"))
    if merged != alone:
        more, less = merged - alone, alone - merged
        raise Failed(
            f"{more.total()} lines too many, such as {next(iter(more), '')};"
            f" {less.total()} are missing, such as {next(iter(less), '')}"
        )
    return merged.total()


def _lines(path: Path) -> Counter[str]:
    return Counter(path.read_text().splitlines())


def main() -> int:
    """0: as it should be."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "run"
    shutil.rmtree(folder, ignore_errors=True)
    play(folder)
    print(f"{compare(folder):,} lines, each once: as if nobody had been killed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
