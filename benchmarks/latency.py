"""Epochs of 1,000 rows with Parquet sink, state and manifest: aggregate, DISTINCT, join."""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median, quantiles

from .generators.files import write_csv
from .generators.network import flows
from .support.harness import DATA, Run, fresh, record, run_reflow

QUERIES = {"aggregate": 0.5, "distinct": 0.5, "join": 0.7}
HEAD = (
    *("query", "epochs", "median epoch s", "95th percentile s", "figure to reach"),
    *("last to first", "median with Spark's own work between epochs s"),
)
BATCH = 1_000
# Epochs before the Java code is compiled; they count in no figure.
WARM_UP = 20
# Epochs at both ends that are compared to see whether the cost is flat.
END = 100


def main() -> None:
    """`python -m benchmarks.latency [--epochs 1000] [--queries join]`."""
    parser = argparse.ArgumentParser(description="Seconds of a small epoch.")
    parser.add_argument("--epochs", type=int, default=1_000)
    parser.add_argument("--queries", default=",".join(QUERIES))
    given = parser.parse_args()
    source = prepare(given.epochs)
    table = [list(HEAD)]
    for name in given.queries.split(","):
        folder = fresh(f"latency-{name}", source)
        table.append(line(name, run_reflow(f"latency_{name}", folder)))
    notes = [
        f"{BATCH:,} rows an epoch, 1 ms apart, windows of 20 s; the first {WARM_UP} not counted",
        f"last to first: median of the last {END} epochs by that of the first {END} counted",
    ]
    record("latency", table, notes)


def prepare(epochs: int) -> Path:
    """The input, generated once."""
    folder = DATA / f"latency-{epochs}"
    if not folder.exists():
        write_csv(folder / "data" / "flows", flows(epochs * BATCH), BATCH)
    return folder / "data"


def line(name: str, run: Run) -> list[str]:
    """One row of the table."""
    counted = run.epochs[WARM_UP:] or run.epochs
    flat = median(counted[-END:]) / median(counted[:END]) if len(counted) >= 2 * END else None
    return [
        name,
        f"{len(run.epochs):,}",
        f"{median(counted):.3f}",
        f"{quantiles(counted, n=20)[-1]:.3f}" if len(counted) > 1 else "",
        f"≤ {QUERIES[name]}",
        f"{flat:.2f}" if flat else f"needs {2 * END + WARM_UP} epochs",
        f"{median(run.batches[WARM_UP:] or run.batches):.3f}",
    ]


if __name__ == "__main__":
    main()
