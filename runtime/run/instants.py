"""Instants as people write them."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo


class BadInstant(ValueError):
    """The text is no instant of this program's kind."""


def parse_instant(text: str, timestamps: bool, timezone: str) -> int:
    """An order value from text: a whole number of ticks, or an ISO timestamp (in the program's
    zone) as microseconds.
    """
    if not timestamps:
        try:
            return int(text)
        except ValueError:
            raise BadInstant(f"{text!r} is not a whole number of ticks") from None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadInstant(f"{text!r} is not a timestamp such as 2026-01-31 12:00:00") from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=ZoneInfo(timezone))
    epoch = datetime(1970, 1, 1, tzinfo=ZoneInfo("UTC"))
    span = moment - epoch
    return (span.days * 86_400 + span.seconds) * 1_000_000 + span.microseconds
