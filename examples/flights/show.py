"""Prints some result rows of `flights.cql`: the Parquet files in `out/` in, tables out."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from rich.console import Console
from rich.table import Table

OUT = Path(__file__).resolve().parent / "out"
# What a changelog adds to the query's own columns: validity, weight, epoch.
WEIGHT = "w"
BOOKKEEPING = ("w", "epoch")


def main() -> None:
    """The worst rows of each of the three queries."""
    show("The worst half-hours", "delays", "delay")
    show("The longest delays in bad weather", "weather_delays", "dep_delay")
    show("The airlines' worst days", "late_airlines", "flights")


def show(title: str, query: str, by: str, rows: int = 8) -> None:
    """The `rows` rows of the greatest `by`."""
    answer = net(ds.dataset(OUT / query, format="parquet").to_table())
    top = answer.sort_by([(by, "descending")]).slice(0, rows)
    table = Table(title=f"{title} (out/{query}, {answer.num_rows:,} rows)", title_justify="left")
    for name in top.column_names:
        table.add_column(name, justify="right" if number(top.schema.field(name)) else "left")
    for row in top.to_pylist():
        table.add_row(*(text(name, value) for name, value in row.items()))
    Console().print(table)


def net(changelog: pa.Table) -> pa.Table:
    """The changelog added up: rows whose weights cancel are gone."""
    columns = [name for name in changelog.column_names if name not in BOOKKEEPING]
    sums = changelog.group_by(columns).aggregate([(WEIGHT, "sum")])
    return sums.filter(pc.greater(sums[f"{WEIGHT}_sum"], 0)).select(columns)


def number(field: pa.Field) -> bool:
    """Is it a number that is not an instant?"""
    return field.name not in ("vs", "ve") and not pa.types.is_string(field.type)


def text(name: str, value: object) -> str:
    """Instants as UTC, averages with one place."""
    if value is None:
        return ""
    if name in ("vs", "ve") and isinstance(value, int):
        return str(datetime.fromtimestamp(value / 1_000_000, UTC).replace(tzinfo=None))
    if isinstance(value, float):
        return f"{value:.1f}"
    if isinstance(value, datetime):
        return str(value.replace(tzinfo=None))
    return str(value)


if __name__ == "__main__":
    main()
