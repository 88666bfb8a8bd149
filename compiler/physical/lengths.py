"""Lengths of time for people."""

from __future__ import annotations

_UNITS = (
    ("DAY", 86_400_000_000),
    ("HOUR", 3_600_000_000),
    ("MINUTE", 60_000_000),
    ("SECOND", 1_000_000),
    ("MILLISECOND", 1_000),
    ("MICROSECOND", 1),
)


def length_shown(length: int, timestamps: bool) -> str:
    """Microseconds as `1 HOUR 30 MINUTES`; ticks as the number they are."""
    if not timestamps or length == 0:
        return str(length)
    parts = []
    for unit, size in _UNITS:
        count, length = divmod(length, size)
        if count:
            parts.append(f"{count} {unit}{'' if count == 1 else 'S'}")
    return " ".join(parts)
