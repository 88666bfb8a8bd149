"""Ties in the order value stand as the rows arrived: by epoch, then by file and place in it,
however files are cut into blocks and dealt out to tasks, and the same after a restart.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .running import Place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEXT = """
SET spark.sql.files.maxPartitionBytes = '{block}';
CREATE STREAM s (t BIGINT, v INT, ORDER BY t) FROM JSON '{dir}/in';
CREATE VIEW even AS SELECT t, v FROM s WHERE v % 2 = 0;
CREATE QUERY last AS SELECT v FROM s [ROWS 3] INTO PARQUET '{dir}/last';
CREATE QUERY evens AS SELECT v FROM even [PARTITION BY t ROWS 2] INTO PARQUET '{dir}/evens';
"""
BLOCKS = ("50", "100000")


def lines(*values: int) -> list[str]:
    return [f'{{"t": 1, "v": {value}}}' for value in values]


def standing(place: Place, name: str) -> list[int]:
    """The rows whose weights add up to something."""
    weights: dict[int, int] = {}
    for value, vs, ve, weight in place.rows(name, "parquet", "v", "vs", "ve", "w"):
        assert vs == 1
        weights[value] = weights.get(value, 0) + (weight if ve is None else 0)
    assert all(weight in (0, 1) for weight in weights.values())
    return sorted(value for value, weight in weights.items() if weight)


@pytest.mark.spark
@pytest.mark.parametrize("block", BLOCKS)
def test_ties_stand_as_they_arrived(spark: SparkSession, tmp_path: Path, block: str) -> None:
    default = spark.conf.get("spark.sql.files.maxPartitionBytes")
    place, text = Place(tmp_path), TEXT.replace("{block}", block)
    try:
        # The oldest file is the largest and the last by name: tasks take large files first.
        place.put("in/z.json", *lines(*range(100, 140)))
        place.put("in/a.json", *lines(2, 3, 4, 5))
        place.put("in/m.json", *lines(9))
        place.run(text)
        assert standing(place, "last") == [4, 5, 9]
        assert standing(place, "evens") == [2, 4]
        place.put("in/b.json", *lines(1))
        place.run(text)
        assert standing(place, "last") == [1, 5, 9]
        place.put("in/c.json", *lines(6, 8, 10, 12, 14))
        place.run(text)
        assert standing(place, "last") == [10, 12, 14]
        assert standing(place, "evens") == [12, 14]
    finally:
        spark.conf.set("spark.sql.files.maxPartitionBytes", str(default))
