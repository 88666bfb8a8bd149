"""Names of the engine's own columns, and the ends of time.

All order values inside the engine are BIGINT: microseconds since 1970 UTC for TIMESTAMP, ticks else.
"""

from __future__ import annotations

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
"""Arrival position within an epoch."""

FOREVER: Final = 2**63 - 1
DAWN: Final = -(2**62)
"""Before every order value."""
TICK: Final = 1
"""The length of an instant: a microsecond or a tick."""

ENGINE_COLUMNS: Final = (VS, VE, T, W, POS)


def quote(name: str) -> str:
    """A column name as Spark SQL text."""
    return "`" + name.replace("`", "``") + "`"
