"""The settings of UPA's experiments (5.3.1, 6.1): how often what has ended is looked for, how
state with announced ends is laid out, and by which of the three techniques that the paper compares
a file is executed. They change when work is done and how much, never an answer.

In: a file's settings as text. Out: lengths in microseconds or ticks, numbers and words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, get_args

from reflow.grammar.value import value

Execution = Literal["upa", "nt", "direct"]
"""upa: by update patterns. nt: each window says by negative tuples when its rows leave, and all
state lies by key. direct: rows carry their ends, and nothing is known about their order.
"""

EXECUTIONS: tuple[Execution, ...] = get_args(Execution)
ORDERS = ("expiry", "insertion")
ON_ANOMALY = ("dead letter", "fail")
"""What happens when a row corrects one that is not there."""
ON_PROPERTY_VIOLATION = ("stop", "degrade")
"""What happens when an input of a merge breaks what it has declared."""
REVISE_WHEN = ("at once", "idle")
"""Whether corrections are made in the epoch in which they come, or in one without arrivals."""
MOST_PARTITIONS = 1000
LENGTHS = ("eager_interval", "lazy_interval")
"""Lengths of the streams' time: of ticks where they are ordered by a BIGINT."""

_UNITS = {
    "MICROSECOND": 1,
    "MILLISECOND": 1_000,
    "SECOND": 1_000_000,
    "MINUTE": 60_000_000,
    "HOUR": 3_600_000_000,
    "DAY": 86_400_000_000,
    "WEEK": 604_800_000_000,
}
_PART = re.compile(r"\s*(\d+)\s+([A-Za-z]+)")


@value
class Expiration:
    """`eager_interval`: state whose ends are reported lets ended rows go when the clock passes a
    multiple of it; `lazy_interval`: the same for state of joins, which ended rows do not disturb.
    `max_delay`: clock time without arrivals after which an epoch is made. Rows with announced ends
    are kept in `partitions` files an epoch by ranges of their ends; within a file in the order of
    `expiry` or of `insertion`. None: what the engine finds best. `scans`: what has ended is found
    by looking at every row of the state, whatever is known about ends.
    """

    eager_interval: int | None = None
    lazy_interval: int | None = None
    max_delay: int | None = None
    partitions: int | None = None
    order: str | None = None
    scans: bool | None = None


NAMES = (*LENGTHS, "max_delay", "expiry_partitions", "expiry_order")


def expiration(settings: Mapping[str, str]) -> Expiration:
    """The settings of a file, which have been checked."""
    partitions = settings.get("expiry_partitions")
    return Expiration(
        eager_interval=_length(settings.get("eager_interval")),
        lazy_interval=_length(settings.get("lazy_interval")),
        max_delay=_length(settings.get("max_delay")),
        partitions=None if partitions is None else int(partitions),
        order=settings.get("expiry_order"),
        scans=True if execution(settings) == "direct" else None,
    )


def execution(settings: Mapping[str, str]) -> Execution:
    """By which technique a file is executed, whose settings have been checked."""
    wanted = settings.get("execution", "upa")
    return next(each for each in EXECUTIONS if each == wanted)


def ticks(text: str) -> int | None:
    """A plain number above zero; None for anything else."""
    return int(text) if re.fullmatch(r"\d{1,18}", text.strip()) and int(text) > 0 else None


def microseconds(text: str) -> int | None:
    """`5 SECONDS` or `1 HOUR 30 MINUTES`; None for anything else, and for no time at all."""
    total, at = 0, 0
    for part in _PART.finditer(text):
        unit = _UNITS.get(part[2].upper().removesuffix("S"))
        if part.start() != at or unit is None:
            return None
        total, at = total + int(part[1]) * unit, part.end()
    return total if total > 0 and not text[at:].strip() and total < 2**62 else None


def _length(text: str | None) -> int | None:
    if text is None:
        return None
    number = ticks(text)
    return microseconds(text) if number is None else number
