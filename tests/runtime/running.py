"""Runs `.cql` texts as `reflow run` does, in this process: real sources, sinks and checkpoints."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds

from reflow.runtime.ledger.progress import Progress, Summary
from reflow.runtime.program import RunOptions

from ..harness.engine import emitted


@dataclass
class Place:
    """A folder with what a program reads, writes and remembers. `{dir}` in a text stands for it."""

    directory: Path
    seen: list[Progress] = field(default_factory=list)
    _files: int = 0

    def put(self, name: str, *lines: str) -> None:
        """A file of lines, whole at once, as a streaming source must find it, and younger than all
        before it: sources take the oldest first.
        """
        target = self.directory / name
        target.parent.mkdir(parents=True, exist_ok=True)
        staged = target.parent / f".{target.name}"
        staged.write_text("".join(f"{line}\n" for line in lines))
        self._files += 1
        os.utime(staged, (1_700_000_000 + self._files,) * 2)
        staged.replace(target)

    def run(
        self,
        text: str,
        checkpoint: str = "state",
        drain: bool = True,
        rebuild: bool = False,
        until: str | None = None,
        watch: Callable[[Progress], None] | None = None,
    ) -> Summary:
        """Compile and run to the end; `watch` sees the progress of every epoch, as does `seen`."""

        def progress(report: Progress) -> None:
            self.seen.append(report)
            if watch is not None:
                watch(report)

        options = RunOptions(
            str(self.directory / checkpoint),
            drain=drain and until is None,
            until=until,
            rebuild=rebuild,
            progress=progress,
        )
        summary: Summary = load(text.replace("{dir}", str(self.directory))).run(options)
        return summary

    def path(self, name: str) -> Path:
        return self.directory / name

    def rows(self, name: str, format: str = "parquet", *columns: str) -> list[tuple[Any, ...]]:
        """The rows of a folder that a reader sees, sorted."""
        files = visible(self.directory / name)
        table = ds.dataset(files, format=format).to_table(columns=list(columns) or None)
        return in_order(tuple(row.values()) for row in table.to_pylist())

    def dead_letters(self, checkpoint: str = "state") -> list[tuple[Any, ...]]:
        """Stream, reason, order value and text of every dead letter, sorted."""
        folder = f"{checkpoint}/reflow/dead_letters"
        return self.rows(folder, "parquet", "stream", "reason", "vs", "row")


def load(text: str) -> Any:
    """The program that a text compiles to."""
    namespace: dict[str, Any] = {"__name__": "program", "__file__": "program.py"}
    exec(compile(emitted(text), "program.py", "exec"), namespace)
    return namespace["program"]


def visible(folder: Path) -> list[str]:
    """Files that no reader passes over: neither they nor a folder above begins with `_` or `.`."""
    return sorted(
        str(path)
        for path in folder.rglob("*")
        if path.is_file() and not any(p[0] in "_." for p in path.relative_to(folder).parts)
    )


def in_order(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted(rows, key=repr)
