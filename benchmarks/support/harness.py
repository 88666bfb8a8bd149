"""What the benchmarks share: runs of Reflow as a process, medians, and the results file."""

from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parents[1]
DATA = HERE / "data"
RESULTS = HERE / "RESULTS.md"
QUERIES = HERE / "queries"
ADOPT = HERE / "support" / "adopt.py"
# Batches that a process spends on compiling its Java code before it is in its steady state.
WARM_UP = 2


@dataclass(frozen=True)
class Run:
    """One process: seconds of each of its batches that had rows, in order, and of all of it.

    `batches` is from the end of the batch before to the end of this one, with all that Spark does
    between two batches; `epochs` is what the engine itself says of the same batches.
    """

    batches: tuple[float, ...]
    epochs: tuple[float, ...]
    rows: int
    wall: float
    cpu: float
    lines: tuple[Line, ...] = ()

    @property
    def steady(self) -> float:
        """Median seconds of a batch after the warm-up."""
        return median(self.batches[WARM_UP:] or self.batches)


@dataclass(frozen=True)
class Line:
    """A line of progress, and when it came."""

    progress: dict[str, Any]
    at: float

    @property
    def told(self) -> float:
        """Seconds of the batch as its engine tells them."""
        durations = self.progress["durationMs"]
        return float(durations.get("triggerExecution", durations.get("epoch", 0))) / 1000


class OutOfPatience(Exception):
    """A process had not ended when its time was up, and was killed."""


def run_json_lines(command: Sequence[str], folder: Path, patience: float | None = None) -> Run:
    """Runs a process that writes one JSON object a batch; SystemExit if it fails, OutOfPatience
    after so many seconds.

    Its times are until Java has ended too, which may be after the process itself.
    """
    folder.mkdir(parents=True, exist_ok=True)
    before, start = os.times(), time.perf_counter()
    lines: list[Line] = []
    adopted = [sys.executable, str(ADOPT), *command]
    with subprocess.Popen(
        adopted, cwd=folder, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        with _limited(process, patience) as up:
            for text in process.stdout:
                if text.startswith("{") and (progress := json.loads(text)).get("event") == "epoch":
                    lines.append(Line(progress, time.perf_counter()))
    if up.is_set():
        raise OutOfPatience
    if process.returncode:
        raise SystemExit(f"failed with status {process.returncode}: {' '.join(command)}")
    wall, after = time.perf_counter() - start, os.times()
    cpu = after.children_user + after.children_system
    cpu -= before.children_user + before.children_system
    return Run(*durations(lines), rows=rows_of(lines), wall=wall, cpu=cpu, lines=tuple(lines))


@contextmanager
def _limited(process: subprocess.Popen[str], patience: float | None) -> Iterator[threading.Event]:
    """Kills a process and all it started when its time is up, and then says so."""
    up = threading.Event()

    def kill() -> None:
        up.set()
        os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(patience or 0, kill)
    if patience is not None:
        timer.start()
    try:
        yield up
    except BaseException:
        # It has a session of its own, which Ctrl-C does not reach.
        os.killpg(process.pid, signal.SIGKILL)
        raise
    finally:
        timer.cancel()


def durations(lines: Sequence[Line]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Whole and told seconds of the batches that had rows.

    Spark's own `triggerExecution` is whole already. A delta program tells the epoch alone, so what
    counts is the time from line to line, except for the first, before which Spark was starting.
    """
    whole, told = [], []
    for position, line in enumerate(lines):
        if not line.progress["numInputRows"]:
            continue
        told.append(line.told)
        if position == 0 or "triggerExecution" in line.progress["durationMs"]:
            whole.append(line.told)
        else:
            whole.append(line.at - lines[position - 1].at)
    return tuple(whole), tuple(told)


def rows_of(lines: Sequence[Line]) -> int:
    """Rows of all batches."""
    return sum(int(line.progress["numInputRows"]) for line in lines)


def run_reflow(query: str, folder: Path, settings: Sequence[str] = ()) -> Run:
    """`reflow run --drain` of `queries/QUERY.cql` in `folder`, which holds `data/`."""
    return run_file(QUERIES / f"{query}.cql", folder, settings)


def run_file(file: Path, folder: Path, settings: Sequence[str] = ()) -> Run:
    """`reflow run --drain` of a file in `folder`, which holds `data/`."""
    command = [
        *(sys.executable, "-m", "reflow.cli", "run", str(file.resolve())),
        *("--checkpoint", str(folder / "state"), "--drain", "--json-progress"),
    ]
    for setting in settings:
        command += ["--set", setting]
    return run_json_lines(command, folder)


def fresh(name: str, source: Path) -> Path:
    """An empty folder that holds `data`."""
    folder = DATA / "runs" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "data").symlink_to(source.resolve())
    return folder


def figures(values: Sequence[float]) -> str:
    """Median and range, `2.10 (2.05 to 2.31)`."""
    return f"{median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def record(name: str, table: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> None:
    """Appends a section to RESULTS.md and prints it: date, machine, versions, command, figures."""
    head, *rows = table
    lines = [
        f"## {name}, {datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "",
        f"* machine: {machine()}",
        f"* versions: {versions()}",
        f"* command: `python -m benchmarks.{' '.join([name, *sys.argv[1:]])}`",
        *(f"* {note}" for note in notes),
        "",
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
        *("| " + " | ".join(row) + " |" for row in rows),
        "",
    ]
    text = "\n".join(lines)
    print(text)
    if not RESULTS.exists():
        RESULTS.write_text("# Results of the benchmarks, newest last\n\n", encoding="utf-8")
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(text + "\n")


def machine() -> str:
    """Cores, memory, processor and system, without the machine's name."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    cores = len(os.sched_getaffinity(0))
    return f"{cores} cores, {pages:.0f} GB, {processor()}, {platform.system()}"


def processor() -> str:
    """The processor's name as Linux tells it."""
    info = Path("/proc/cpuinfo")
    names = [
        line.partition(":")[2].strip()
        for line in (info.read_text(encoding="utf-8").splitlines() if info.exists() else [])
        if line.startswith("model name")
    ]
    return names[0] if names else platform.machine()


def versions() -> str:
    """Python, Java and the packages that matter."""
    home = os.environ.get("JAVA_HOME")
    program = str(Path(home) / "bin" / "java") if home else "java"
    told = subprocess.run([program, "-version"], capture_output=True, text=True, check=False)
    java = told.stderr.splitlines()
    packages = ", ".join(f"{name} {version(name)}" for name in ("reflow", "pyspark", "pyarrow"))
    return f"Python {platform.python_version()}, {java[0] if java else 'no Java'}, {packages}"
