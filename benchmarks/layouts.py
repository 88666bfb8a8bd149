"""What archiving costs rows that stream in from Parquet files, by the layout of the archive."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from .generators import quotes
from .generators.files import regroup, write_parquet
from .replay import EXAMPLES
from .support import compare
from .support.harness import DATA, Line, figures, fresh, record, run_file

LAYOUTS = ("no archive", "LAYOUT PLAIN", "LAYOUT SOURCE")
TIMES, EPOCH, WARM_UP = 3, 100_000, 3
TABLE = ("query", "archive", f"s of {EPOCH:,} rows", "to no archive", "MB of the checkpoint")

Measured = dict[tuple[str, str], list[tuple[float, float]]]


def main() -> None:
    """`python -m benchmarks.layouts [--rows 1000000] [--queries q1]`."""
    given = arguments()
    names = given.queries.split(",")
    found: Measured = {}
    wrong = []
    for name in names:
        for _ in range(TIMES):
            for layout in LAYOUTS:
                told = start(name, given.rows, layout, given.memory)
                found.setdefault((name, layout), []).append(told)
        wrong += differences(name)
    notes = [
        f"{quotes.SYMBOLS} symbols, a quote of each every second, from Parquet files of an epoch;"
        " the paper's queries as in examples/quotes; ARCHIVE KEEP 30 DAYS, no revisions",
        f"medians of {TIMES} processes by turns (least to largest), of each the median of its"
        f" epochs, as the engine tells them, without the first {WARM_UP}",
        *(wrong or ["answers compared, equal at every instant"]),
    ]
    record("layouts", [TABLE, *lines(found)], notes)


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description="Layouts of an archive.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--queries", default="q1")
    parser.add_argument("--memory", default="4g", help="heap of each process")
    return parser.parse_args()


def lines(found: Measured) -> Iterator[list[str]]:
    """A line for each layout, held against no archive."""
    for (name, layout), measured in found.items():
        seconds, megabytes = zip(*measured, strict=True)
        without = median(told for told, _ in found[name, LAYOUTS[0]])
        ratio = "" if layout == LAYOUTS[0] else f"{median(seconds) / without:.2f} ×"
        yield [name, layout, figures(seconds), ratio, f"{median(megabytes):.1f}"]


def start(name: str, rows: int, layout: str, memory: str) -> tuple[float, float]:
    """Seconds of an epoch, and megabytes of the checkpoint, of a process."""
    print(name, layout, file=sys.stderr, flush=True)
    folder = fresh(_run(name, layout), prepare(rows))
    file = folder / "query.cql"
    file.write_text(text(name, layout), encoding="utf-8")
    run = run_file(file, folder, [f"spark.driver.memory={memory}"])
    epochs = [line for line in run.lines if line.progress["numInputRows"]]
    return seconds(epochs), size(folder / "state" / "reflow")


def seconds(epochs: list[Line]) -> float:
    """Of an epoch behind those of warming up."""
    return median(line.told for line in epochs[WARM_UP:])


def size(folder: Path) -> float:
    """Megabytes of all files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def text(name: str, layout: str) -> str:
    """The example's program from Parquet files; its answer as a changelog."""
    given = (EXAMPLES / f"{name}.cql").read_text(encoding="utf-8")
    archive = "" if layout == LAYOUTS[0] else f"\nARCHIVE KEEP 30 DAYS {layout}"
    options = "OPTIONS (header = 'true', maxFilesPerTrigger = '1')"
    changed = given.replace("FROM CSV", "FROM PARQUET")
    changed = changed.replace(options, f"OPTIONS (maxFilesPerTrigger = '1'){archive}")
    return changed.replace(
        f"INTO LOG 'out/{name}.log'", f"INTO PARQUET 'out/{name}' AS CHANGELOG"
    ).replace(f"INTO PARQUET 'out/{name}';", f"INTO PARQUET 'out/{name}' AS CHANGELOG;")


def prepare(rows: int) -> Path:
    """The input, generated once."""
    folder = DATA / f"parquet-quotes-{rows}"
    if not folder.exists():
        parts = regroup(quotes.quotes(rows), iter(lambda: EPOCH, 0))
        for number, table in enumerate(parts):
            write_parquet(folder / "data" / "quotes", number, table)
    return folder / "data"


def differences(name: str) -> list[str]:
    """What is different between the answers of the layouts; empty if nothing is."""
    last = quotes.START + 10**13
    plain, *others = (
        compare.changes(compare.read(DATA / "runs" / _run(name, layout) / "out"), last)
        for layout in LAYOUTS
    )
    found = (compare.difference(answer, plain) for answer in others)
    return [f"{name}: answers differ: {each}" for each in found if each]


def _run(name: str, layout: str) -> str:
    return f"layouts-{name}-{layout.lower().replace(' ', '-')}"


if __name__ == "__main__":
    main()
