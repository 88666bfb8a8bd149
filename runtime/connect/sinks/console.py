"""CONSOLE: an epoch's rows as a table on the terminal, the first so many of them."""

from __future__ import annotations

from typing import Any, Final

from pyspark.sql import DataFrame
from rich.console import Console
from rich.table import Table

ROWS: Final = 20
"""Rows shown an epoch, unless OPTIONS (numRows = n) says otherwise."""


def show(frame: DataFrame, query: str, epoch: int, limit: int = ROWS) -> dict[str, Any]:
    """Print the rows; an epoch repeated after a crash prints again, under the same number."""
    rows = frame.limit(limit + 1).toArrow().to_pylist()
    if rows:
        Console().print(_table(rows, f"{query} · epoch {epoch}", frame.columns, limit))
    return {"epoch": epoch}


def _table(rows: list[dict[str, Any]], title: str, columns: list[str], limit: int) -> Table:
    table = Table(title=title, title_justify="left")
    for column in columns:
        table.add_column(column)
    for row in rows[:limit]:
        table.add_row(*[_shown(row[column]) for column in columns])
    if len(rows) > limit:
        table.caption = f"only the first {limit} rows"
    return table


def _shown(value: object) -> str:
    return "NULL" if value is None else str(value)
