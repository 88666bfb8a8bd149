"""Reserved words must be quoted; every other keyword is a name, as an alias at least with AS."""

from __future__ import annotations

import re

import pytest

from reflow.compiler.syntax.build import read
from reflow.grammar.cache import grammar_text
from reflow.grammar.diagnostic import CqlError
from reflow.grammar.source import Source
from reflow.grammar.words import NEEDS_AS, RESERVED, UNITS

KEYWORDS = set(re.findall(r"^([A-Z]+)\.2: /\(\?ai:[a-z]", grammar_text(), re.M))
SOFT = sorted((KEYWORDS - RESERVED) | UNITS | NEEDS_AS)

NAMES = {
    "column": "SELECT {k}, a.{k}, {k}.a, {k}.{k}, {k}[0], a[{k}], -{k} FROM t WHERE {k} = 1 OR {k}",
    "alias": "SELECT a AS {k}, b + 1 AS {k} FROM t AS {k}, u [NOW] AS {k} JOIN v AS {k} ON a = b",
    "table": "SELECT a FROM {k}, {k} [NOW] AS x JOIN {k} ON {k}.a = x.{k}",
    "group": "SELECT {k}, COUNT({k}) FROM t GROUP BY {k}, a HAVING {k} > 1",
    "using": "SELECT a FROM b JOIN c USING ({k}, d)",
    "case": "SELECT CASE WHEN {k} THEN {k} ELSE {k} END, CASE {k} WHEN {k} THEN 1 END FROM t",
    "predicate": "SELECT a FROM t WHERE {k} BETWEEN {k} AND {k} OR a IN ({k}, {k}) OR a LIKE {k}",
    "cast": "SELECT CAST({k} AS INT), EXTRACT({k} FROM {k}), f({k} -> {k} + 1) FROM t",
    "partition": "SELECT a FROM s [PARTITION BY {k}, s.{k} ROWS 5]",
    "stream": "CREATE STREAM {k} ({k} INT, b STRING, KEY ({k}, b)) FROM CSV 'x'",
    "typed column": "CREATE STREAM s (b INT, {k} ARRAY<INT>, {k} DATE, c STRUCT<{k}: INT>)",
    "view": "CREATE VIEW {k} AS SELECT a FROM t; CREATE QUERY {k} AS SELECT a FROM t EMIT FINAL",
    "merge": "CREATE STREAM m MERGE OF {k}, b; CREATE STREAM m MERGE OF a, {k} POLICY EAGER",
    "set operators": "a UNION {k} EMIT FINAL; SELECT a FROM t EXCEPT ALL BY ({k}) SELECT b FROM u",
    "version": "CREATE NRR s ({k} INT, VERSION BY {k}); CREATE STREAM s (a INT, ELEMENTS ({k}, b))",
    "clauses": "CREATE NRR s (a INT) REVISIONS BY {k} (INSERT 'c') WITH STATS (distinct {k} = 5)",
    "archive": "CREATE STREAM s (a INT) ARCHIVE SUMMARY {k} AS (SELECT a FROM t) SAMPLE BY ({k})",
    "sink": "SELECT a FROM t INTO MEMORY 'x' AS UPSERT BY ({k}); SELECT a FROM t REDUCE TO {k}",
    "options": "CREATE STREAM s (a INT) FROM CSV 'x' OPTIONS ({k} = 1, a.{k} = 'x')",
    "settings": "SET {k} = 1; SET a.{k}-{k} = 'x'",
}
BARE_ALIASES = {
    "expression": "SELECT a {k}, b + 1 {k}, 5 {k}, f(x) {k}, x.y {k}, x IS NULL {k} FROM t",
    "literal": "SELECT '' {k}, INTERVAL 5 DAY {k}, DATE '2020-01-01' {k}, x.y[0] {k} FROM t",
    "postfix": "SELECT a[1] {k}, (a) {k}, CASE WHEN a THEN b END {k}, COUNT(*) {k} FROM t",
    "table": "SELECT a FROM t {k}, u {k} WHERE a = 1",
    "windowed": "SELECT a FROM t [RANGE 5] {k} JOIN u {k} ON a = b JOIN v {k} USING (x)",
    "derived": "SELECT a FROM (SELECT b FROM c) {k}",
    "reduced": "SELECT a FROM t REDUCE BY UNIFORM (0.4) {k}, u REDUCE TO x {k}",
}


def reads(text: str) -> bool:
    try:
        read(Source("x", text))
    except CqlError:
        return False
    return True


def test_the_reserved_words_are_the_same_everywhere() -> None:
    inside = re.search(r"^NAME: /\(\?!\(\?ai:(.*?)\)", grammar_text(), re.M)
    assert inside is not None
    assert {word.upper() for word in inside[1].split("|")} == RESERVED
    assert RESERVED <= KEYWORDS


@pytest.mark.parametrize("form", NAMES)
def test_soft_words_are_names(form: str) -> None:
    refused = [word for word in SOFT if not reads(NAMES[form].replace("{k}", word.lower()))]
    assert refused == []


@pytest.mark.parametrize("form", NAMES)
def test_reserved_words_are_names_in_quotes_only(form: str) -> None:
    text = NAMES[form]
    quoted = [word for word in sorted(RESERVED) if not reads(text.replace("{k}", f'"{word}"'))]
    if form not in {"settings", "options", "cast"}:
        assert quoted == []
    if form not in {"settings", "options"}:
        literals = {"TRUE", "FALSE", "NULL"}
        assert {word for word in RESERVED if reads(text.replace("{k}", word))} <= literals


@pytest.mark.parametrize("form", BARE_ALIASES)
def test_as_is_needed_by_the_words_that_may_follow(form: str) -> None:
    text = BARE_ALIASES[form]
    refused = {word for word in SOFT if not reads(text.replace("{k}", word.lower()))}
    assert refused == NEEDS_AS


def test_arrival_is_a_column_in_quotes() -> None:
    script = read(Source("x", 'CREATE STREAM s (arrival INT, ORDER BY "arrival")'))
    assert script.statements[0].order_by.column.text == "arrival"


@pytest.mark.parametrize(
    "text", ["SELECT a FROM t [ROWS5]", "SELECT a FROM t GROUP BYa", "SELECTa FROM t"]
)
def test_a_keyword_ends_at_a_word_boundary(text: str) -> None:
    assert not reads(text)
