"""The STREAM prototype's scripts give the net changes of its golden logs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..harness.engine import drain_sources
from ..harness.read import read_log, read_log_text
from ..oracle.multiplicity import difference
from .material import needs_material
from .scripts import cql, golden_text, read, with_last_instant, write_data

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NUMBERS = tuple(range(1, 11))


@needs_material
@pytest.mark.parametrize(
    ("number", "query"),
    [
        (1, "select S.A, S.B, S.C, S.D from S"),
        (2, "select A, B from VS"),
        (3, "select X.A, Y.A from S1 [UNBOUNDED] AS X, S2 [UNBOUNDED] AS Y Where X.A = Y.A"),
        (4, "RSTREAM (select S1.A, S2.A from S1 [Now], S2 [UNBOUNDED] Where S1.A = S2.A)"),
        (5, "Select G, Sum(A), Count(A), Max(A), Min(A) FROM S Group By G"),
        (6, "Select Distinct A DIV 2 FROM S"),
        (7, "Select S.A From S [Rows 2]"),
        (10, "select S.G, S.A from S [Partition by G Rows 1]"),
        (8, "Select S.A FROM S [Now]"),
        (9, "select R.A from R"),
    ],
)
def test_the_translation_says_what_the_script_says(number: int, query: str) -> None:
    text = cql(read(number))
    assert f"CREATE QUERY q AS {query} INTO LOG".lower() in text.lower()
    if number == 2:
        view = "CREATE VIEW VS AS SELECT A DIV 2 AS A, A AS B FROM S where (S.A DIV 2) * 2 = S.A;"
        assert view in text


@needs_material
@pytest.mark.spark
@pytest.mark.parametrize("number", NUMBERS)
def test_a_script_gives_its_golden_log(spark: SparkSession, tmp_path: Path, number: int) -> None:
    script = read(number)
    for stream in script.streams:
        write_data(stream, tmp_path)
    drain_sources(spark, cql(script), tmp_path)
    golden = with_last_instant(number, read_log_text(golden_text(number)))
    found = read_log(tmp_path / "out" / "q.log")
    assert not difference(golden, found), difference(golden, found)
