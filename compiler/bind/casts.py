"""Which types Spark (ANSI) casts to which; what is not certain counts as possible."""

from __future__ import annotations

from .types import Type

_NESTED = frozenset({"array", "map", "struct"})
# From a family to those that Spark surely refuses.
_REFUSED = {
    "boolean": frozenset({"datetime", "binary", "interval"}),
    "numeric": frozenset({"DATE", "TIMESTAMP_NTZ"}),
    "DATE": frozenset({"numeric", "boolean", "binary", "interval"}),
    "TIMESTAMP": frozenset({"boolean", "binary", "interval"}),
    "TIMESTAMP_NTZ": frozenset({"numeric", "boolean", "binary", "interval"}),
    "binary": frozenset({"numeric", "boolean", "datetime", "interval"}),
}


def castable(value: Type, target: Type) -> bool:
    """False only where Spark surely refuses the cast."""
    a, b = value.family, target.family
    if not a or not b or b == "string":
        return True
    if a in _NESTED or b in _NESTED:
        return a == b
    refused = _REFUSED.get(value.name) or _REFUSED.get(a) or frozenset()
    return b not in refused and target.name not in refused
