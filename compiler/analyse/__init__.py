"""Facts about a plan that lie beside it.

In: a plan. Out: `Facts`, keyed by operator; nothing is written into the plan. Each module is one
analysis: a definition and one exhaustive match whose arms give their reasons.
"""

from .facts import Facts, analyse
from .lattice import MON, STR, WK, Kind, UpdatePattern

__all__ = ["MON", "STR", "WK", "Facts", "Kind", "UpdatePattern", "analyse"]
