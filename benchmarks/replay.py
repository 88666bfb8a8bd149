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
# Epochs of one row in time, of one revision and of many, by turns; the first do not count.
TURNS, WARM_UP, MANY = 5, 2, 100
# Then rows stream in: epochs without a revision and with one, by turns; the first two do not count.
PAIRS, STREAMED = 5, 100_000
RATES = (1_000_000, 500_000, 100_000)
EPOCHS = (
    *("query", "archive", "technique", "s of 1 row", "s of 1 revision", "to 1 row"),
    *("s of 100 revisions", "to 1 revision", "rows replayed for 1", "outputs corrected by 1"),
)
STREAMS = (
    *("query", "archive", "technique", "s of 100,000 rows", "to no archive", "s with 1 revision"),
    *(f"s of 1,000,000 rows, 1 revision in {rate:,}" for rate in RATES),
)
CROSSING = (
    *("query", "archive", "s by MINIMAL", "s by ALL", "ALL to MINIMAL"),
    *("s of 100 by MINIMAL", "s of 100 by ALL", "ALL to MINIMAL"),
)


@dataclass(frozen=True)
class Epochs:
    """Seconds of each kind of epoch, and what the table of revisions says of those of one."""

    one_row: float
    one_revision: float
    many: float
    streamed: float
    streamed_revised: float
    read: float
    corrected: float

    def million(self, rate: int) -> float:
        """Seconds of a million rows that stream in, with one revision in `rate` rows."""
        whole = 1_000_000 // STREAMED
        return whole * self.streamed + 1_000_000 / rate * (self.streamed_revised - self.streamed)


Found = dict[tuple[str, int, str], Epochs]


def main() -> None:
    """`python -m benchmarks.replay [--rows 200000,1000000] [--queries q1,q2]`."""
    given = arguments()
    found: Found = {}
    wrong = []
    for name in given.queries.split(","):
        for rows in map(int, given.rows.split(",")):
            for technique in [PLAIN, *given.techniques.split(",")]:
                found[name, rows, technique] = start(name, rows, technique, given.memory)
            wrong += differences(name, rows, given.techniques.split(","))
    notes = [
        f"{quotes.SYMBOLS} symbols, a quote of each every second; rows of the archive are replaced;"
        " the paper's queries as in examples/quotes",
        f"medians of {TURNS - WARM_UP} epochs of a kind, of those of 100,000 rows of {PAIRS - 1},"
        " by turns in one process, as the engine tells them",
        *(wrong or ["answers of the techniques compared, equal at every instant"]),
    ]
    record("replay", [EPOCHS, *map(epoch_line, found, found.values())], notes)
    record("replay", [STREAMS, *stream_lines(found)], notes)
    record("replay", [CROSSING, *crossing_lines(found)], notes)


def epoch_line(of: tuple[str, int, str], told: Epochs) -> list[str]:
    """One run of the table of small epochs."""
    line = [of[0], f"{of[1]:,}", of[2], f"{told.one_row:.2f}"]
    if of[2] == PLAIN:
        return [*line, *([""] * 6)]
    return [
        *line,
        f"{told.one_revision:.2f}",
        f"{told.one_revision / told.one_row:.2f} ×",
        f"{told.many:.2f}",
        f"{told.many / told.one_revision:.2f} ×",
        f"{told.read:,.0f}",
        f"{told.corrected:,.0f}",
    ]


def stream_lines(found: Found) -> Iterator[list[str]]:
    """What archiving costs, and what revisions at some rates do."""
    for (name, rows, technique), told in found.items():
        plain = found[name, rows, PLAIN].streamed
        line = [name, f"{rows:,}", technique, f"{told.streamed:.2f}"]
        if technique == PLAIN:
            yield [*line, *([""] * (len(STREAMS) - len(line)))]
            continue
        millions = [f"{told.million(rate):.1f}" for rate in RATES]
        revised = f"{told.streamed_revised:.2f}"
        yield [*line, f"{told.streamed / plain:.2f} ×", revised, *millions]


def crossing_lines(found: Found) -> Iterator[list[str]]:
    """ALL against MINIMAL, by the size of the archive."""
    for (name, rows, technique), told in found.items():
        whole = found.get((name, rows, "REPLAY ALL"))
        if technique != "REPLAY MINIMAL" or whole is None:
            continue
        ones, many = (whole.one_revision, told.one_revision), (whole.many, told.many)
        yield [
            *(name, f"{rows:,}", f"{ones[1]:.2f}", f"{ones[0]:.2f}", f"{ones[0] / ones[1]:.2f} ×"),
            *(f"{many[1]:.2f}", f"{many[0]:.2f}", f"{many[0] / many[1]:.2f} ×"),
        ]


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description="Corrections over a long archive.")
    parser.add_argument("--rows", default="200000,1000000", help="of the archive, several sizes")
    parser.add_argument("--queries", default=",".join(QUERIES))
    parser.add_argument("--techniques", default=",".join(TECHNIQUES))
    parser.add_argument("--memory", default="6g", help="heap of each process")
    return parser.parse_args()


def start(name: str, rows: int, technique: str, memory: str) -> Epochs:
    """One run, in a process of its own."""
    print(name, rows, technique, file=sys.stderr, flush=True)
    folder = fresh(_run(name, rows, technique), prepare(rows, technique == PLAIN))
    file = folder / "query.cql"
    file.write_text(text(name, technique), encoding="utf-8")
    return told(run_file(file, folder, [f"spark.driver.memory={memory}"]), folder)


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
    folder = DATA / f"corrected-{rows}{'-plain' if plain else ''}"
    if not folder.exists():
        for number, table in enumerate(files(rows, plain)):
            write_one(folder / "data" / "quotes", number, table)
    return folder / "data"


def files(rows: int, plain: bool) -> Iterator[pa.Table]:
    """The files in order: the archive; by turns one row, one revision, many; rows that stream in,
    without a revision and with one.
    """
    total = rows + TURNS * (2 + MANY) + 2 * PAIRS * (STREAMED + 1)
    whole = pa.concat_tables(quotes.quotes(total))
    whole = whole.append_column("op", pa.array(["c"] * total))
    chance = np.random.default_rng(1)
    turn = ((1, 0), (0, 1), (0, MANY))
    pair = ((STREAMED, 0), (STREAMED, 1))
    position = 0
    for size, revised in [(rows // FILLING, 0)] * FILLING + [*turn] * TURNS + [*pair] * PAIRS:
        size += revised if plain else 0
        part = whole.slice(position, size)
        position += size
        if revised and not plain:
            part = pa.concat_tables([part, revisions(whole, chance.choice(rows, revised, False))])
        yield part


def revisions(whole: pa.Table, numbers: np.ndarray) -> pa.Table:
    """Replacements of some rows, each by a price that is twice as high."""
    rows = whole.take(pa.array(numbers))
    place = rows.column_names.index
    rows = rows.set_column(place("price"), "price", pc.multiply(rows["price"], 2.0))
    return rows.set_column(place("op"), "op", pa.array(["u"] * len(numbers)))


def told(run: Run, folder: Path) -> Epochs:
    """What a run says."""
    lines = [line for line in run.lines if line.progress["numInputRows"]][FILLING:]
    turns, pairs = lines[: 3 * TURNS], lines[3 * TURNS :]
    one_row, one, many = (seconds(turns[kind::3], WARM_UP) for kind in range(3))
    streamed, revised = (seconds(pairs[kind::2], 1) for kind in range(2))
    read, corrected = costs(folder, [line.progress["epoch"] for line in turns[1::3]])
    return Epochs(one_row, one, many, streamed, revised, read, corrected)


def seconds(lines: Sequence[Line], warm_up: int) -> float:
    """Median of the epochs behind those of warming up."""
    return median(line.told for line in lines[warm_up:])


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


def differences(name: str, rows: int, techniques: Sequence[str]) -> list[str]:
    """What is different between the answers of the techniques; empty if nothing is."""
    last = quotes.START + 10**13
    answers = [
        compare.changes(compare.read(DATA / "runs" / _run(name, rows, t) / "out"), last)
        for t in techniques
    ]
    found = (compare.difference(answer, answers[0]) for answer in answers[1:])
    return [f"{name}, {rows:,}: answers differ: {each}" for each in found if each]


def _run(name: str, rows: int, technique: str) -> str:
    return f"replay-{name}-{rows}-{technique.split(',')[0].lower().replace(' ', '-')}"


if __name__ == "__main__":
    main()
