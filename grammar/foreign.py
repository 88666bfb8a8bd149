"""Syntax of other dialects that the language does not have, and what to write instead."""

from __future__ import annotations

from itertools import pairwise

from .scan import Piece
from .words import words

# First words of a statement.
STATEMENTS = {
    "WITH": "name the query with CREATE VIEW … AS",
    "INSERT": "a query names its sink: SELECT … INTO PARQUET 'path'; "
    "in a test file, write INSERT INTO stream VALUES (…)",
    "UPDATE": "rows change in their source only",
    "DELETE": "rows change in their source only",
    "DROP": "a file says all there is: remove the statement that creates it",
    "ALTER": "a file says all there is: change the statement that creates it",
    "EXPLAIN": "use the command `reflow explain`",
    "VALUES": "rows come from sources only",
    "REGISTER": "streams are declared with CREATE STREAM, queries with CREATE QUERY",
    "USE": "there are no databases",
}
OF_TESTS = words("TEST RUN INSERT DELETE ADVANCE ASSERT")
BEGINNINGS = OF_TESTS | words("SELECT CREATE SET ISTREAM DSTREAM RSTREAM")
BEHIND_A_QUERY = words("UNION EXCEPT INTERSECT BEGIN REVISE EMIT EVERY INTO SEMICOLON $END")
_WITH_VALUES = words("INSERT DELETE ASSERT")

# Pairs of words; "#" stands for a number.
_PAIRS = {
    ("LIMIT", "#"): "a continuous query has no last row",
    ("LIMIT", "ALL"): "a continuous query has no last row",
    ("OFFSET", "#"): "a continuous query has no first row",
    ("FETCH", "FIRST"): "a continuous query has no last row",
    ("CROSS", "JOIN"): "write FROM a, b for the product",
    ("NATURAL", "JOIN"): "write JOIN … USING (columns)",
    ("SEMI", "JOIN"): "write WHERE EXISTS (…)",
    ("ANTI", "JOIN"): "write WHERE NOT EXISTS (…)",
    ("LATERAL", "VIEW"): "explode the arrays in the source",
    ("OVER", "("): "windows are those in FROM: FROM s [RANGE 5 MINUTES]",
    ("WITHIN", "GROUP"): "use PERCENTILE(value, share)",
    ("TABLESAMPLE", "("): "write REDUCE BY UNIFORM (0.9) behind the stream",
    ("EXCEPT", "("): "name the columns you want",
    ("VALUES", "("): "rows come from sources only",
    ("CLUSTER", "BY"): "the engine chooses how to distribute rows",
    ("DISTRIBUTE", "BY"): "the engine chooses how to distribute rows",
    ("SORT", "BY"): "an answer is a set of rows that changes; it has no order",
    ("GROUPING", "SETS"): "write one query for each grouping and UNION ALL",
}


def foreign_statement(pieces: list[Piece]) -> tuple[Piece, str, str] | None:
    """A statement that the language does not have, by its first word: its place, name, advice."""
    if not pieces or pieces[0].upper not in STATEMENTS or _is_of_a_test(pieces):
        return None
    name = pieces[0].upper
    return pieces[0], name, STATEMENTS[name]


def _is_of_a_test(pieces: list[Piece]) -> bool:
    """Whether a statement of a test file gives rows."""
    begins = pieces[0].upper in _WITH_VALUES
    return begins and any(piece.upper == "VALUES" for piece in pieces)


def foreign_pair(pieces: list[Piece]) -> tuple[Piece, str, str] | None:
    """The first pair of words that the language does not have: its place, name and advice."""
    rows_are_given = bool(pieces) and _is_of_a_test(pieces)
    for first, second in pairwise(pieces):
        if rows_are_given and first.upper == "VALUES":
            continue
        key = (first.upper, "#" if second.kind == "number" else second.upper)
        if key in _PAIRS and not _is_set_operator(key, pieces, first):
            name = first.upper if key[1] in {"#", "("} else " ".join(key)
            return first, name, _PAIRS[key]
    return None


def _is_set_operator(key: tuple[str, str], pieces: list[Piece], first: Piece) -> bool:
    """`q EXCEPT (q)` is the set operator; only behind a star EXCEPT leaves out columns."""
    if key != ("EXCEPT", "("):
        return False
    position = pieces.index(first)
    return position == 0 or pieces[position - 1].text != "*"
