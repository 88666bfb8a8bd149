"""The inputs of a merge: how far each has promised, and in which order an epoch's stables are
applied (LMERGE IV, V-B; DESIGN section 6). Numbers only: no frame is read here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from pyspark.sql import DataFrame

from ...elements.columns import DAWN, FOREVER


@dataclass(frozen=True)
class Input:
    """One attached input of a merge, in one epoch.

    `elements`: (row…, _kind, _vs, _ve, _old) as `physical_sink.elements` makes them: net, at most
    one for an event; a cancel has `_ve = _vs`. None: there are none. For R1 the frame may have
    `_pos`, the input's own order; else elements that start together come by row and end, as
    CLEANSE gives them, and then all of one epoch.
    `stable`: its last stable after the epoch; DAWN: none yet; FOREVER: nothing will change.
    `complete_from`: it brings every event with `ve >= complete_from`; it counts from when the
    merged stable has reached that. It matters in the epoch in which the input is attached.
    `away`: it says nothing and its word does not count, but what it has said is remembered.
    `anew`: it is attached in this epoch as a new copy, and what it has said before is forgotten.
    """

    name: str
    elements: DataFrame | None
    stable: int
    complete_from: int = DAWN
    away: bool = False
    anew: bool = False


@dataclass(frozen=True)
class Member:
    """What a merge remembers of an attached input; `stable`: its last."""

    name: str
    complete_from: int = DAWN
    stable: int = DAWN
    joined: bool = False
    away: bool = False


@dataclass(frozen=True)
class Standing:
    """Where a merge stands between epochs: its inputs in the order of MERGE OF (those attached
    later come behind), how far the leader's word has been applied, and the merged stable, which
    CONSERVATIVE holds back further. It is kept with the clock: it is what two epochs share besides
    the state.
    """

    members: tuple[Member, ...] = ()
    frontier: int = DAWN
    stable: int = DAWN

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(member.name for member in self.members)

    def ranked(self) -> list[int]:
        """The places of joined inputs, the one whose word counts most first: by frontier, then by
        place.
        """
        joined = [i for i, member in enumerate(self.members) if member.joined]
        return sorted(joined, key=lambda i: -self.members[i].stable)

    @property
    def attached(self) -> int:
        """How many inputs are not away."""
        return sum(not member.away for member in self.members)

    @property
    def leader(self) -> int | None:
        return next(iter(self.ranked()), None)


@dataclass(frozen=True)
class Joined:
    """The input at a place counts from now on."""

    who: int
    frontier: int


@dataclass(frozen=True)
class Compare:
    """Count the rows about which the input at a place and others disagree: (place, the time before
    which both must say the same, the time from which both are complete).
    """

    who: int
    others: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class Freeze:
    """Make the output agree with the leader about everything before `t`, where it does so before
    `frontier`; `since`: what the leader is complete from.
    """

    leader: int
    t: int
    frontier: int
    since: int


@dataclass(frozen=True)
class Reconsider:
    """Put out what the policy allows now; `ranked`: the places of the joined inputs, the leader
    first; `attached`: how many inputs there are.
    """

    ranked: tuple[int, ...]
    frontier: int
    attached: int

    @property
    def leader(self) -> int | None:
        return next(iter(self.ranked), None)


Step: TypeAlias = Joined | Compare | Freeze | Reconsider


@dataclass
class Course:
    """How an epoch runs: whose word is forgotten (who has left, or begins anew), the steps before
    the elements are taken, where the merge stands then, and the steps of the stables. `end`: where
    it stands afterwards. `regrouped`: whether an input went away or is back.
    """

    left: tuple[str, ...]
    first: list[Step]
    taking: Standing
    then: list[Step] = field(default_factory=list)
    end: Standing = Standing()
    regrouped: bool = False

    @property
    def steps(self) -> list[Step]:
        return [*self.first, *self.then]

    @property
    def bound(self) -> int:
        """No step but looking again is about what starts at or after this time."""
        reached = [step.t for step in self.steps if isinstance(step, Freeze)]
        compared = [c for c in self.steps if isinstance(c, Compare)]
        return max([*reached, *(both for c in compared for _, both, _ in c.others)], default=DAWN)

    @property
    def leads_anew(self) -> bool:
        """Whether another input leads at some time than when the elements are taken."""
        leaders = {step.leader for step in self.then if isinstance(step, Reconsider)}
        return bool(leaders - {self.taking.leader})


def course(was: Standing, inputs: Sequence[Input], lag: int, holds: bool = False) -> Course:
    """The steps of an epoch in the canonical order: who has left is forgotten, who is new is
    attached; all inserts and adjusts are taken; then each input's last stable counts, the least
    first, equal ones by place.

    `holds`: the merged stable is held back by what only the rows tell, as by CONSERVATIVE. Then it
    stays here what it was, and who waits for it joins in the next epoch. Raises ValueError where
    the inputs have changed places.
    """
    names = {each.name for each in inputs}
    known = {each.name for each in inputs if not each.anew}
    left = tuple(name for name in was.names if name not in known)
    stay = tuple(member for member in was.members if member.name in names)
    if tuple(each.name for each in inputs[: len(stay)]) != tuple(m.name for m in stay):
        raise ValueError("inputs keep their order, and those attached later come behind")
    moved = tuple(map(_moved, stay, inputs))
    run = _Run(replace(was, members=moved), lag, holds)
    if left or holds or moved != stay:
        run.advance()
    for new in inputs[len(stay) :]:
        run.attached(Member(new.name, new.complete_from, away=new.away))
    first = list(run.told())
    result = Course(left, first, run.standing, regrouped=moved != stay)
    for place in sorted(range(len(inputs)), key=lambda i: inputs[i].stable):
        run.promised(place, inputs[place].stable)
    result.then = list(run.told())
    result.end = run.standing
    return result


def _moved(member: Member, now: Input) -> Member:
    """A member that goes away does not count until it is back and joins again. One that begins
    anew keeps its place alone.
    """
    if now.anew:
        return Member(now.name, now.complete_from, away=now.away)
    return replace(member, away=now.away, joined=member.joined and not now.away)


class _Run:
    """The stables of an epoch, one after the other."""

    def __init__(self, standing: Standing, lag: int, holds: bool) -> None:
        self.standing = standing
        self._lag = lag
        self._holds = holds
        self._at_first = True
        self._steps: list[Step] = []

    def told(self) -> Iterator[Step]:
        """The steps since the last call."""
        steps, self._steps = self._steps, []
        self._at_first = False
        return iter(steps)

    def attached(self, member: Member) -> None:
        self.standing = replace(self.standing, members=(*self.standing.members, member))
        self.advance()

    def promised(self, who: int, t: int) -> None:
        member = self.standing.members[who]
        if member.away or t <= member.stable:
            return
        self._change(who, stable=t)
        self._compare(who)
        self.advance()

    def advance(self) -> None:
        """The merged stable follows the leader's; who joins thereby may lead."""
        self._join()
        leader = self.standing.leader
        while leader is not None and self._behind(leader) > self.standing.frontier:
            t, before = self._behind(leader), self.standing.frontier
            since = self.standing.members[leader].complete_from
            self._steps.append(Freeze(leader, t, before, since))
            stable = self.standing.stable if self._holds else t
            self.standing = replace(self.standing, frontier=t, stable=stable)
            self._join()
            leader = self.standing.leader
        ranked = tuple(self.standing.ranked())
        count = self.standing.attached
        self._steps.append(Reconsider(ranked, self.standing.frontier, count))

    def _behind(self, leader: int) -> int:
        stable = self.standing.members[leader].stable
        return stable if stable == FOREVER else stable - self._lag

    def _join(self) -> None:
        if self._holds and not self._at_first:
            return
        reached = self.standing.stable
        for who, member in enumerate(self.standing.members):
            if not (member.joined or member.away) and member.complete_from <= reached:
                self._change(who, joined=True)
                self._steps.append(Joined(who, self.standing.frontier))
                self._compare(who)

    def _compare(self, who: int) -> None:
        members = self.standing.members
        if not members[who].joined:
            return
        others = []
        for place in self.standing.ranked():
            both = min(members[who].stable, members[place].stable)
            since = max(members[who].complete_from, members[place].complete_from)
            if place != who and DAWN < both >= since:
                others.append((place, both, since))
        if others:
            self._steps.append(Compare(who, tuple(others)))

    def _change(self, who: int, **values: int | bool) -> None:
        members = list(self.standing.members)
        members[who] = replace(members[who], **values)  # type: ignore[arg-type]
        self.standing = replace(self.standing, members=tuple(members))
