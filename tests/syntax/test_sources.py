"""CREATE STREAM, RELATION, NRR, VIEW, and merges."""

from __future__ import annotations

import pytest

from reflow.compiler.syntax.nodes import CreateMerge, CreateSource, CreateView, Length

from .reading import refusals, statement


def source(inside: str, clauses: str = "") -> CreateSource:
    found = statement(f"CREATE STREAM s ({inside}) {clauses}")
    assert isinstance(found, CreateSource)
    return found


def test_everything_at_once() -> None:
    found = statement(
        "CREATE STREAM quotes (ts TIMESTAMP, symbol string, KEY (symbol, ts), "
        "ORDER BY ts WITHIN 10 SECONDS) FROM JSON 'data/' OPTIONS (header = 'true', n = 5) "
        "REVISIONS BY op (INSERT 'c', REPLACE 'u') IDLE AFTER 30 SECONDS MAX AHEAD 1 DAY "
        "WITH STATS (rate = 200, distinct symbol = 20)"
    )
    assert (found.kind, found.name.text) == ("stream", "quotes")
    assert [(c.name.text, c.type) for c in found.columns] == [
        ("ts", "TIMESTAMP"),
        ("symbol", "STRING"),
    ]
    assert [name.text for name in found.key.columns] == ["symbol", "ts"]
    assert (found.order_by.column.text, found.order_by.strict) == ("ts", False)
    assert found.order_by.within.microseconds == 10_000_000
    assert (found.source.format, found.source.path) == ("json", "data/")
    assert [(o.name, o.value) for o in found.source.options] == [("header", "true"), ("n", 5)]
    assert found.revisions.column.text == "op"
    assert found.revisions.marks == (("insert", "c"), ("replace", "u"))
    assert found.idle_after.interval.microseconds == 30_000_000
    assert found.max_ahead.length.microseconds == 86_400_000_000
    statistics = [
        (s.kind, s.column and s.column.text, s.value) for s in found.with_stats.statistics
    ]
    assert statistics == [("rate", None, 200.0), ("distinct", "symbol", 20.0)]


def test_order() -> None:
    assert source("a INT, ORDER BY a STRICT").order_by.strict
    assert source("a INT, ORDER BY ARRIVAL").order_by.column is None
    assert source('arrival INT, ORDER BY "arrival"').order_by.column.text == "arrival"
    assert source("a INT, ORDER BY a WITHIN 5").order_by.within.ticks == 5
    assert source("a INT").order_by is None


def test_guarantees_stand_inside_and_outside() -> None:
    found = source("a INT, INSERT ONLY", "TIES IN ORDER FROM CSV 'x' DISTINCT ROWS")
    assert [g.kind for g in found.guarantees] == ["insert only", "ties in order", "distinct rows"]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("int", "INT"),
        ("Decimal(10, 2)", "DECIMAL(10,2)"),
        ("array<array<string>>", "ARRAY<ARRAY<STRING>>"),
        ("map<string,struct<aB: int, `c d` date>>", "MAP<STRING,STRUCT<aB:INT,`c d`:DATE>>"),
        ("interval day to second", "INTERVAL DAY TO SECOND"),
        ("timestamp_ntz", "TIMESTAMP_NTZ"),
    ],
)
def test_types_are_ddl_text(written: str, text: str) -> None:
    assert source(f"a {written}").columns[0].type == text


def test_formats() -> None:
    assert source("a INT", "FROM KAFKA OPTIONS (a.b = 'x')").source.path is None
    other = source("a INT", "FROM SOURCE 'My.Format' OPTIONS (\"a b\" = TRUE, c = -1.5)").source
    assert (other.format, other.path) == ("My.Format", None)
    assert [(o.name, o.value) for o in other.options] == [("a b", True), ("c", -1.5)]


def test_options_may_stand_before_from() -> None:
    assert source("a INT", "OPTIONS (x = 1) FROM CSV 'p'").source.options[0].value == 1


def test_archive() -> None:
    found = source(
        "a INT",
        "ARCHIVE KEEP 24 HOURS BUCKET 500 ROWS LAYOUT RANDOMIZED (RUN 100 BLOCKS) SAMPLE BY (a) "
        "SUMMARY h AS (SELECT a FROM s) SUMMARY d AS (SELECT a FROM s)",
    ).archive
    assert found.keep.microseconds == 86_400_000_000
    assert (found.keep_rows, found.bucket_rows) == (None, 500)
    assert (found.layout.kind, found.layout.blocks) == ("randomized", 100)
    assert [name.text for name in found.sample_by.columns] == ["a"]
    assert [summary.name.text for summary in found.summaries] == ["h", "d"]
    assert source("a INT", "ARCHIVE KEEP 10 ROWS").archive.keep_rows == 10
    layout = source("a INT", "ARCHIVE LAYOUT REPLICATED (20%, 40%)").archive.layout
    assert (layout.kind, layout.fractions) == ("replicated", (0.2, 0.4))


def test_nrr_and_relation() -> None:
    nrr = statement("CREATE NRR n (a INT, VERSION BY a) FROM CSV 'x'")
    assert (nrr.kind, nrr.version_by.column.text) == ("nrr", "a")
    relation = statement("CREATE RELATION r (a INT) FROM JSON 'x' REVISIONS DEBEZIUM")
    assert (relation.kind, relation.revisions.debezium) == ("relation", True)


def test_merge() -> None:
    found = statement(
        "CREATE STREAM m MERGE OF a, CLEANSE (b) POLICY FRACTION 0.5 STABLE LAG 5 SECONDS FEEDBACK"
    )
    assert isinstance(found, CreateMerge)
    assert [(i.name.text, i.cleanse) for i in found.inputs] == [("a", False), ("b", True)]
    assert (found.policy, found.fraction, found.feedback) == ("fraction", 0.5, True)
    assert found.stable_lag.microseconds == 5_000_000
    assert statement("CREATE STREAM m MERGE OF a, b POLICY HALF FROZEN").policy == "half frozen"
    assert statement("CREATE STREAM m MERGE OF a, b").policy is None


def test_view() -> None:
    found = statement("CREATE VIEW v AS SELECT a FROM t")
    assert isinstance(found, CreateView)
    assert found.name.text == "v"


@pytest.mark.parametrize(
    ("text", "ticks", "microseconds", "months"),
    [
        ("5", 5, None, 0),
        ("5 MINUTES", None, 300_000_000, 0),
        ("1 HOUR 30 MINUTES", None, 5_400_000_000, 0),
        ("INTERVAL '5' MINUTE", None, 300_000_000, 0),
        ("INTERVAL 5 minutes", None, 300_000_000, 0),
        ("1.5 SECONDS", None, 1_500_000, 0),
        ("250 MILLISECONDS", None, 250_000, 0),
        ("7 MICROSECONDS", None, 7, 0),
        ("2 WEEKS", None, 1_209_600_000_000, 0),
        ("1 YEAR 2 MONTHS 3 DAYS", None, 259_200_000_000, 14),
    ],
)
def test_lengths(text: str, ticks: int | None, microseconds: int | None, months: int) -> None:
    found = source("a INT", f"MAX AHEAD {text}").max_ahead.length
    assert found == Length(microseconds, ticks, text, found.span, months)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("CREATE STREAM s (a INT, KEY (a), KEY (a))", "RF1011"),
        ("CREATE STREAM s (a INT, INSERT ONLY) INSERT ONLY", "RF1011"),
        ("CREATE STREAM s (a INT) FROM CSV 'x' FROM CSV 'y'", "RF1011"),
        ("CREATE STREAM s (a INT) FROM CSV 'x' OPTIONS (a = 1) OPTIONS (b = 1)", "RF1011"),
        ("CREATE STREAM s (a INT) FROM CSV 'x' OPTIONS (a = 1, A = 2)", "RF1011"),
        ("CREATE STREAM s (a INT) REVISIONS BY op (INSERT 'a', INSERT 'b')", "RF1011"),
        ("CREATE STREAM s (a INT) ARCHIVE KEEP 5 KEEP 6", "RF1011"),
        ("CREATE STREAM s (a INT) ARCHIVE BUCKET 5 ROWS BUCKET 6 ROWS", "RF1011"),
        ("CREATE STREAM s (a INT) OPTIONS (a = 1)", "RF1015"),
        ("CREATE NRR m MERGE OF a, b", "RF1015"),
        ("CREATE STREAM m MERGE OF a, b POLICY EAGER POLICY EAGER", "RF1011"),
        ("CREATE STREAM s (a INT) MAX AHEAD 1.5", "RF1012"),
        ("CREATE STREAM s (a INT) MAX AHEAD 0.1 MICROSECONDS", "RF1013"),
        ("CREATE STREAM s (a INT) MAX AHEAD INTERVAL '-5' MINUTE", "RF1013"),
        ("CREATE STREAM s (a INT) ARCHIVE BUCKET 1.5 ROWS", "RF1012"),
        ("CREATE VIEW v AS t", "RF1015"),
    ],
)
def test_refusals(text: str, code: str) -> None:
    assert [found.code for found in refusals(text)] == [code]
