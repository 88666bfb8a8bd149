"""Nexmark: the queries that can be said in CQL give the rows that RisingWave expects."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reflow.compiler.pipeline import compile_text
from reflow.grammar.diagnostic import CqlError

from ..harness.engine import Run
from . import nexmark
from .material import needs_material

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[2]


@cache
def lacking(query: str) -> tuple[str, ...]:
    """The codes of what the query needs and is not available yet; any other error is one."""
    try:
        compile_text(nexmark.cql([query]), "nexmark")
    except CqlError as error:
        codes = tuple(sorted({diagnostic.code for diagnostic in error.diagnostics}))
        assert all(code.startswith("RF9") for code in codes), str(error)
        return codes
    return ()


def available() -> list[str]:
    return [query for query in nexmark.QUERIES if not lacking(query)]


@needs_material
def test_every_query_is_translated_or_said_to_be_none() -> None:
    known = set(nexmark.QUERIES) | set(nexmark.NOT_IN_THE_LANGUAGE)
    assert known == set(nexmark.material())
    assert not set(nexmark.QUERIES) & set(nexmark.NOT_IN_THE_LANGUAGE)


def test_the_page_says_which_queries_run() -> None:
    page = (ROOT / "docs" / "nexmark.md").read_text("utf-8")
    table = dict(re.findall(r"(?m)^\| (q\d\w*) \| ([^|]+?) \|", page))
    reasons = {query: ", ".join(lacking(query)) or "runs" for query in nexmark.QUERIES}
    reasons |= nexmark.NOT_IN_THE_LANGUAGE
    assert table == reasons


@needs_material
def test_the_rows_of_the_material_are_read_as_words() -> None:
    assert nexmark.words([1000, "k  y", None, 6221.5]) == ("1000", "k", "y", "NULL", "6221.5")
    assert nexmark.words(["12696452.316", 209960.0]) == ("12696452.3", "209960")
    counts = {name: len(rows) for name, rows in nexmark.material().items()}
    assert (counts["q0"], counts["q4"], counts["q8"]) == (50, 5, 7)


@needs_material
@pytest.mark.spark
def test_the_queries_give_the_expected_rows(spark: SparkSession, tmp_path: Path) -> None:
    queries = available()
    run = Run(spark, nexmark.cql(queries), tmp_path)
    run.epoch({stream: nexmark.rows(stream) for stream in nexmark.COLUMNS})
    now = max(row["ts"] for row in nexmark.rows("bid")) + 60_000_000
    run.until(now)
    wrong = {}
    expected = nexmark.material()
    for query in queries:
        wanted = Counter(nexmark.words(row.split()) for row in expected[query])
        found = nexmark.answers(query, run.changes(query), now)
        if found != wanted:
            wrong[query] = {"missing": wanted - found, "unexpected": found - wanted}
    assert wrong == {}
