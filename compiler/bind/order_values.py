"""Instants as literals: a number of ticks, or a timestamp in the zone of the file."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from sqlglot import exp

from reflow.compiler.syntax import nodes

from .findings import Findings


def order_value(
    moment: nodes.Moment, timestamps: bool, timezone: str, findings: Findings
) -> int | None:
    """The instant in microseconds or ticks; None, with an error, where it is none."""
    literal = moment.literal
    value = None
    if literal is not None:
        value = _microseconds(literal, timezone) if timestamps else _ticks(literal)
    if value is None:
        findings.error(
            "RF3505",
            "this is no instant of these streams",
            moment.span,
            "a timestamp, such as '2026-01-31 12:00:00'"
            if timestamps
            else "a whole number: the streams are ordered by ticks",
        )
    return value


def _ticks(literal: exp.Expression) -> int | None:
    negative = isinstance(literal, exp.Neg)
    number = literal.this if negative else literal
    if not isinstance(number, exp.Literal) or number.is_string or not str(number.this).isdecimal():
        return None
    value = int(number.this)
    return -value if negative else value


def _microseconds(literal: exp.Expression, timezone: str) -> int | None:
    text = literal.this if isinstance(literal, exp.Cast) else literal
    if not isinstance(text, exp.Literal) or not text.is_string:
        return None
    try:
        moment = datetime.fromisoformat(str(text.this).strip())
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=ZoneInfo(timezone))
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
