"""Names of the engine's own columns, and the ends of time.

All order values inside the engine are BIGINT: microseconds since 1970 UTC for TIMESTAMP, ticks
else.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

VS: Final = "_vs"
"""Valid from this instant on."""
VE: Final = "_ve"
"""Valid until before this instant; FOREVER where no end is known."""
T: Final = "_t"
"""The instant of a point."""
W: Final = "_w"
"""Weight: how many copies come (positive) or go (negative)."""
POS: Final = "_pos"
"""The place of an element in the order of its stream, a struct (`POSITION`) that compares as a
whole: by order value, then by arrival. Only where an operator asked for it.
"""
POSITION: Final = {
    "vs": "BIGINT",
    "epoch": "BIGINT",
    "source": "INT",
    "time": "BIGINT",
    "file": "STRING",
    "block": "BIGINT",
    "row": "BIGINT",
}
"""Order value, epoch of arrival, stream, and the row's place in its source: a file's time, name and
block (or what a source has instead), then the number of the row.
"""

ADDED: Final = "_added"
"""Whether an element of a replay is a row that corrects others, or made of one: the slices as they
were are without it.
"""
DRAWN: Final = "_drawn"
"""In a replay of a sample: which drawn row an element is made of; NULL: of none."""

FOREVER: Final = 2**63 - 1
DAWN: Final = -(2**62)
"""Before every order value."""
TICK: Final = 1
"""The length of an instant: a microsecond or a tick."""


def quote(name: str) -> str:
    """A column name as Spark SQL text."""
    return "`" + name.replace("`", "``") + "`"


def listed(names: Iterable[str], *more: str) -> str:
    """Column names as a SQL list; `more` are taken as they stand."""
    return ", ".join([*[quote(name) for name in names], *more])


def big(value: int) -> str:
    """A BIGINT literal."""
    return f"{value}L" if value > -(2**63) else "(-9223372036854775807L - 1L)"


def string(value: str) -> str:
    """A STRING literal."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def same(pairs: Iterable[tuple[str, str]]) -> str:
    """A null-safe equality of SQL texts, as DISTINCT and GROUP BY compare."""
    return " AND ".join(f"{a} <=> {b}" for a, b in pairs) or "TRUE"
