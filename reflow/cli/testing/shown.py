"""Values as they would be written in a test file."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def shown_value(value: Any, timezone: str) -> str:
    """A value of a row; times in the program's zone."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime):
        zoned = value.astimezone(ZoneInfo(timezone)).replace(tzinfo=None) if value.tzinfo else value
        return f"'{zoned.isoformat(sep=' ')}'"
    if isinstance(value, date):
        return f"'{value.isoformat()}'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, tuple):
        return f"({', '.join(shown_value(each, timezone) for each in value)})"
    return str(value)


def shown_instant(instant: int | None, timestamps: bool, timezone: str) -> str:
    """An order value as ADVANCE TO takes it."""
    if instant is None:
        return "any"
    if not timestamps:
        return str(instant)
    try:
        moment = _EPOCH + timedelta(microseconds=instant)
        return shown_value(moment, timezone)
    except OverflowError:
        return str(instant)
