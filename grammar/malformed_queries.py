"""Common mistakes in the clauses of queries and in windows."""

from __future__ import annotations

import re

from .mistake import Mistake
from .words import UNITS, words

_ENDS = words("WHERE GROUP HAVING UNION EXCEPT INTERSECT INTO ORDER SEMICOLON RPAR $END")
_CLAUSES = words("REVISE EMIT EVERY INTO")
_LENGTHS = words("NUMBER INTERVAL UNBOUNDED STRING UNIT")

MISTAKES: tuple[Mistake, ...] = (
    # --- Lists and commas ------------------------------------------------------------------------
    Mistake(
        "SELECT a, FROM t",
        lambda s: s.after(",") and s.kind in _ENDS | {"FROM", "RPAR"},
        "a comma stands before {text}",
        "remove it, or name what should follow it",
        at="last",
    ),
    Mistake(
        "SELECT FROM t",
        lambda s: (
            s.kind == "FROM" and s.after("SELECT", "DISTINCT", "ISTREAM", "DSTREAM", "RSTREAM")
        ),
        "this SELECT names no columns",
        "write SELECT * for all of them",
    ),
    Mistake(
        "SELECT a) FROM t",
        lambda s: s.kind == "RPAR" and not s.open,
        "no bracket is open here",
    ),
    # --- Clauses of a SELECT ---------------------------------------------------------------------
    Mistake(
        "SELECT a WHERE b = 1",
        lambda s: s.accept("FROM", "COMMA") and s.kind in _ENDS,
        "this SELECT has no FROM",
    ),
    Mistake(
        "SELECT a FROM t JOIN u WHERE b = 1",
        lambda s: s.accept("ON", "USING") and s.kind in _ENDS | words("JOIN LEFT RIGHT FULL COMMA"),
        "this JOIN has no ON",
        "write ON and a condition, USING (columns), or FROM a, b for the product",
    ),
    Mistake(
        "SELECT a FROM t GROUP BY a WHERE b = 1",
        lambda s: s.kind == "WHERE" and bool({"GROUP", "HAVING"} & set(s.level)),
        "WHERE stands before GROUP BY",
        "conditions on groups are for HAVING",
    ),
    Mistake(
        "SELECT a FROM t HAVING b = 1 GROUP BY a",
        lambda s: s.kind == "GROUP" and "HAVING" in s.level,
        "GROUP BY stands before HAVING",
    ),
    Mistake(
        "SELECT a FROM t WHERE a = 1 WHERE b = 2",
        lambda s: s.kind == "WHERE" and "WHERE" in s.level,
        "this SELECT has two WHERE",
        "join the conditions with AND",
    ),
    Mistake(
        "CREATE VIEW v AS SELECT a FROM t EMIT CHANGES",
        lambda s: s.upper in _CLAUSES and s.words[:2] == ("CREATE", "VIEW"),
        "a view has no {text}",
        "the clause belongs to the query that reads the view",
    ),
    Mistake(
        "SELECT a FROM (SELECT a FROM t EMIT CHANGES) AS x",
        lambda s: s.upper in _CLAUSES and bool(s.open),
        "a query in brackets has no {text}",
        "the clause belongs at the end of the whole query",
    ),
    Mistake(
        "SELECT a FROM t left WHERE b = 1",
        lambda s: (
            s.after("LEFT", "RIGHT", "FULL", "INNER") and s.accept("JOIN") and s.kind != "NAME"
        ),
        "`{last}` needs AS to be an alias",
        "write AS {last}; or, if a join was meant, {last} JOIN",
        code="RF1010",
        at="last",
    ),
    Mistake(
        "SELECT a FROM t GROUP BY a AS APPEND",
        lambda s: (
            s.kind == "AS"
            and re.match(r"as\s+(changelog|elements|append|upsert)\b", s.rest, re.IGNORECASE)
            is not None
        ),
        "there is no INTO before {text}",
        "it says how a sink is written: INTO PARQUET 'path' AS CHANGELOG",
    ),
    Mistake(
        "CREATE STREAM s (a INT) FROM XML 'x'",
        lambda s: s.kind in {"NAME", "STRING"} and s.accept("SOURCE", "KAFKA"),
        "{text} is no format with a word of its own",
        "any other format of Spark is read by FROM SOURCE 'format' OPTIONS (path = '…')",
    ),
    # --- Windows and lengths ---------------------------------------------------------------------
    Mistake(
        "SELECT a FROM t RANGE 5 MINUTES",
        lambda s: (
            s.kind == "NUMBER" and not s.open and s.after("RANGE", "ROWS", "TUMBLE", "SESSION")
        ),
        "a window stands in square brackets",
        "write [{last} …] behind the stream",
        at="last",
    ),
    Mistake(
        "SELECT a FROM t [RANGE 5 MIN]",
        lambda s: s.kind == "NAME" and s.accept("UNIT") and s.last is not None,
        "{text} is no unit of time",
        "units are SECONDS, MINUTES, HOURS, DAYS and the like, written out",
    ),
    Mistake(
        "SELECT a FROM t [RANGE]",
        lambda s: s.after("RANGE", "TUMBLE", "SESSION") and s.kind in words("RSQB SLIDE BY"),
        "this window has no length",
        "write a length such as 5 MINUTES",
    ),
    Mistake(
        "SELECT a FROM t [ROWS]",
        lambda s: s.after("ROWS") and s.kind in words("RSQB SLIDE RANGE"),
        "this window has no number of rows",
        "write a number, as in [ROWS 100]",
    ),
    Mistake(
        "SELECT a FROM t [5 MINUTES]",
        lambda s: s.after("[") and s.accept("RANGE", "TUMBLE") and s.kind in words("NUMBER RSQB"),
        "this window does not say its kind",
        "write [RANGE 5 MINUTES], [ROWS 5], [NOW] or another window",
    ),
    Mistake(
        "SELECT a FROM t [ROWS 5 MINUTES]",
        lambda s: s.upper in UNITS and s.reading == "ROWS",
        "ROWS counts rows",
        "write RANGE for a length of time",
    ),
    Mistake(
        "SELECT a FROM t [RANGE -5]",
        lambda s: s.kind == "MINUS" and s.accept("NUMBER") and s.accepts < _LENGTHS,
        "a length has no sign",
    ),
    Mistake(
        "SELECT a FROM t WHERE ts > now() - 5 MINUTES",
        lambda s: s.upper in UNITS and s.last is not None and s.last.kind == "number",
        "an interval in an expression needs the word INTERVAL",
        "write INTERVAL {last} {raw}",
        at="last",
    ),
)
