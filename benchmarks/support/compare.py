"""Outputs of two engines in, the difference out. A time counts only if there is none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

# Averages are compared to this many places, because engines add in different orders.
PLACES = 9
MINUTE = 60_000_000
# What a changelog has beside the columns of its row.
ENGINE_COLUMNS = ("vs", "ve", "w", "epoch")


def read(folder: Path) -> pa.Table:
    """All Parquet files of a folder; instants as microseconds."""
    table = ds.dataset(folder, format="parquet", partitioning="hive").to_table()
    for position, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            column = table[field.name].cast(pa.timestamp("us", field.type.tz)).cast(pa.int64())
            table = table.set_column(position, field.name, column)
    return table


def net(changelog: pa.Table, columns: list[str]) -> pa.Table:
    """The rows of a changelog whose weights do not cancel; a plain table is returned as it is."""
    if "w" not in changelog.column_names:
        return changelog.select(columns)
    sums = changelog.group_by(columns).aggregate([("w", "sum")])
    kept = sums.filter(pc.greater(sums["w_sum"], 0))
    repeats = np.repeat(np.arange(kept.num_rows), kept["w_sum"].to_numpy())
    return kept.select(columns).take(pa.array(repeats))


def changes(changelog: pa.Table, last: int) -> pa.Table:
    """What a changelog says, however it says it: for each row and instant `at` up to `last`, by how
    many copies `w` more or less of it are in the answer from then on. Changes of 0 are left out; in
    which epoch it was said is of no account.
    """
    columns = [name for name in changelog.column_names if name not in ENGINE_COLUMNS]
    begins = changelog.select(columns).append_column("at", changelog["vs"])
    begins = begins.append_column("w", changelog["w"].cast(pa.int64()))
    ended = changelog.filter(pc.is_valid(changelog["ve"]))
    ends = ended.select(columns).append_column("at", ended["ve"])
    ends = ends.append_column("w", pc.negate(ended["w"].cast(pa.int64())))
    both = pa.concat_tables([begins, ends])
    both = both.filter(pc.less_equal(both["at"], last))
    sums = both.group_by([*columns, "at"]).aggregate([("w", "sum")])
    sums = sums.filter(pc.not_equal(sums["w_sum"], 0))
    return sums.select([*columns, "at", "w_sum"]).rename_columns([*columns, "at", "w"])


def each_minute(pieces: pa.Table, last: int) -> pa.Table:
    """Rows valid over `[vs, ve)` as one row `at` for each whole minute up to `last`."""
    begin = pieces["vs"].to_numpy()
    end = pc.fill_null(pieces["ve"].cast(pa.int64()), last + 1).to_numpy()
    first = -(-begin // MINUTE)
    counts = np.maximum(0, -(-np.minimum(end, last + 1) // MINUTE) - first)
    which = np.repeat(np.arange(len(begin)), counts)
    ahead = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    rows = pieces.drop_columns(["vs", "ve"]).take(pa.array(which))
    return rows.append_column("at", pa.array((first[which] + ahead) * MINUTE))


def difference(ours: pa.Table, theirs: pa.Table) -> str:
    """Empty if both hold the same rows, whatever their order; else what is wrong first."""
    names = sorted(theirs.column_names)
    left, right = _normal(ours, names), _normal(theirs, names)
    if left.num_rows != right.num_rows:
        return f"{left.num_rows:,} rows against {right.num_rows:,}"
    for name in names:
        unequal = pc.sum(pc.invert(pc.equal(left[name], right[name]))).as_py()
        if unequal:
            return f"column {name} differs in {unequal:,} rows"
    return ""


def _normal(table: pa.Table, names: list[str]) -> pa.Table:
    columns = {}
    for name in names:
        column = table[name]
        if pa.types.is_floating(column.type):
            columns[name] = pc.round(column, PLACES)
        else:
            text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
            columns[name] = column.cast(pa.string() if text else pa.int64())
    return pa.table(columns).sort_by([(name, "ascending") for name in names])
