"""REPLAY: corrections by the techniques of REVISE BY, over a long archive of quotes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from .generators import quotes
from .generators.files import write_one
from .support import compare
from .support.harness import DATA, HERE, Line, Run, fresh, record, run_file

EXAMPLES = HERE.parent / "examples" / "quotes"
QUERIES = ("q1", "q2", "q3")
REVISED = "REVISIONS BY op (INSERT 'c', REPLACE 'u', DELETE 'd') ARCHIVE KEEP 30 DAYS"
TECHNIQUES = ("DIRECT", "REPLAY MINIMAL", "REPLAY ALL")
PLAIN = "no archive, no corrections"
FILLING = 10
STEADY, STEADY_ROWS = 8, 20_000
# Epochs of one row in time, of one revision and of many, by turns; the first do not count.
TURNS, WARM_UP, MANY = 7, 2, 100
HEAD = (
    *("query", "technique", "s an epoch of 20,000 rows", "s an epoch of 1 row"),
    *("s of 1 revision", "to an epoch of 1 row", "s of 100 revisions", "to 1 revision"),
    *("rows replayed for 1 revision", "outputs corrected"),
)


@dataclass(frozen=True)
class Epochs:
    """Seconds of each kind of epoch, and what the table of revisions says of those of one."""

    steady: float
    one_row: float
    one_revision: float
    many: float
    read: float
    corrected: float


def main() -> None:
    """`python -m benchmarks.replay [--rows 1000000] [--queries average,pairs]`."""
    given = arguments()
    table = [list(HEAD)]
    for name in given.queries.split(","):
        table += measure(name, given)
    notes = [
        f"{quotes.SYMBOLS} symbols, a quote of each every second; {given.rows:,} rows in the "
        "archive, any of which is replaced; the paper's queries as in examples/quotes",
        f"medians of {TURNS - WARM_UP} epochs of a kind, taken by turns in one process, as the"
        " engine tells them",
        "answers of the techniques compared at every instant",
        f"rows replayed: as the table of revisions tells it; {PLAIN}: same query, same rows",
    ]
    record("replay", table, notes)


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description="Corrections over a long archive.")
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the archive")
    parser.add_argument("--queries", default=",".join(QUERIES))
    parser.add_argument("--techniques", default=",".join(TECHNIQUES))
    parser.add_argument("--memory", default="6g", help="heap of each process")
    return parser.parse_args()


def measure(name: str, given: argparse.Namespace) -> list[list[str]]:
    """The rows of the table for one query, every technique in a process of its own."""
    lines = []
    plain = start(name, PLAIN, given)
    lines.append([name, PLAIN, f"{plain.steady:.2f}", f"{plain.one_row:.2f}", *([""] * 6)])
    for technique in given.techniques.split(","):
        found = start(name, technique, given)
        lines.append(
            [
                *(name, technique),
                f"{found.steady:.2f} ({found.steady / plain.steady:.2f} × without)",
                f"{found.one_row:.2f}",
                f"{found.one_revision:.2f}",
                f"{found.one_revision / found.one_row:.2f} ×",
                f"{found.many:.2f}",
                f"{found.many / found.one_revision:.2f} ×",
                f"{found.read:,.0f}",
                f"{found.corrected:,.0f}",
            ]
        )
    wrong = differences(name, given.techniques.split(","))
    if wrong:
        lines.append([name, f"answers differ: {wrong}", *([""] * 8)])
    return lines


def start(name: str, technique: str, given: argparse.Namespace) -> Epochs:
    """One run."""
    print(name, technique, file=sys.stderr, flush=True)
    plain = technique == PLAIN
    folder = fresh(_run(name, technique), prepare(given.rows, plain))
    file = folder / "query.cql"
    file.write_text(text(name, technique), encoding="utf-8")
    run = run_file(file, folder, [f"spark.driver.memory={given.memory}"])
    return told(run, folder)


def text(name: str, technique: str) -> str:
    """The example's program with corrections; its answer as a changelog."""
    given = (EXAMPLES / f"{name}.cql").read_text(encoding="utf-8")
    changed = given.replace("volume INT,", "volume INT,\n    op STRING,")
    changed = changed.replace(
        f"INTO LOG 'out/{name}.log'", f"INTO PARQUET 'out/{name}' AS CHANGELOG"
    )
    if technique == PLAIN:
        return changed
    end = "maxFilesPerTrigger = '1')"
    changed = changed.replace(end, f"{end}\n{REVISED}")
    return changed.replace("INTO PARQUET", f"REVISE BY {technique}\nINTO PARQUET")


def prepare(rows: int, plain: bool) -> Path:
    """The input, generated once; `plain`: rows in time instead of revisions."""
    folder = DATA / f"revised-{rows}{'-plain' if plain else ''}"
    if not folder.exists():
        for number, table in enumerate(files(rows, plain)):
            write_one(folder / "data" / "quotes", number, table)
    return folder / "data"


def files(rows: int, plain: bool) -> Iterator[pa.Table]:
    """The files in order: the archive, steady epochs, and by turns one row, one revision, many."""
    total = rows + STEADY * STEADY_ROWS + TURNS * (2 + MANY)
    whole = pa.concat_tables(quotes.quotes(total))
    whole = whole.append_column("op", pa.array(["c"] * total))
    position = 0
    for size in [rows // FILLING] * FILLING + [STEADY_ROWS] * STEADY:
        yield whole.slice(position, size)
        position += size
    chance = np.random.default_rng(1)
    for _ in range(TURNS):
        for size, in_time in ((1, True), (1, plain), (MANY, plain)):
            if in_time:
                yield whole.slice(position, size)
                position += size
            else:
                yield revisions(whole, chance.choice(rows, size, replace=False))


def revisions(whole: pa.Table, numbers: np.ndarray) -> pa.Table:
    """Replacements of some rows, each by a price that is twice as high."""
    rows = whole.take(pa.array(numbers))
    place = rows.column_names.index
    rows = rows.set_column(place("price"), "price", pc.multiply(rows["price"], 2.0))
    return rows.set_column(place("op"), "op", pa.array(["u"] * len(numbers)))


def told(run: Run, folder: Path) -> Epochs:
    """What a run says."""
    lines = [line for line in run.lines if line.progress["numInputRows"]][FILLING:]
    turns = lines[STEADY:]
    kinds = [seconds(turns[kind::3]) for kind in range(3)]
    read, corrected = costs(folder, [line.progress["epoch"] for line in turns[1::3]])
    return Epochs(seconds(lines[:STEADY]), *kinds, read, corrected)


def seconds(lines: Sequence[Line]) -> float:
    """Median of the epochs behind those of warming up."""
    return median(line.told for line in lines[WARM_UP:])


def costs(folder: Path, epochs: Sequence[int]) -> tuple[float, float]:
    """Of the epochs with one revision: rows replayed and outputs corrected, medians."""
    table = folder / "state" / "reflow" / "revisions"
    if not table.exists():
        return 0, 0
    rows = ds.dataset(table, format="parquet", partitioning="hive").to_table().to_pylist()
    of = [row for row in rows if row["epoch"] in epochs]
    return median(row["rows_replayed"] for row in of), median(
        row["outputs_corrected"] for row in of
    )


def differences(name: str, techniques: Sequence[str]) -> str:
    """What is different between the answers of the techniques; empty if nothing is."""
    last = quotes.START + 10**13
    answers = [
        compare.changes(compare.read(DATA / "runs" / _run(name, t) / "out"), last)
        for t in techniques
    ]
    found = (compare.difference(answer, answers[0]) for answer in answers[1:])
    return "; ".join(each for each in found if each)


def _run(name: str, technique: str) -> str:
    return f"replay-{name}-{technique.split(',')[0].lower().replace(' ', '-')}"


if __name__ == "__main__":
    main()
