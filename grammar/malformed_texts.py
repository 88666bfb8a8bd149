"""Common mistakes in expressions, quotes, columns of sources, and between statements."""

from __future__ import annotations

from .mistake import Mistake
from .words import words

_CONSTRAINTS = words("NOT NULL PRIMARY UNIQUE DEFAULT COMMENT REFERENCES")

MISTAKES: tuple[Mistake, ...] = (
    # --- Expressions -----------------------------------------------------------------------------
    Mistake(
        "SELECT a FROM t WHERE b => 5",
        lambda s: s.text.startswith(">") and s.after("="),
        "`=>` is not an operator",
        "write `>=` for greater or equal",
        at="last",
    ),
    Mistake(
        "SELECT a FROM t WHERE b =< 5",
        lambda s: s.text.startswith("<") and s.after("="),
        "`=<` is not an operator",
        "write `<=` for less or equal",
        at="last",
    ),
    Mistake(
        "SELECT a::INT FROM t",
        lambda s: s.source.text.startswith("::", s.span.start),
        "`::` is not an operator",
        "write CAST(value AS type)",
    ),
    Mistake(
        "SELECT CASE WHEN a THEN b FROM t",
        lambda s: (
            s.accept("END") and not s.accept("AS") and s.reading == "CASE" and s.kind != "NAME"
        ),
        "this CASE has no END",
    ),
    Mistake(
        "SELECT CAST(a, INT) FROM t",
        lambda s: s.reading == "CAST" and s.accept("AS") and not s.accept("FROM"),
        "CAST takes AS and a type",
        "write CAST(value AS type)",
    ),
    Mistake(
        "SELECT a FROM t WHERE b IN 5",
        lambda s: s.after("IN") and s.accepts == {"LPAR"},
        "IN takes brackets",
        "write IN (1, 2) or IN (SELECT …)",
    ),
    Mistake(
        "SELECT a FROM t WHERE b BETWEEN 1, 2",
        lambda s: s.kind == "COMMA" and s.reading == "BETWEEN" and s.accept("AND"),
        "BETWEEN takes AND between its bounds",
        "write BETWEEN 1 AND 2",
    ),
    # --- Quotes ----------------------------------------------------------------------------------
    Mistake(
        'CREATE NRR n (a INT) FROM CSV "n.csv"',
        lambda s: s.kind == "QUOTED_NAME" and not s.accept("QUOTED_NAME") and s.accept("STRING"),
        "{text} is a name, and a string is needed here",
        "strings stand in single quotes",
    ),
    Mistake(
        "SELECT a AS 'x' FROM t",
        lambda s: s.kind == "STRING" and s.accept("QUOTED_NAME") and not s.accept("STRING"),
        "{text} is a string, and a name is needed here",
        "names may be quoted with double quotes or backquotes",
    ),
    # --- Columns of a source ---------------------------------------------------------------------
    Mistake(
        "CREATE STREAM s (a, b INT) FROM CSV 'x'",
        lambda s: s.accept("ARRAY", "STRUCT") and s.kind in words("COMMA RPAR"),
        "the column {last} has no type",
        "write a type of Spark SQL behind it, such as INT or STRING",
        at="last",
    ),
    Mistake(
        "CREATE STREAM s (a INT NOT NULL) FROM CSV 'x'",
        lambda s: (
            s.upper in _CONSTRAINTS and s.accept("COMMA", "RPAR") and s.words[:1] == ("CREATE",)
        ),
        "a column is a name and a type, without {text}",
        "keys stand behind the columns, as in KEY (a)",
    ),
    # --- Between statements ----------------------------------------------------------------------
    Mistake(
        "SELECT a FROM t SELECT b FROM u",
        lambda s: s.upper in {"SELECT", "CREATE"} and s.accept("SEMICOLON"),
        "a `;` is missing before {text}",
        "statements end with `;`",
    ),
    Mistake(
        "SELECT a FROM t SET x = 1",
        lambda s: s.kind == "EQUAL" and len(s.before) > 2 and s.before[-2].upper == "SET",
        "a `;` is missing before SET",
        "statements end with `;`",
        at="second last",
    ),
    Mistake(
        "CREATE TABLE t (a INT)",
        lambda s: s.after("CREATE") and s.upper == "TABLE",
        "there are no tables",
        "rows that arrive are a STREAM, facts that stay an NRR, facts that change a RELATION",
    ),
    Mistake(
        "CREATE OR REPLACE VIEW v AS SELECT a FROM t",
        lambda s: s.after("CREATE") and s.upper == "OR",
        "nothing is replaced: a file says all there is",
        "write CREATE alone",
    ),
)
