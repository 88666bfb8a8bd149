"""What the footers of files of others tell of order values, and when they do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reflow.runtime.ledger.footers import constant, extent

ZONED = pa.timestamp("us", "UTC")


def footer(folder: Path, column: pa.Array, **options: Any) -> pq.FileMetaData:
    path = folder / "x.parquet"
    pq.write_table(pa.table({"x": column}), path, **options)
    return pq.read_metadata(path)


@pytest.mark.parametrize(
    ("column", "timestamps", "told"),
    [
        (pa.array([3, 1, 2], pa.int64()), False, (1, 3, 0)),
        (pa.array([3, None, 2], pa.int32()), False, (2, 3, 1)),
        (pa.array([None, None], pa.int64()), False, (0, 0, 2)),
        (pa.array([3, 1], ZONED), True, (1, 3, 0)),
        (pa.array([3, 1], pa.timestamp("ms", "UTC")), True, (1000, 3000, 0)),
        (pa.array([3, 1], pa.timestamp("us")), True, None),
        (pa.array([3, 1], pa.uint32()), False, None),
        (pa.array([3, 1], ZONED), False, None),
        (pa.array([3, 1], pa.int64()), True, None),
        (pa.array([-(2**56), 1], ZONED), True, None),
    ],
)
def test_a_range_is_told_where_it_is_that_of_order_values(
    tmp_path: Path, column: pa.Array, timestamps: bool, told: tuple[int, int, int] | None
) -> None:
    assert extent(footer(tmp_path, column), "x", timestamps) == told


def test_all_row_groups_count(tmp_path: Path) -> None:
    found = footer(tmp_path, pa.array([5, 6, None, 1], pa.int64()), row_group_size=1)
    assert extent(found, "x", False) == (1, 6, 1)


@pytest.mark.parametrize(
    "options", [{"use_deprecated_int96_timestamps": True}, {"write_statistics": False}]
)
def test_what_has_no_statistics_tells_nothing(tmp_path: Path, options: dict[str, Any]) -> None:
    assert extent(footer(tmp_path, pa.array([3, 1], ZONED), **options), "x", True) is None


def test_another_column_tells_nothing(tmp_path: Path) -> None:
    found = footer(tmp_path, pa.array([3], pa.int64()))
    assert extent(found, "X", False) is None and constant(found, "X") is None


@pytest.mark.parametrize(
    ("values", "only"),
    [(["c", "c"], "c"), (["c", "d"], None), (["c", None], None), ([None], None), ([7, 7], "7")],
)
def test_what_all_rows_do(tmp_path: Path, values: list[Any], only: str | None) -> None:
    assert constant(footer(tmp_path, pa.array(values)), "x") == only
