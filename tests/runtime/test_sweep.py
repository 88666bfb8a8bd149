"""The sweep emits new minus old of the change at an instant: checked for every small case."""

from __future__ import annotations

from collections import Counter
from itertools import product

import duckdb
import sqlglot
from sqlglot import exp

from reflow.runtime.deltas.sweep import NEW, NEW_BEFORE, OLD, OLD_BEFORE, emitted

SIDES = (NEW, NEW_BEFORE, OLD, OLD_BEFORE)
ROWS = (None, "a", "b")


def candidates() -> list[str]:
    """The rows and weights that the text puts into its array, in DuckDB's SQL."""
    tree = sqlglot.parse_one(emitted("source", ["k"], ["v"]), read="spark")
    array = tree.find(exp.Array)
    assert array is not None
    return [each.sql(dialect="duckdb") for each in array.expressions]


def test_every_combination_of_rows_gives_new_minus_old() -> None:
    cases = list(product(ROWS, repeat=4))
    values = ", ".join(
        f"({n}, {', '.join('NULL::VARCHAR' if row is None else repr(row) for row in case)})"
        for n, case in enumerate(cases)
    )
    source = f"(VALUES {values}) AS source (n, {', '.join(SIDES)})"
    found: list[Counter[str]] = [Counter() for _ in cases]
    named: list[Counter[str]] = [Counter() for _ in cases]
    for text in candidates():
        for n, each in duckdb.sql(f"SELECT n, {text} FROM {source}").fetchall():
            if each["_w"]:
                found[n][each["_row"]] += each["_w"]
                named[n][each["_row"]] += 1
    for n, case in enumerate(cases):
        expected: Counter[str] = Counter()
        for row, sign in zip(case, (1, -1, -1, 1), strict=True):
            if row is not None:
                expected[row] += sign
        assert found[n] == Counter({r: w for r, w in expected.items() if w}), case
        assert all(count == 1 for count in named[n].values()), "one net change a row and instant"


def test_keys_and_values_are_quoted() -> None:
    text = emitted("source", ["two words"], ["a`b"])
    assert "`two words`" in text
    assert "_row.`a``b` AS `a``b`" in text
