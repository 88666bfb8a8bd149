"""R4: disorder and adjusts of a multiset (LMERGE IV-E)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from .base import Merge
from .elements import Adjust, Insert, Key, Time, is_fully_frozen, ordered
from .inputs import agreed_until
from .policies import CHATTY, CONSERVATIVE, EAGER, Policy

Ends = Counter[Time]


@dataclass
class Node:
    """An entry of the in3t: how many copies end when, by input and in the output."""

    ends: dict[str, Ends] = field(default_factory=dict)
    out: Ends = field(default_factory=Counter)
    disputed: bool = False


def before(ends: Ends, t: Time) -> Ends:
    """The copies that end before t."""
    return Counter({ve: n for ve, n in ends.items() if ve < t})


def first(ends: Ends, n: int) -> Ends:
    """The n copies that end first."""
    return Counter(sorted(ends.elements())[:n])


class R4(Merge):
    """As R3, with a count per end instead of an end. Copies of a row are alike: which of them an
    adjust means is seen by the end that it names. `by_start`: as in R3.
    """

    def __init__(
        self,
        inputs: Sequence[str],
        policy: Policy = EAGER,
        lag: Time = 0,
        by_start: bool = False,
    ) -> None:
        super().__init__(inputs, policy, lag)
        self.by_start = by_start
        self.nodes: dict[Key, Node] = {}

    def _insert(self, name: str, element: Insert) -> None:
        key = (element.vs, element.row)
        if key not in self.nodes:
            if element.vs < self.frontier:
                return  # fully frozen and forgotten, or denied by the leader
            self.nodes[key] = Node()
        node = self.nodes[key]
        node.ends.setdefault(name, Counter())[element.ve] += 1
        if element.vs >= self.frontier and self._allowed(node) > node.out.total():
            self._put_out(key, node, element.ve)

    def _adjust(self, name: str, element: Adjust) -> None:
        key = (element.vs, element.row)
        node = self.nodes.get(key)
        if node is None or not node.ends.get(name, Counter())[element.old]:
            return
        ends = node.ends[name]
        ends[element.old] -= 1
        ends[element.ve] += element.ve > element.vs
        node.ends[name] = +ends
        if self.policy == CHATTY:
            self._pass_on(key, node, name, element)

    def _pass_on(self, key: Key, node: Node, name: str, element: Adjust) -> None:
        """CHATTY: what an input adjusts, as far as it may be and the output has not done it; a
        cancel where no input has so many copies now.
        """
        if not node.out[element.old] or min(element.old, element.ve) < self.frontier:
            return
        if element.ve > element.vs:
            due = node.out[element.ve] < node.ends[name][element.ve]
        else:
            due = node.out.total() > self._allowed(node)
        if due:
            self._change(key, node, element.old, element.ve)

    def _freeze(self, leader: str, t: Time) -> None:
        for key in ordered(key for key in self.nodes if key[0] < t):
            node = self.nodes[key]
            wanted = Counter(node.ends.get(leader, Counter()))
            if self.policy == CONSERVATIVE and not self.by_start:
                wanted = self._put_out_frozen(key, node, wanted, t)
            else:
                if key[0] < self.frontier:
                    wanted = self._promised_too(node, leader, wanted)
                self._agree(key, node, wanted, t)
            if self.by_start or wanted == before(wanted, t):
                del self.nodes[key]

    def _put_out_frozen(self, key: Key, node: Node, wanted: Ends, t: Time) -> Ends:
        """CONSERVATIVE: a copy is put out once, when its end is certain; the copies that remain."""
        frozen = Counter({ve: n for ve, n in wanted.items() if is_fully_frozen(ve, t)})
        for ve in sorted((frozen - node.out).elements()):
            self._put_out(key, node, ve)
        return wanted - frozen

    def _promised_too(self, node: Node, leader: str, wanted: Ends) -> Ends:
        """What the leader says, as far as the merged stable lets it: the copies that are fully
        frozen, and as many as are half frozen; of too many the last to end are left out, and those
        that are denied end at the merged stable.
        """
        frozen = before(node.out, self.frontier)
        half = wanted - before(wanted, self.frontier)
        copies = node.out.total() - frozen.total()
        since = self.inputs[leader].complete_from
        denied = before(wanted, self.frontier) != frozen - before(frozen, since)
        if denied or half.total() != copies:
            self._dispute(node)
        half = first(half, copies)
        half[self.frontier] += copies - half.total()
        return frozen + half

    def _agree(self, key: Key, node: Node, wanted: Ends, t: Time) -> None:
        """Adjust what must be: copies that end before t are as wanted, and as many are left."""
        surplus, lack = node.out - wanted, wanted - node.out
        too_many = (node.out - before(node.out, t)).total() - (wanted - before(wanted, t)).total()
        from_ = before(surplus, t) + first(surplus - before(surplus, t), max(too_many, 0))
        to = before(lack, t) + first(lack - before(lack, t), max(-too_many, 0))
        old, new = sorted(from_.elements()), sorted(to.elements())
        for i in range(max(len(old), len(new))):
            if i >= len(old):
                self._put_out(key, node, new[i])
            else:
                self._change(key, node, old[i], new[i] if i < len(new) else key[0])

    def _held(self, t: Time) -> Time:
        if self.policy != CONSERVATIVE:
            return t
        return min((vs for vs, _ in self.nodes if vs < t), default=t)

    def _allowed(self, node: Node) -> int:
        leader = self.inputs.leader()
        had = {name: ends.total() for name, ends in node.ends.items()}
        return self.policy.copies(had, leader.name if leader else None, len(self.inputs))

    def _reconsider(self) -> None:
        if self.policy == CHATTY:
            return
        for key in ordered(key for key in self.nodes if key[0] >= self.frontier):
            node = self.nodes[key]
            names = [i.name for i in self.inputs.ranked()]
            names += sorted(name for name in node.ends if name not in names)
            while self._allowed(node) > node.out.total():
                has = (node.ends.get(name, Counter()) for name in names)
                best = next(ends for ends in has if ends.total() > node.out.total())
                self._put_out(key, node, min(best - node.out))

    def _compare(self, name: str) -> None:
        one = self.inputs[name]
        others = [i for i in self.inputs.ranked() if i is not one and one.joined]
        for (vs, _), node in self.nodes.items():
            for other in others:
                both, since = agreed_until(one, other), max(one.complete_from, other.complete_from)
                a, b = (node.ends.get(each.name, Counter()) for each in (one, other))
                a, b = a - before(a, since), b - before(b, since)
                agree = before(a, both) == before(b, both) and a.total() == b.total()
                if vs < both and not agree:
                    self._dispute(node)

    def _dispute(self, node: Node) -> None:
        self.conflicts += not node.disputed
        node.disputed = True

    def _put_out(self, key: Key, node: Node, ve: Time) -> None:
        vs, row = key
        node.out[ve] += 1
        self._emit(Insert(row, vs, ve))

    def _change(self, key: Key, node: Node, old: Time, ve: Time) -> None:
        vs, row = key
        self._emit(Adjust(row, vs, old, ve))
        node.out[old] -= 1
        node.out[ve] += ve > vs
        node.out = +node.out

    def _forget(self, name: str) -> None:
        for node in self.nodes.values():
            node.ends.pop(name, None)
