"""From rows to elements: which rows cannot be elements, and why."""

from __future__ import annotations

from typing import Final

from .columns import DAWN, big

MALFORMED: Final = "malformed"
NO_ORDER_VALUE: Final = "no order value"
LATE: Final = "late"
TOO_FAR_AHEAD: Final = "too far ahead"


def rejection(corrupt: str, order: str, complete: int) -> str:
    """SQL for the reason why a row is no element, or NULL. Rows below `complete` are late."""
    cases = [f"WHEN {corrupt} IS NOT NULL THEN '{MALFORMED}'"]
    cases.append(f"WHEN {order} IS NULL THEN '{NO_ORDER_VALUE}'")
    if complete != DAWN:
        cases.append(f"WHEN {order} < {big(complete)} THEN '{LATE}'")
    return f"CASE {' '.join(cases)} END"


def ahead_limit(
    counts: list[tuple[int, int, int]], now: int, ahead: int, written: bool
) -> int | None:
    """The largest order value that is not absurdly far ahead of the rest of its epoch, or None if
    all are well.

    `counts`: per stretch of time (least, largest, rows), ascending. A few rows (1 % of the epoch,
    or a single one) more than `ahead` beyond all the others are absurd; where the limit is the
    default, the gap must also be longer than all that lies before it, so that sparse streams keep
    their rows.
    """
    total = sum(rows for _, _, rows in counts)
    allowed = max(1, total // 100)
    beyond = 0
    limit = None
    for position in range(len(counts) - 1, -1, -1):
        before = counts[position - 1][1] if position else None
        rest = max(now, before) if before is not None else now
        if before is None and now == DAWN:
            break
        least, _, rows = counts[position]
        beyond += rows
        if beyond > allowed:
            break
        start = counts[0][0] if now == DAWN or position else now
        gap = least - rest
        if gap > ahead and (written or gap > rest - start):
            limit = rest
    return limit
