"""R3: disorder and adjusts, where (vs, row) is a key (LMERGE IV-D)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .base import Merge
from .elements import Adjust, Insert, Key, Time, is_fully_frozen, ordered
from .inputs import agreed_until
from .policies import CHATTY, CONSERVATIVE, EAGER, Policy


@dataclass
class Node:
    """An entry of the in2t: the end that each input says and the one that the output has said;
    None: no event is out.
    """

    ends: dict[str, Time] = field(default_factory=dict)
    out: Time | None = None
    disputed: bool = False


class R3(Merge):
    """One entry for each (vs, row) that is not fully frozen, shared by all inputs. Where the
    leader has no entry at its stable, there is no event (LMERGE V-C): what others brought is
    cancelled. What the merged stable has promised stays: a leader that denies it only ends it, at
    the merged stable of before.

    `by_start`: all events are rows that stay for ever, of which no input tells another end but by
    taking a row back before it is frozen. Then a row is decided for good when the merged stable
    has passed its start, and its entry leaves. An input that is attached brings every row with
    `vs >= complete_from`.
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
        node.ends[name] = element.ve
        if node.out is None and self._allows(node):
            self._put_out(key, node, element.ve)

    def _adjust(self, name: str, element: Adjust) -> None:
        key = (element.vs, element.row)
        node = self.nodes.get(key)
        if node is None or name not in node.ends:
            return
        if element.ve == element.vs:
            del node.ends[name]
        else:
            node.ends[name] = element.ve
        if self.policy == CHATTY:
            self._pass_on(key, node, element.ve)

    def _pass_on(self, key: Key, node: Node, ve: Time) -> None:
        """CHATTY: what an input adjusts, as far as it may be; a cancel if no input has it now."""
        if node.out is None or node.out == ve or min(node.out, ve) < self.frontier:
            return
        if ve > key[0] or not node.ends:
            self._change(key, node, ve)

    def _freeze(self, leader: str, t: Time) -> None:
        for key in ordered(key for key in self.nodes if key[0] < t):
            node = self.nodes[key]
            end = node.ends.get(leader)
            if self.policy == CONSERVATIVE and not self.by_start:
                gone = self._put_out_frozen(key, node, end, t)
            else:
                gone = self._agree(key, node, end, t)
            if gone or self.by_start:
                del self.nodes[key]

    def _agree(self, key: Key, node: Node, end: Time | None, t: Time) -> bool:
        """Make the output's event that of the leader; whether all is said about it."""
        vs, _ = key
        wanted = vs if end is None else end
        if node.out is None:
            if end is None:
                return True
            self._put_out(key, node, end)
            return end < t
        if vs < self.frontier and wanted < self.frontier:
            self._dispute(node)
            wanted = self.frontier
        if wanted != node.out and min(wanted, node.out) < t:
            self._change(key, node, wanted)
        return node.out is None or node.out < t

    def _put_out_frozen(self, key: Key, node: Node, end: Time | None, t: Time) -> bool:
        """CONSERVATIVE: an event is put out once, when its end is certain."""
        if end is None:
            return True
        if is_fully_frozen(end, t):
            self._put_out(key, node, end)
        return is_fully_frozen(end, t)

    def _held(self, t: Time) -> Time:
        if self.policy != CONSERVATIVE:
            return t
        return min((vs for vs, _ in self.nodes if vs < t), default=t)

    def _allows(self, node: Node) -> bool:
        leader = self.inputs.leader()
        had = dict.fromkeys(node.ends, 1)
        return self.policy.copies(had, leader.name if leader else None, len(self.inputs)) > 0

    def _reconsider(self) -> None:
        for key in ordered(key for key in self.nodes if key[0] >= self.frontier):
            node = self.nodes[key]
            if node.out is None and self.policy != CHATTY and self._allows(node):
                best = next((i.name for i in self.inputs.ranked() if i.name in node.ends), None)
                self._put_out(key, node, node.ends[best or min(node.ends)])

    def _compare(self, name: str) -> None:
        one = self.inputs[name]
        others = [i for i in self.inputs.ranked() if i is not one and one.joined]
        for (vs, _), node in self.nodes.items():
            for other in others:
                both = agreed_until(one, other)
                ends = {node.ends.get(each.name, vs) for each in (one, other)}
                if vs < both and len(ends) > 1 and min(ends) < both:
                    self._dispute(node)

    def _dispute(self, node: Node) -> None:
        self.conflicts += not node.disputed
        node.disputed = True

    def _put_out(self, key: Key, node: Node, ve: Time) -> None:
        vs, row = key
        node.out = ve
        self._emit(Insert(row, vs, ve))

    def _change(self, key: Key, node: Node, ve: Time) -> None:
        vs, row = key
        assert node.out is not None
        self._emit(Adjust(row, vs, node.out, ve))
        node.out = ve if ve > vs else None

    def _forget(self, name: str) -> None:
        for node in self.nodes.values():
            node.ends.pop(name, None)
