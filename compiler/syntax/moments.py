"""Which texts Spark reads as a DATE or a TIMESTAMP; what is not certain counts as one.

Spark's words for moments that move (`today`, `now`) are none: a literal stays the same.
"""

from __future__ import annotations

import re
from datetime import date

_DATE = re.compile(r"[+-]?(\d{4,7})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ](.*))?)?)?")
_TIME = re.compile(r"T?(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.\d*)?)?)?(?!\d)(.*)")


def is_moment(text: str, kind: str) -> bool:
    """Whether the text may be a literal of the kind, DATE or TIMESTAMP."""
    text = text.strip()
    found = _DATE.fullmatch(text)
    if found is None:
        return kind == "TIMESTAMP" and ":" in text and _is_time(text)
    year, month, day, rest = found.groups()
    if not _is_day(min(int(year), 9996 + int(year) % 4), int(month or 1), int(day or 1)):
        return False
    return kind == "DATE" or not rest or _is_time(rest.strip())


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        date(max(year, 1), month, day)
    except ValueError:
        return False
    return True


def _is_time(text: str) -> bool:
    found = _TIME.fullmatch(text)
    if found is None:
        return False
    hour, minute, second = (int(part or 0) for part in found.groups()[:3])
    return hour < 24 and minute < 60 and second < 60
