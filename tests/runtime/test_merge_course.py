"""Where a merge stands is where the reference stands, whatever its inputs promise and whoever comes
and goes: numbers only, no frames (LMERGE IV, V-B).
"""

from __future__ import annotations

from random import Random

import pytest

from reflow.runtime.deltas.merge.inputs import (
    Course,
    Freeze,
    Input,
    Joined,
    Reconsider,
    Standing,
    course,
)
from reflow.runtime.elements.columns import DAWN, FOREVER

from ..oracle.merge.elements import INFINITY, Stable
from ..oracle.merge.epochs import canonical
from ..oracle.merge.r3 import R3
from .merging import ours


def stands(merge: R3) -> tuple[object, ...]:
    members = [(i.name, ours(i.frontier), i.joined) for i in merge.inputs._of.values()]
    return members, ours(merge.frontier), ours(merge.stable)


def ours_stands(standing: Standing) -> tuple[object, ...]:
    members = [(m.name, m.stable, m.joined) for m in standing.members]
    return members, standing.frontier, standing.stable


@pytest.mark.parametrize("seed", range(60))
def test_a_merge_stands_where_the_reference_does(seed: int) -> None:
    random = Random(seed)
    lag = random.choice([0, 3])
    merge, standing = R3([], lag=lag), Standing()
    attached: dict[str, tuple[float, float]] = {}
    for _ in range(12):
        for name in [name for name in attached if random.random() < 0.1]:
            del attached[name]
            merge.detach(name)
        for name in "abcd":
            if name not in attached and name not in standing.names and random.random() < 0.4:
                since = random.choice([-INFINITY, random.randint(0, 40)])
                attached[name] = (since, -INFINITY)
                merge.attach(name, since)
        epoch = {}
        for name, (since, stable) in attached.items():
            if random.random() < 0.6:
                new = INFINITY if random.random() < 0.03 else random.randint(0, 50)
                attached[name] = (since, max(stable, new))
                epoch[name] = [Stable(new)]
        for name, element in canonical(epoch):
            merge.take(name, element)
        inputs = [Input(n, None, ours(t), ours(since)) for n, (since, t) in attached.items()]
        standing = course(standing, inputs, lag).end
        assert ours_stands(standing) == stands(merge)


def run(was: Standing, *inputs: tuple[str, int, int], holds: bool = False) -> Course:
    return course(was, [Input(n, None, t, since) for n, t, since in inputs], 0, holds)


def test_stables_count_ascending_and_equal_ones_by_place() -> None:
    was = run(Standing(), ("a", DAWN, DAWN), ("b", DAWN, DAWN), ("c", DAWN, DAWN)).end
    made = run(was, ("a", 9, DAWN), ("b", 5, DAWN), ("c", 9, DAWN))
    freezes = [step for step in made.then if isinstance(step, Freeze)]
    assert freezes == [Freeze(1, 5, DAWN, DAWN), Freeze(0, 9, 5, DAWN)]
    assert made.bound == 9 and made.end.leader == 0


def test_who_joins_in_an_epoch_may_lead_in_it() -> None:
    was = run(Standing(), ("a", DAWN, DAWN), ("b", 20, 10)).end
    assert was.stable == DAWN
    made = run(was, ("a", 10, DAWN), ("b", 20, 10))
    assert not any(isinstance(step, Joined) for step in made.first if step != Joined(0, DAWN))
    assert Joined(1, 10) in made.then and Freeze(1, 20, 10, 10) in made.then
    assert made.end.stable == 20 and made.leads_anew


def test_what_is_held_back_by_rows_stays_and_joins_later() -> None:
    was = run(Standing(), ("a", DAWN, DAWN), ("b", 20, 10), holds=True).end
    made = run(was, ("a", 15, DAWN), ("b", 20, 10), holds=True)
    assert (made.end.frontier, made.end.stable) == (15, DAWN)
    assert not made.end.members[1].joined
    told = Standing(made.end.members, made.end.frontier, 12)
    again = run(told, ("a", 15, DAWN), ("b", 20, 10), holds=True)
    assert Joined(1, 15) in again.first and Freeze(1, 20, 15, 10) in again.first


def test_nothing_is_behind_the_end_of_time_and_nothing_lags_behind_it() -> None:
    made = course(Standing(), [Input("a", None, FOREVER)], 5)
    assert made.end.stable == FOREVER


def test_inputs_keep_their_places() -> None:
    was = run(Standing(), ("a", 5, DAWN), ("b", 5, DAWN)).end
    assert run(was, ("b", 5, DAWN), ("c", 5, DAWN)).left == ("a",)
    with pytest.raises(ValueError, match="keep their order"):
        run(was, ("b", 5, DAWN), ("a", 5, DAWN))


def test_who_is_away_neither_leads_nor_counts_until_it_is_back() -> None:
    was = run(Standing(), ("a", 5, DAWN), ("b", 9, DAWN)).end
    assert (was.leader, was.frontier) == (1, 9)
    gone = course(was, [Input("a", None, 7), Input("b", None, 9, away=True)], 0)
    assert gone.regrouped and gone.end.ranked() == [0] and gone.end.frontier == 9
    assert [s.attached for s in gone.steps if isinstance(s, Reconsider)] == [1] * 2
    still = course(gone.end, [Input("a", None, 12), Input("b", None, 9, away=True)], 0)
    assert not still.regrouped and (still.end.leader, still.end.frontier) == (0, 12)
    back = course(still.end, [Input("a", None, 12), Input("b", None, 9)], 0)
    assert back.regrouped and Joined(1, 12) in back.first
    assert back.taking.ranked() == [0, 1] and back.left == ()
