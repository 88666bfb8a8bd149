"""The reserved words, and the words that need AS to become an alias."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


RESERVED = words(
    """
    SELECT FROM WHERE GROUP HAVING ORDER BY UNION EXCEPT INTERSECT JOIN ON USING AS AND OR NOT IN IS
    LIKE BETWEEN CASE WHEN THEN ELSE DISTINCT ALL NULL TRUE FALSE EXISTS CAST EXTRACT ISTREAM
    DSTREAM RSTREAM CREATE INTO
    """
)

UNITS = frozenset(
    unit + ending
    for unit in words("MICROSECOND MILLISECOND SECOND MINUTE HOUR DAY WEEK MONTH YEAR")
    for ending in ("", "S")
)

# Not reserved, but each may begin what follows a table or an expression.
NEEDS_AS = UNITS | words(
    """
    BEGIN REVISE EMIT EVERY REDUCE LIMIT FILTER ESCAPE WITH TO DIV ILIKE RLIKE LEFT RIGHT FULL INNER
    OUTER CROSS SEMI ANTI INTERVAL RANGE ROWS TUMBLE NOW UNBOUNDED SESSION PARTITION
    """
)
