"""REPLAY 4.1: buckets of 50,000 to 500,000 rows, indexed and not: written, replayed, looked up."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from reflow.runtime.archive.compaction import bucket_rows
from reflow.runtime.archive.index import matching
from reflow.runtime.elements.deltas import Slice
from reflow.runtime.ledger.files import DataFile, writer, written_files
from reflow.runtime.ledger.storage import Storage
from reflow.runtime.run.session import open_session

from .generators import quotes
from .support.harness import DATA, record

PUSHDOWN: Final = "spark.sql.parquet.filterPushdown"
LAYOUTS: Final = {"none": "", "by time": "_vs", "by key": "s_0.id"}
"""What the rows of a bucket are sorted by, so that the statistics of its pages (1,000 rows) exclude
others. Without an index buckets are as they came, and read whole."""
SECOND: Final = 1_000_000
# A revision of a query over a window of one minute replays the minutes before and behind its row.
REPLAYED, KEYS, READS, WARM_UP = 120 * SECOND, 100, 18, 3
RATES: Final = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
FIGURES: Final = (
    *(
        "rows a bucket",
        "index",
        "buckets",
        "MB",
        "s to write 1,000,000 rows",
        "s of a replay read, and half of all",
    ),
    *("s to look up 1 key of known time", f"s to look up {KEYS} keys"),
)


@dataclass(frozen=True)
class Costs:
    """Of one way to lay out the archive: seconds, and its size."""

    buckets: int
    bytes: int
    written: float
    replayed: float
    spread: str
    dated: float
    undated: float

    def million(self, rate: float) -> float:
        """Seconds of a million rows of which so many are followed by a revision of an older row,
        which is looked up and replayed by itself.
        """
        return self.written + 1_000_000 * rate * (self.replayed + self.dated)


Found = dict[tuple[int, str], Costs]


def main() -> None:
    """`python -m benchmarks.archive [--rows 2000000] [--sizes 50000,100000,250000,500000]`."""
    given = arguments()
    spark = open_session("archive", "local[2]", {"spark.driver.memory": given.memory}, "UTC")
    spark.sparkContext.setLogLevel("ERROR")
    archive = Archive(spark, given.rows)
    sizes = [int(size) for size in given.sizes.split(",")]
    archive.measure(sizes[0], "by time")  # compiles Java's code and is not counted
    found = {(size, index): archive.measure(size, index) for size in sizes for index in LAYOUTS}
    notes = [
        f"{given.rows:,} quotes of {quotes.SYMBOLS} symbols, one of each a second; the key is a"
        " number without order; buckets are written by one task each, as the engine merges them",
        f"a replay read takes {REPLAYED // SECOND} s of the archive ({archive.replayed_rows:,}"
        f" rows) by the index of buckets; medians of {READS - WARM_UP} reads, the answers compared",
        *filter(None, [given.note]),
    ]
    record("archive", [FIGURES, *lines(found)], notes)
    record("archive", [CHOICES, *choices(found)], ["seconds of a million rows with revisions"])
    spark.stop()


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description="Sizes and indexes of buckets.")
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--sizes", default="50000,100000,250000,500000")
    parser.add_argument("--memory", default="4g", help="heap of Java")
    parser.add_argument("--note", default="", help="a line for the results: what ran beside it")
    return parser.parse_args()


class Archive:
    """A million rows and more, archived in one way after the other."""

    def __init__(self, spark: Any, rows: int) -> None:
        self._spark = spark
        self._storage = Storage(str(DATA / "runs" / "archive"))
        self._source = prepare(rows)
        self._rows = rows
        chance = np.random.default_rng(2)
        self._starts = chance.integers(rows // 4, rows // 2, READS)
        self._keys = chance.integers(0, rows, (READS, KEYS))
        self._answers: dict[str, list[Any]] = {}
        self.replayed_rows = 0

    def measure(self, size: int, index: str) -> Costs:
        """Seconds of everything. SystemExit if an answer is another one than before."""
        print(size, index, file=sys.stderr, flush=True)
        self._spark.conf.set(PUSHDOWN, "true")
        shutil.rmtree(self._storage.full(""), ignore_errors=True)
        begun = time.perf_counter()
        buckets = tuple(self._written(size, LAYOUTS[index]))
        written = (time.perf_counter() - begun) * 1_000_000 / self._rows
        self._spark.conf.set(PUSHDOWN, str(index != "none").lower())
        replays = self._timed("replay", lambda turn: self._replay(buckets, turn))
        dated = self._timed("dated", lambda turn: self._look_up(buckets, turn, dated=True))
        undated = self._timed("undated", lambda turn: self._look_up(buckets, turn, dated=False))
        return Costs(
            buckets=len(buckets),
            bytes=sum(bucket.bytes for bucket in buckets),
            written=written,
            replayed=median(replays),
            spread=quartiles(replays),
            dated=median(dated),
            undated=median(undated),
        )

    def _written(self, size: int, order: str) -> Iterator[DataFile]:
        source = self._spark.read.parquet(str(self._source))
        for number, first in enumerate(range(0, self._rows, size)):
            end = at(min(first + size, self._rows))
            rows = source.where(f"_vs >= {at(first)}L AND _vs < {end}L").coalesce(1)
            rows = rows.sortWithinPartitions(order) if order else rows
            writer(rows).parquet(self._storage.spark_path(f"{number:04}"))
            yield from written_files(self._storage, f"{number:04}", number)

    def _read(self, buckets: Sequence[DataFile]) -> Any:
        return self._spark.read.parquet(*[self._storage.spark_path(b.path) for b in buckets])

    def _replay(self, buckets: tuple[DataFile, ...], turn: int) -> Any:
        """Everything of some minutes, by symbol."""
        low = at(int(self._starts[turn]))
        found = matching(buckets, Slice(vs_after=low - 1, vs_upto=low + REPLAYED - 1))
        rows = self._read(found).where(f"_vs >= {low}L AND _vs < {low + REPLAYED}L")
        summed = rows.groupBy("s_0.symbol").agg({"s_0.volume": "sum", "*": "count"})
        table = sorted(summed.toArrow().to_pylist(), key=lambda row: str(row["symbol"]))
        self.replayed_rows = sum(row["count(1)"] for row in table)
        return table

    def _look_up(self, buckets: tuple[DataFile, ...], turn: int, dated: bool) -> Any:
        """The rows of some keys, or of one at a time that is known."""
        numbers = [int(number) for number in self._keys[turn]]
        numbers = numbers[:1] if dated else numbers
        low = at(numbers[0])
        found = matching(buckets, Slice(vs_after=low - 1, vs_upto=low)) if dated else buckets
        keys = ", ".join(f"{key(number, self._rows)}L" for number in numbers)
        rows = self._read(found).where(f"s_0.id IN ({keys})").select("s_0.id", "s_0.price")
        table = sorted(rows.toArrow().to_pylist(), key=lambda row: int(row["id"]))
        assert len(table) == len(set(numbers)), (len(table), dated)
        return table

    def _timed(self, name: str, work: Callable[[int], Any]) -> list[float]:
        """Seconds of each read of a kind behind those of warming up."""
        spent, answers = [], []
        for turn in range(READS):
            begun = time.perf_counter()
            answers.append(work(turn))
            spent.append(time.perf_counter() - begun)
        if self._answers.setdefault(name, answers) != answers:
            raise SystemExit(f"{name}: another answer")
        return spent[WARM_UP:]


def quartiles(values: Sequence[float]) -> str:
    """Median and the half in the middle, `0.150 (0.140 to 0.171)`."""
    low, middle, high = quantiles(values, n=4)
    return f"{middle:.3f} ({low:.3f} to {high:.3f})"


def at(number: int) -> int:
    """The order value of a row."""
    return quotes.START + number * (SECOND // quotes.SYMBOLS)


def key(number: int, rows: int) -> int:
    """The key of a row: no order of rows is one of keys."""
    return number * 7_919 % rows


def prepare(rows: int) -> Path:
    """The rows as landing lays them down, generated once: order value, columns as a struct."""
    if rows % 7_919 == 0:
        raise SystemExit("choose another number of rows: keys would be equal")
    folder = DATA / f"archive-{rows}"
    if not folder.exists():
        folder.mkdir(parents=True)
        first = 0
        for number, table in enumerate(quotes.quotes(rows)):
            numbers = np.arange(first, first + table.num_rows, dtype=np.int64)
            first += table.num_rows
            columns = [pa.array(numbers * 7_919 % rows)]
            columns += [table[name].combine_chunks() for name in ("symbol", "price", "volume")]
            struct = pa.StructArray.from_arrays(columns, ["id", "symbol", "price", "volume"])
            order = pa.array(quotes.START + numbers * (SECOND // quotes.SYMBOLS))
            landed = pa.table({"_vs": order, "s_0": struct})
            pq.write_table(landed, folder / f"{number:04}.parquet")
    return folder


def lines(found: Found) -> Iterator[list[str]]:
    """What was measured, a line a layout."""
    for (size, index), costs in found.items():
        yield [
            *(f"{size:,}", index, f"{costs.buckets}", f"{costs.bytes / 1e6:.1f}"),
            *(f"{costs.written:.2f}", costs.spread, f"{costs.dated:.3f}"),
            f"{costs.undated:.3f}",
        ]


CHOICES: Final = (
    *("revisions to a row", "best without index", "best by time", "best by key"),
    *("best of all", "chosen without BUCKET"),
)


def choices(found: Found) -> Iterator[list[str]]:
    """Which layout has the least work together, by the rate of revisions."""
    for rate in RATES:
        best = {
            index: min(
                (costs.million(rate), size) for (size, of), costs in found.items() if of == index
            )
            for index in LAYOUTS
        }
        told = [f"{size:,}: {seconds:.1f} s" for seconds, size in best.values()]
        winner = min(best, key=lambda index: best[index])
        chosen = bucket_rows(10**9, round(rate * 10**9))
        yield [f"1 in {round(1 / rate):,}", *told, winner, f"{chosen:,}, by time"]


if __name__ == "__main__":
    main()
