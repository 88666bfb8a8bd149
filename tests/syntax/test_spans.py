"""Every expression knows its place: the text there, read alone, is the same expression."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlglot import exp

from reflow.compiler.syntax.build import read
from reflow.compiler.syntax.nodes import QueryExpression
from reflow.grammar.source import Source

from .reading import expression, query, statement, table

TEXTS = [
    "a + b * c - -d",
    "NOT a = b AND c IS NOT NULL OR d NOT BETWEEN 1 AND 2 OR e",
    "(a + (b)) * ((c))",
    "upper(a) || CASE WHEN a > 1 THEN b ELSE c.d.e[1] END",
    "COUNT(DISTINCT a) FILTER (WHERE b LIKE 'x' ESCAPE '!')",
    "CAST(a AS ARRAY<INT>)[0] + INTERVAL 1 HOUR 2 MINUTES + DATE '2020-01-01'",
    "a IN (1, 2L, 'x') AND EXISTS (SELECT 1 FROM t) AND b IN (SELECT c FROM d)",
    "/* c */ a -- d\n + /* e */ b",
    "transform(a, x -> x + 1) IS DISTINCT FROM `b c`",
]
# Parts of an expression that are none alone.
PARTS = (
    exp.If,
    exp.Where,
    exp.Distinct,
    exp.Var,
    exp.DataType,
    exp.IntervalSpan,
    exp.Lambda,
    exp.Star,
)


@pytest.mark.parametrize("text", TEXTS)
def test_the_slice_of_an_expression_is_its_text(text: str) -> None:
    source = Source("x", f"SELECT {text} FROM t")
    top = read(source).statements[0].query.items[0].expression
    for node in top.walk():
        span = node.meta["span"]
        inherited = node.parent is not None and node.parent.meta["span"] == span
        if inherited or isinstance(node, (*PARTS, QueryExpression)) or node.find(QueryExpression):
            continue
        alone = expression(source.text[span.start : span.end])
        assert alone.sql() in {node.sql(), exp.column(node.copy()).sql()}


def slice_of(text: str, node: object) -> str:
    span = node.span  # type: ignore[attr-defined]
    return text[span.start : span.end]


def test_statements_clauses_and_tables() -> None:
    text = "  SELECT a AS b, c FROM s AS x [NOW] JOIN (SELECT d FROM e) AS y ON TRUE EMIT FINAL ; "
    found = statement(text)
    assert slice_of(text, found) == text.strip(" ;")
    assert slice_of(text, found.emit) == "EMIT FINAL"
    assert [slice_of(text, item) for item in found.query.items] == ["a AS b", "c"]
    (join,) = found.query.from_items
    assert slice_of(text, join.left) == "s AS x [NOW]"
    assert slice_of(text, join.left.window) == "NOW"
    assert slice_of(text, join.right) == "(SELECT d FROM e) AS y"
    assert slice_of(text, join.right.query) == "SELECT d FROM e"
    assert slice_of(text, join.right.alias) == "y"


def test_lengths_keep_their_text() -> None:
    assert table("s [RANGE 1 HOUR  30 MINUTES]").window.length.text == "1 HOUR  30 MINUTES"


def test_queries_in_expressions_have_spans() -> None:
    text = "SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u)"
    where = query(text).where
    span = where.this.meta["span"]
    assert text[span.start : span.end] == "EXISTS (SELECT 1 FROM u)"


def test_spans_of_all_accepted_texts() -> None:
    folder = Path(__file__).parents[1] / "grammar" / "accepted"
    for file in folder.glob("*.cql"):
        source = Source(file.name, file.read_text(encoding="utf-8"))
        for found in read(source).statements:
            assert source.text[found.span.start : found.span.end].strip(" ;\n") != ""
