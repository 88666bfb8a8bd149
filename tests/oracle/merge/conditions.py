"""What holds of every merge (LMERGE III, V-A; DESIGN section 6).

The output is *compatible* with an input when some TDB extends what both have promised: before the
lesser of their stables they have the same fully frozen events, and as many half frozen ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .elements import INFINITY, Adjust, Element, Insert, Key, Stable, Time
from .reconstitution import Physical


def c1(output: Physical, promised: Time) -> list[str]:
    """The output is stable no further than some input has been."""
    if output.stable <= promised:
        return []
    return [f"C1: the output is stable to {output.stable}, no input beyond {promised}"]


def _agreed(output: Physical, given: Physical, t: Time) -> set[Key]:
    return {key for key in output.ends.keys() | given.ends.keys() if key[0] < t}


def c2(output: Physical, given: Physical, complete_from: Time = -INFINITY) -> list[str]:
    """What is fully frozen in both is the same; of an input that is complete from a time, what
    ends there or later.
    """
    t = min(output.stable, given.stable)
    faults = []
    for key in _agreed(output, given, t):
        ours, theirs = (
            {ve: n for ve, n in s.ends.get(key, Counter()).items() if complete_from <= ve < t}
            for s in (output, given)
        )
        if ours != theirs:
            faults.append(f"C2: fully frozen at {t}, {key}: output {ours}, input {theirs}")
    return faults


def c3(output: Physical, given: Physical, complete_from: Time = -INFINITY) -> list[str]:
    """What is half frozen in both is there in both, as many times."""
    t = min(output.stable, given.stable)
    if t < complete_from:
        return []
    faults = []
    for key in _agreed(output, given, t):
        ours, theirs = (
            sum(n for ve, n in s.ends.get(key, Counter()).items() if ve >= t)
            for s in (output, given)
        )
        if ours != theirs:
            faults.append(f"C3: half frozen at {t}, {key}: output {ours}, input {theirs}")
    return faults


@dataclass(frozen=True)
class Step:
    """What a merge got and what it put out for it: an element or an epoch."""

    received: Sequence[Element]
    sent: Sequence[Element]


def _by_key(elements: Sequence[Element]) -> Counter[Key]:
    return Counter((e.vs, e.row) for e in elements if not isinstance(e, Stable))


def chatter(steps: Sequence[Step]) -> list[str]:
    """Where a merge says more than it must: per (vs, row), inserts and adjusts sent in all are at
    most those received; a copy is adjusted at most once per stable, and only with one.
    """
    faults = []
    received = _by_key([e for step in steps for e in step.received])
    sent = _by_key([e for step in steps for e in step.sent])
    for key, n in sent.items():
        if n > received[key]:
            faults.append(f"{key}: {n} inserts and adjusts sent, {received[key]} received")
    copies: Counter[Key] = Counter()
    for step in steps:
        copies += _by_key([e for e in step.sent if isinstance(e, Insert)])
        stables = sum(isinstance(e, Stable) for e in step.sent)
        for key, n in _by_key([e for e in step.sent if isinstance(e, Adjust)]).items():
            if n > stables * copies[key]:
                faults.append(f"{key}: {n} adjusts with {stables} stables: {step}")
    return faults
