"""Lengths: intervals for timestamps, plain numbers for ticks."""

from __future__ import annotations

from reflow.compiler.syntax import nodes

from .findings import Findings

DAY = 86_400_000_000
"""A day in microseconds."""
_MOST = 1 << 62
"""An order value and a length must add up to a BIGINT."""


def units(
    length: nodes.Length,
    timestamps: bool,
    findings: Findings,
    what: str,
    least: int = 1,
    code: str = "RF3008",
) -> int | None:
    """A length in microseconds or ticks, as the clock says; None, with an error, when it is wrong.

    `code` is that of a length below `least`.
    """
    if timestamps:
        return interval(length, findings, what, least, code)
    if length.ticks is None:
        findings.error(
            "RF3002",
            f"{what} must be a plain number: the streams of this file are ordered by ticks",
            length.span,
            "a number, such as `100`",
        )
        return None
    return _at_least(length.ticks, length, findings, what, least, code)


def interval(
    length: nodes.Length, findings: Findings, what: str, least: int = 1, code: str = "RF3008"
) -> int | None:
    """A length of time in microseconds."""
    if length.months:
        findings.error(
            "RF3009",
            f"{what} cannot be in months or years: they have no fixed length",
            length.span,
            "an interval in weeks, days, hours, minutes or seconds",
            "write `30 DAYS` or `365 DAYS`",
        )
        return None
    if length.microseconds is None:
        findings.error(
            "RF3002",
            f"{what} must be an interval",
            length.span,
            "an interval, such as `5 MINUTES`",
            f"did you mean `{length.text} SECONDS`?" if length.ticks else "",
        )
        return None
    return _at_least(length.microseconds, length, findings, what, least, code)


def _at_least(
    value: int, length: nodes.Length, findings: Findings, what: str, least: int, code: str
) -> int | None:
    if value > _MOST:
        what_fits = "write [UNBOUNDED] for a window without end" if code == "RF3101" else ""
        findings.error("RF3011", f"{what} is longer than any time", length.span, hint=what_fits)
        return None
    if value >= least:
        return value
    wanted = "a length greater than zero" if least > 0 else "zero or more"
    is_zero = value == 0
    findings.error(code, f"{what} is {'zero' if is_zero else 'negative'}", length.span, wanted)
    return None
