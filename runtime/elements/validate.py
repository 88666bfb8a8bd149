"""From rows to elements: which rows cannot be elements, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .columns import DAWN, big

MALFORMED: Final = "malformed"
NO_ORDER_VALUE: Final = "no order value"
LATE: Final = "late"
TOO_FAR_AHEAD: Final = "too far ahead"
UNKNOWN_OPERATION: Final = "unknown operation"
KINDS: Final = {"insert": 1, "replace": 0, "delete": -1}
"""What a row of a log does, as a number."""
TOO_OLD: Final = "older than what is kept"


@dataclass(frozen=True)
class Revisable:
    """How rows of a stream are judged that may come late or correct others.

    `of`: SQL that tells the stream's rows; `oldest`: the least order value that is taken; `kind`:
    SQL for what a row does (1 inserts, 0 replaces, -1 deletes, NULL: nothing that is known).
    """

    of: str
    oldest: int
    kind: str

    @property
    def corrects(self) -> str:
        """SQL: the row is about another one, which says when it is valid."""
        return f"({self.of} AND {self.kind} <= 0)"


def rejection(
    corrupt: str,
    order: str,
    complete: int,
    revisable: Sequence[Revisable] = (),
    elements: Sequence[tuple[str, str]] = (),
) -> str:
    """SQL for the reason why a row is no element, or NULL. Rows below `complete` are late, but for
    those of revisable streams. `elements`: streams of elements, as SQL that tells their rows and
    SQL for the reason; nothing else is asked of these.
    """
    cases = [f"WHEN {corrupt} IS NOT NULL THEN '{MALFORMED}'"]
    cases += [f"WHEN {of} THEN {reason}" for of, reason in elements]
    for each in revisable:
        cases.append(f"WHEN {each.of} AND {each.kind} IS NULL THEN '{UNKNOWN_OPERATION}'")
    corrects = " OR ".join(each.corrects for each in revisable) or "FALSE"
    cases.append(f"WHEN {order} IS NULL AND NOT ({corrects}) THEN '{NO_ORDER_VALUE}'")
    if complete != DAWN:
        for each in revisable:
            cases.append(f"WHEN {each.of} AND {order} < {big(each.oldest)} THEN '{TOO_OLD}'")
        others = " OR ".join(each.of for each in revisable) or "FALSE"
        cases.append(f"WHEN {order} < {big(complete)} AND NOT ({others}) THEN '{LATE}'")
    return f"CASE {' '.join(cases)} END"


def ahead_limit(
    counts: list[tuple[int, int, int]], now: int, first: int | None, ahead: int, written: bool
) -> int | None:
    """The largest order value that is not absurdly far ahead of the rest of its epoch, or None if
    all are well.

    `counts`: per stretch of time (least, largest, rows), ascending; `first`: the least value of
    earlier epochs. A few rows (1 % of the epoch, or a single one) more than `ahead` beyond all the
    others and beyond `now` are absurd. Where the limit is the default, the gap must also be longer
    than all that lies before it, and there must be other rows in the epoch, so that sparse streams
    keep their rows.
    """
    allowed = max(1, sum(rows for _, _, rows in counts) // 100)
    beyond = 0
    limit = None
    for position in range(len(counts) - 1, -1, -1):
        if position == 0 and (now == DAWN or not written):
            break
        least, _, rows = counts[position]
        beyond += rows
        if beyond > allowed:
            break
        rest = max(now, counts[position - 1][1]) if position else now
        span = rest - min(counts[0][0], counts[0][0] if first is None else first)
        gap = least - rest
        if gap > ahead and (written or gap > span):
            limit = rest
    return limit
