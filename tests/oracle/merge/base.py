"""What the five algorithms share: inputs, stables, joining (LMERGE IV, V; DESIGN section 6)."""

from __future__ import annotations

from collections.abc import Sequence

from .elements import INFINITY, Adjust, Element, Insert, Stable, Time
from .inputs import Inputs
from .policies import CHATTY, EAGER, Policy


class Merge:
    """`lag` is STABLE LAG: the merged stable stays so far behind the largest of the inputs'.

    `frontier` is how far the leader's word has been applied; `stable` is the merged stable, which
    CONSERVATIVE holds back further: at the start of what is not fully frozen. `conflicts` counts
    the rows about which two inputs disagree, as far as the state of the merge can tell: what was
    fully frozen is forgotten, and so is who says otherwise later.
    """

    def __init__(self, inputs: Sequence[str], policy: Policy = EAGER, lag: Time = 0) -> None:
        self.inputs = Inputs(inputs)
        self.policy = policy
        self.lag = lag
        self.frontier: Time = -INFINITY
        self.stable: Time = -INFINITY
        self.conflicts = 0
        self._sent: list[Element] = []

    def take(self, name: str, element: Element) -> list[Element]:
        """One element of an input; what the merge puts out for it."""
        match element:
            case Insert():
                self._insert(name, element)
            case Adjust():
                self._adjust(name, element)
            case Stable(t=t):
                self._promised(name, t)
        return self._flush()

    def attach(self, name: str, complete_from: Time) -> list[Element]:
        """An input joins that brings every event with `ve >= complete_from`."""
        self.inputs.attach(name, complete_from)
        self._advance()
        return self._flush()

    def detach(self, name: str) -> list[Element]:
        """An input leaves; what it alone has brought stays until another's stable denies it."""
        self.inputs.detach(name)
        self._forget(name)
        self._advance()
        return self._flush()

    def _flush(self) -> list[Element]:
        sent, self._sent = self._sent, []
        return sent

    def _emit(self, element: Element) -> None:
        self._sent.append(element)

    def _promised(self, name: str, t: Time) -> None:
        """Stable(t, s)"""
        if t <= self.inputs[name].frontier:
            return
        self.inputs[name].frontier = t
        self._compare(name)
        self._advance()

    def _advance(self) -> None:
        """The merged stable follows the leader's; who joins thereby may lead."""
        self._joins()
        leader = self.inputs.leader()
        while leader is not None and leader.frontier - self.lag > self.frontier:
            t = leader.frontier - self.lag
            self._freeze(leader.name, t)
            self.frontier = t
            if self._held(t) > self.stable:
                self.stable = self._held(t)
                self._emit(Stable(self.stable))
            self._joins()
            leader = self.inputs.leader()
        self._reconsider()

    def _joins(self) -> None:
        for name in self.inputs.join(self.stable):
            self._joined(name)
            self._compare(name)

    def _insert(self, name: str, element: Insert) -> None:
        raise NotImplementedError

    def _adjust(self, name: str, element: Adjust) -> None:
        raise NotImplementedError

    def _freeze(self, leader: str, t: Time) -> None:
        """Make the output agree with the leader about everything before t."""

    def _held(self, t: Time) -> Time:
        """How far the output may be called stable when everything before t agrees."""
        return t

    def _compare(self, name: str) -> None:
        """Count the rows about which the input and another disagree."""

    def _reconsider(self) -> None:
        """Put out what the policy allows now that inputs lead, joined or left."""

    def _joined(self, name: str) -> None:
        """An input counts from now on."""

    def _forget(self, name: str) -> None:
        """An input has left."""


class InOrder(Merge):
    """R0 to R2: inserts only, in order. Nothing is kept but the last instant, so that nothing can
    be held back: of the policies there are only EAGER and CHATTY, which are the same here.

    An input that has not joined would carry the output beyond what others still bring: its
    elements wait. A gap of one input is filled by another as long as the output has not passed it
    (LMERGE V-C).
    """

    def __init__(self, inputs: Sequence[str], policy: Policy = EAGER, lag: Time = 0) -> None:
        if policy not in (EAGER, CHATTY):
            raise ValueError(f"{policy.name} needs R3 or R4")
        super().__init__(inputs, policy, lag)
        self._waiting: dict[str, list[Insert]] = {}
        self._max_vs: Time = -INFINITY

    def _next(self, name: str, element: Insert) -> None:
        """An element that does not start before what is stable."""
        raise NotImplementedError

    def _insert(self, name: str, element: Insert) -> None:
        if not self.inputs[name].joined:
            self._waiting.setdefault(name, []).append(element)
        elif element.vs >= self.frontier:
            self._next(name, element)

    def _adjust(self, name: str, element: Adjust) -> None:
        raise ValueError(f"R0 to R2 take inserts only, not {element}")

    def _joined(self, name: str) -> None:
        for element in self._waiting.pop(name, []):
            self._insert(name, element)

    def _forget(self, name: str) -> None:
        self._waiting.pop(name, None)
