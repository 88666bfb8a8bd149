"""Window join, aggregates and a scan against native Structured Streaming with both state stores."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pyarrow as pa
import pyarrow.compute as pc

from .generators.files import write_csv
from .generators.network import flows
from .support import compare
from .support.harness import (
    DATA,
    OutOfPatience,
    Run,
    figures,
    fresh,
    record,
    run_json_lines,
    run_reflow,
)

ENGINES = ("reflow", "memory", "rocksdb")
HEAD = (
    *("query", "engine", "s per 1 M rows, steady: median (range)", "ratio to Reflow"),
    *("whole process s", "CPU s"),
)
# Rows of a file, which is a batch.
BATCH = 1_000_000


@dataclass(frozen=True)
class Workload:
    """A query of `queries/`, what it asks, and how the two outputs are made comparable."""

    name: str
    question: str
    same: Callable[[pa.Table, pa.Table], str]


def rows_equal(*columns: str) -> Callable[[pa.Table, pa.Table], str]:
    """Both sides hold the same rows."""

    def same(ours: pa.Table, theirs: pa.Table) -> str:
        return compare.difference(compare.net(ours, list(columns)), theirs)

    return same


def rows_equal_until(*columns: str) -> Callable[[pa.Table, pa.Table], str]:
    """The same rows up to where both are complete: a watermark holds the last ones back."""

    def same(ours: pa.Table, theirs: pa.Table) -> str:
        net = compare.net(ours, list(columns))
        last = min(pc.max(net["ts"]).as_py(), pc.max(theirs["ts"]).as_py())
        return compare.difference(
            *(side.filter(pc.less_equal(side["ts"], last)) for side in (net, theirs))
        )

    return same


def windows_equal(ours: pa.Table, theirs: pa.Table) -> str:
    """Ours is valid from minute to minute, theirs has the ends of its windows."""
    pieces = compare.net(ours, ["src", "average", "n", "vs", "ve"])
    last = min(pc.max(pieces["vs"]).as_py(), pc.max(theirs["at"]).as_py())
    return compare.difference(
        compare.each_minute(pieces, last), theirs.filter(pc.less_equal(theirs["at"], last))
    )


WORKLOADS = (
    Workload("scan", "scan and filter", rows_equal("ts", "src", "nbytes")),
    Workload(
        "pairs",
        "window join on src, ±20 s, telnet, links 1 and 2",
        rows_equal("a_ts", "b_ts", "src", "a_bytes", "b_bytes"),
    ),
    Workload("panes", "AVG per src, 5 min every 1 min", windows_equal),
    Workload(
        "recent",
        "AVG per src over the last 20 s, per row",
        rows_equal_until("ts", "src", "average"),
    ),
)


def main() -> None:
    """`python -m benchmarks.peers [--rows N] [--repeats 3] [--queries scan] [--patience 600]`."""
    parser = argparse.ArgumentParser(description="Reflow against native Structured Streaming.")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--queries", default=",".join(workload.name for workload in WORKLOADS))
    parser.add_argument("--memory", default="4g", help="heap of each process")
    parser.add_argument("--patience", type=float, help="seconds after which a peer is stopped")
    given = parser.parse_args()
    source = prepare(given.rows)
    chosen = [workload for workload in WORKLOADS if workload.name in given.queries.split(",")]
    scan: float | None = None
    notes = [
        f"{given.rows:,} rows of CSV in files of {BATCH:,}, one a batch; {given.repeats} runs each",
        "outputs compared row by row before timing; an engine whose output differs has no figure",
    ]
    for workload in chosen:
        runs, differences = measure(workload, source, given.repeats, given.memory, given.patience)
        ours = median(run.steady for run in runs["reflow"])
        scan = ours if workload.name == "scan" else scan
        # What has been measured is kept when a later query fails or is broken off.
        record("peers", [list(HEAD), *report(workload, runs, differences, ours, scan)], notes)


def prepare(rows: int) -> Path:
    """The input, generated once."""
    folder = DATA / f"flows-{rows}"
    if not folder.exists():
        write_csv(folder / "data" / "flows", flows(rows), BATCH)
    return folder / "data"


def measure(
    workload: Workload, source: Path, repeats: int, memory: str, patience: float | None
) -> tuple[dict[str, list[Run]], dict[str, str]]:
    """All engines in turn, as often as asked; the first round's outputs are compared, and a peer
    that is stopped in it is not started again.
    """
    runs: dict[str, list[Run]] = {engine: [] for engine in ENGINES}
    differences: dict[str, str] = {}
    for number in range(repeats):
        folders = {engine: fresh(f"{workload.name}-{engine}", source) for engine in ENGINES}
        for engine in ENGINES:
            if differences.get(engine):
                continue
            print(f"{workload.name}: {engine}, run {number + 1}", file=sys.stderr, flush=True)
            try:
                run = start(engine, workload.name, folders[engine], memory, patience)
            except OutOfPatience:
                differences[engine] = f"not done after {patience:.0f} s"
                continue
            runs[engine].append(run)
            if number == 0 and engine != "reflow":
                ours = compare.read(folders["reflow"] / "out" / workload.name)
                theirs = compare.read(folders[engine] / "out-native")
                if unlike := workload.same(ours, theirs):
                    differences[engine] = f"outputs differ: {unlike}"
    return runs, differences


def start(engine: str, query: str, folder: Path, memory: str, patience: float | None) -> Run:
    """One run of one engine."""
    if engine == "reflow":
        return run_reflow(query, folder, [f"spark.driver.memory={memory}"])
    command = [sys.executable, "-m", "benchmarks.support.native_spark", query]
    return run_json_lines([*command, "--store", engine, "--memory", memory], folder, patience)


def report(
    workload: Workload,
    runs: dict[str, list[Run]],
    differences: dict[str, str],
    ours: float,
    scan: float | None,
) -> list[list[str]]:
    """The rows of the table that belong to one query."""
    lines = []
    for engine in ENGINES:
        name = "Reflow" if engine == "reflow" else f"native Spark, {engine}"
        if differences.get(engine):
            lines.append([workload.question, name, differences[engine], "", "", ""])
            continue
        steady = median(run.steady for run in runs[engine])
        ratio = f"{steady / ours:.2f}"
        if engine == "reflow":
            ratio = f"{ours / scan:.2f} × scan" if scan and workload.name != "scan" else "1"
        lines.append(
            [
                *(workload.question, name, figures([run.steady for run in runs[engine]]), ratio),
                f"{median(run.wall for run in runs[engine]):.1f}",
                f"{median(run.cpu for run in runs[engine]):.1f}",
            ]
        )
    return lines


if __name__ == "__main__":
    main()
