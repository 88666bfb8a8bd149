"""Spark SQL's built-in functions by name: scalars, with what they take and give, and the others."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from reflow.grammar.value import value

from .aggregate_table import AGGREGATES, REFUSED
from .function_table import TABLE


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ROW_MAKERS = _words(
    """
    explode explode_outer posexplode posexplode_outer inline inline_outer stack json_tuple
    """
)

OVER_ROWS = _words(
    """
    row_number rank dense_rank percent_rank cume_dist ntile lag lead nth_value window
    session_window window_time
    """
)


@value
class Function:
    """A scalar function; `most` is None where there is no limit."""

    name: str
    least: int
    most: int | None
    result: str
    takes: str

    def fits(self, arguments: int) -> bool:
        return self.least <= arguments and (self.most is None or arguments <= self.most)

    @property
    def wanted(self) -> str:
        """How many arguments, for a message."""
        if self.most is None:
            return f"{self.least} or more"
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"


def _entry(text: str, result: str, takes: str) -> Function:
    name, _, count = text.partition(":")
    if count.endswith("+"):
        return Function(name, int(count[:-1]), None, result, takes)
    least, _, most = count.partition("-")
    return Function(name, int(least), int(most or least), result, takes)


SCALARS: Mapping[str, Function] = MappingProxyType(
    {
        function.name: function
        for result, takes, entries in TABLE
        for function in (_entry(text, result, takes) for text in entries.split())
    }
)

ALL_NAMES = tuple(sorted({*SCALARS, *AGGREGATES, *REFUSED, *ROW_MAKERS}))

_FAMILIES = (
    "kll_",
    "theta_",
    "tuple_",
    "vector_",
    "st_",
    "time_",
    "variant_",
    "try_variant_",
    "hll_",
)


def is_of_known_family(name: str) -> bool:
    """Sketches, vectors, variants and shapes: many functions, of which nothing is known here."""
    return name.startswith(_FAMILIES)


__all__ = ["AGGREGATES", "ALL_NAMES", "OVER_ROWS", "REFUSED", "ROW_MAKERS", "SCALARS", "Function"]
