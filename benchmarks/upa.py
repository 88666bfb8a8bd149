"""UPA's Queries 1 to 5 under 'upa', 'nt' and 'direct': rows touched, seconds, bytes of state."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pyarrow as pa

from reflow.compiler.pipeline import compile_text
from reflow.compiler.plan.settings import EXECUTIONS

from .generators import network
from .generators.files import write_csv
from .support import compare, eventlog
from .support.eventlog import Touched
from .support.harness import DATA, HERE, Run, fresh, record, run_file

EXAMPLES = HERE.parent / "examples" / "network"
HEAD = (
    *("query", "window", "execution", "rows touched per input row", "without the scan of the CSV"),
    *("figure to reach", "s an epoch", "state and archive KB"),
)
HEAD5 = (
    *("query", "window", "values of src", "plan", "estimated rows/s", "optimiser takes"),
    *("rows touched per input row", "s an epoch"),
)
STATS = (
    "\nWITH STATS (rate = 2, distinct src = {sources}, distinct link = 2, distinct protocol = 5)"
)
UNIT = 1_000_000
# By how much the bytes of DISTINCT's state are to be fewer than the better of the other two's.
STATE = 50
# Epochs in which the first window is read; what is measured comes after them.
FILLING = 10


@dataclass(frozen=True)
class Workload:
    """A query, its file with windows of 2,000 s, and how many times fewer rows it is to touch."""

    name: str
    question: str
    file: Path
    goal: float | None = None
    protocol: str = "ftp"


@dataclass(frozen=True)
class Size:
    """Tuples of each link: in a window, in an epoch, in all; and the values of `src`."""

    window: int
    epoch: int
    units: int
    sources: int = network.SOURCES


@dataclass(frozen=True)
class Measured:
    """A run after its windows were full."""

    touched: Touched
    rows: int
    seconds: float
    state: int
    answer: pa.Table

    @property
    def each(self) -> float:
        """Rows touched per input row."""
        return self.touched.total / self.rows


WORKLOADS = (
    Workload("q1-ftp", "Query 1, ftp", EXAMPLES / "query1.cql", 2),
    Workload("q1-telnet", "Query 1, telnet", EXAMPLES / "query1.cql", 2, "telnet"),
    Workload("q2", "Query 2, DISTINCT", EXAMPLES / "query2.cql", 10),
    Workload("q3", "Query 3, EXCEPT ALL", EXAMPLES / "query3.cql"),
    Workload("q4", "Query 4, join of DISTINCTs", EXAMPLES / "query4.cql", 5),
    Workload("q5", "Query 5, negation and join", EXAMPLES / "query5.cql"),
)
PLANS = {
    "above": Workload("q5-above", "Query 5", EXAMPLES / "query5.cql"),
    "below": Workload("q5-below", "Query 5", HERE / "queries" / "upa_query5_below.cql"),
}


def main() -> None:
    """`python -m benchmarks.upa [--windows 2000,20000] [--epoch 0.01] [--queries q1-ftp,plans]`."""
    given = arguments()
    wanted = given.queries.split(",")
    sizes = [size(int(text), given.epoch, given.fill) for text in given.windows.split(",")]
    notes = [
        f"one tuple a second and link; {given.fill:g} windows of input, epochs of "
        f"{given.epoch:.1%} of the window; counted from when the windows were full, which took "
        f"{FILLING} larger epochs",
        "rows read + written + written to shuffles, from Spark's event log; one run each",
        "outputs compared at every instant; an execution whose output differs has no figure",
    ]
    table, curves = [list(HEAD)], {}
    try:
        for workload in (each for each in WORKLOADS if each.name in wanted):
            curves[workload] = {each.window: measure(workload, each, given) for each in sizes}
            for window, found in curves[workload].items():
                table += report(workload, window, found)
    finally:
        # What has been measured is kept when a later query fails or is broken off.
        if len(table) > 1:
            record("upa", table, notes)
    if "plans" in wanted:
        lines = [line for each in sizes for line in plans(each, given)]
        record("upa", [list(HEAD5), *lines], notes)
    if given.plots:
        for workload, found in curves.items():
            draw(workload, found)


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description="The three executions of UPA on one engine.")
    parser.add_argument("--windows", default="2000,20000,200000", help="tuples of each link")
    parser.add_argument("--epoch", type=float, default=0.01, help="part of the window")
    parser.add_argument("--fill", type=float, default=1.2, help="windows of input")
    names = ",".join([*(workload.name for workload in WORKLOADS), "plans"])
    parser.add_argument("--queries", default=names)
    parser.add_argument("--memory", default="4g", help="heap of each process")
    parser.add_argument("--no-plots", dest="plots", action="store_false")
    given = parser.parse_args()
    if given.fill <= 1:
        parser.error("--fill: only what comes after the first window is counted")
    if given.plots:
        # Needed only at the end, but hours may lie between.
        from .support import plots  # noqa: F401
    return given


def size(window: int, part: float, fill: float) -> Size:
    """A window of so many tuples of each link."""
    return Size(window, max(1, round(window * part)), round(window * fill))


def measure(workload: Workload, size: Size, given: argparse.Namespace) -> dict[str, Measured | str]:
    """Each execution in a process of its own, or what its output has wrong against the first's."""
    found: dict[str, Measured | str] = {}
    text = query(workload, size)
    for execution in EXECUTIONS:
        name = f"upa-{workload.name}-{size.window}-{execution}"
        run = start(name, f"SET execution = '{execution}';\n{text}", size, given.memory)
        first = found.get(EXECUTIONS[0])
        found[execution] = checked(run, first) if isinstance(first, Measured) else run
    return found


def checked(run: Measured, first: Measured) -> Measured | str:
    """The run, or how its answer differs from the first's."""
    wrong = compare.difference(run.answer, first.answer)
    return f"outputs differ: {wrong}" if wrong else run


def query(workload: Workload, size: Size) -> str:
    """The example's text with this window, this protocol, and what is true of the data."""
    text = workload.file.read_text(encoding="utf-8")
    end = "maxFilesPerTrigger = '1');"
    changed = text.replace("RANGE 2000 SECONDS", f"RANGE {size.window} SECONDS")
    changed = changed.replace(end, end[:-1] + STATS.format(sources=size.sources) + ";")
    return changed.replace("'ftp'", f"'{workload.protocol}'")


def start(name: str, text: str, size: Size, memory: str) -> Measured:
    """One run; what it did after the windows were full."""
    print(name, file=sys.stderr, flush=True)
    folder = fresh(name, prepare(size))
    file = folder / "query.cql"
    file.write_text(text, encoding="utf-8")
    logs = folder / "events"
    run = run_file(file, folder, [*eventlog.settings(logs), f"spark.driver.memory={memory}"])
    # From the clock of the lines to that of Spark's log.
    ahead = time.time() - time.perf_counter()
    position = full(run, size)
    last = network.START + (size.units - 1) * UNIT
    (output,) = (folder / "out").iterdir()
    return Measured(
        touched=eventlog.touched(logs, run.lines[position - 1].at + ahead),
        rows=sum(int(line.progress["numInputRows"]) for line in run.lines[position:]),
        seconds=median(run.batches[FILLING:]),
        state=max(int(line.progress["stateBytes"]) for line in run.lines[position:]),
        answer=compare.changes(compare.read(output), last),
    )


def full(run: Run, size: Size) -> int:
    """The position of the first epoch that begins with full windows."""
    rows = 0
    for position, line in enumerate(run.lines):
        if rows >= 2 * size.window:
            return position
        rows += int(line.progress["numInputRows"])
    raise SystemExit(f"only {rows:,} rows of input: the windows were never full")


def prepare(size: Size) -> Path:
    """The input, generated once: both links' rows of an epoch in one file, the first window in
    `FILLING` files.
    """
    folder = DATA / f"linked-{size.window}-{size.units}-{size.epoch}-{size.sources}"
    if not folder.exists():
        rows = network.linked(size.units, sources=size.sources)
        filling = [2 * size.window // FILLING] * FILLING
        write_csv(folder / "data" / "flows", rows, 2 * size.epoch, first=filling)
    return folder / "data"


def report(workload: Workload, window: int, found: Mapping[str, Measured | str]) -> list[list[str]]:
    """The rows of the table that belong to one query and window."""
    lines = []
    for execution, run in found.items():
        begin = [workload.question, f"{window:,}", execution]
        if isinstance(run, str):
            lines.append([*begin, run, "", "", "", ""])
            continue
        others = [
            other
            for name, other in found.items()
            if name != EXECUTIONS[0] and isinstance(other, Measured)
        ]
        figures = [f"{run.each:.1f}", f"{run.each - 1:.1f}", "", f"{run.seconds:.2f}"]
        figures.append(f"{run.state / 1000:,.0f}")
        if execution == EXECUTIONS[0] and others:
            figures = against(workload, run, others)
        lines.append([*begin, *figures])
    return lines


def against(workload: Workload, run: Measured, others: Sequence[Measured]) -> list[str]:
    """The figures of 'upa', each with its ratio to the better of the other two."""
    each = min(other.each for other in others)
    less = (each - 1) / max(run.each - 1, 1e-9)
    state = min(other.state for other in others) / max(run.state, 1)
    goal = f"≥ {workload.goal:g} ×" if workload.goal else ""
    aim = f", to reach ≥ {STATE} ×" if workload.name == "q2" else ""
    return [
        f"{run.each:.1f} ({each / run.each:.2f} × fewer)",
        f"{run.each - 1:.1f} ({less:.2f} × fewer)",
        goal,
        f"{run.seconds:.2f} ({min(other.seconds for other in others) / run.seconds:.2f} ×)",
        f"{run.state / 1000:,.0f} ({state:.1f} × fewer{aim})",
    ]


def plans(size: Size, given: argparse.Namespace) -> list[list[str]]:
    """Query 5 with the negation above and below the join, on few and on many values of `src`."""
    lines = []
    for sources in (max(2, size.window // 40), 10 * size.window):
        data = Size(size.window, size.epoch, size.units, sources)
        costs, taken = choice(query(PLANS["above"], data))
        runs: dict[str, Measured] = {}
        for plan, workload in PLANS.items():
            text = f"SET optimizer = 'rules';\n{query(workload, data)}"
            name = f"upa-{workload.name}-{size.window}-{sources}"
            runs[plan] = start(name, text, data, given.memory)
        wrong = compare.difference(runs["above"].answer, runs["below"].answer)
        for plan, run in runs.items():
            lines.append(
                [
                    *("Query 5", f"{size.window:,}", f"{sources:,}", f"negation {plan} the join"),
                    *(f"{costs[plan]:,.0f}", "this" if plan == taken else ""),
                    f"outputs differ: {wrong}" if wrong else f"{run.each:.1f}",
                    "" if wrong else f"{run.seconds:.2f}",
                ]
            )
    return lines


def choice(text: str) -> tuple[dict[str, float], str]:
    """What the optimiser expects of both plans of Query 5, and which one it takes."""
    decisions = compile_text(text).decisions
    # The first time it is asked: the plan is as it was written, the negation above the join.
    found = next(each for each in decisions if each.rule == "negation_and_join")
    costs: dict[str, float] = {}
    taken = ""
    for candidate in found.candidates:
        plan = "above" if candidate.what == "as it stands" else "below"
        costs[plan] = candidate.cost
        taken = plan if candidate.chosen else taken
    return costs, taken


def draw(workload: Workload, found: Mapping[int, Mapping[str, Measured | str]]) -> None:
    """One picture a query: rows touched and seconds over the windows."""
    from .support import plots

    rows: dict[str, dict[int, float]] = {execution: {} for execution in EXECUTIONS}
    seconds: dict[str, dict[int, float]] = {execution: {} for execution in EXECUTIONS}
    for window, runs in found.items():
        for execution, run in runs.items():
            if isinstance(run, Measured):
                rows[execution][window] = run.each
                seconds[execution][window] = run.seconds
    panels = {"rows touched per input row": rows, "seconds an epoch": seconds}
    plots.lines(f"upa-{workload.name}", workload.question, panels)


if __name__ == "__main__":
    main()
