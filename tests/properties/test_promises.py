"""What the analyses promise of an answer is so: keys, order, no corrections, nothing repeated.

The oracle answers drawn queries after each epoch; what it says is held against the stream
properties and keys that the compiler finds for the rewritten plan.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from reflow.compiler.analyse import Facts
from reflow.compiler.analyse.beginnings import streams_below
from reflow.compiler.pipeline import Compiled, compile_text
from reflow.compiler.plan.operators import Sink
from reflow.compiler.plan.schema import names

from ..oracle.evaluate import Evaluator
from ..oracle.history import History
from ..oracle.multiplicity import Changes, answer, difference
from ..oracle.query import Query
from .case import arrivals
from .draw import Draw
from .feeding import draw_steps
from .queries import Queries
from .scene import draw_scene

pytestmark = pytest.mark.slow  # the oracle answers after every epoch
EACH = 8
SEEDS = range(8)
Checked = Counter[str]


class _Held:
    """The answers to one query, held against what is promised of it."""

    def __init__(self, compiled: Compiled, sink: Sink, query: Query, history: History) -> None:
        facts: Facts = compiled.facts
        self._columns = names(sink.input.schema)
        self._key = facts.keys[sink.input]
        self._found = facts.properties[sink.input]
        self._streams = streams_below(compiled.plan)[sink.input]
        self._history = history
        self._answers = Evaluator(history)
        self._query = query
        self.checked: Checked = Counter()

    def faults(self) -> list[str]:
        """What is not as promised."""
        last = self._history.now()
        epochs = sorted({a.epoch for rows in self._history.arrivals.values() for a in rows})
        said = [self._answers.changes(self._query, epoch, last) for epoch in epochs]
        found = [*self._keys(said[-1]), *self._starts(said[-1])]
        for epoch, before, after in zip(epochs, said, said[1:], strict=False):
            found += [*self._settled(epoch, before, after), *self._only_inserts(before, after)]
        return found

    def _keys(self, changes: Changes) -> list[str]:
        """No two rows of a key at an instant."""
        if self._key is None:
            return []
        places = [self._columns.index(name) for name in self._key]
        faults = []
        for instant in {t for at in changes.values() for t in at}:
            rows: Counter[tuple[object, ...]] = Counter()
            for row, count in answer(changes, instant).items():
                rows[tuple(row[place] for place in places)] += count
            self.checked["key"] += len(rows)
            faults += [f"key {key} twice at {instant}" for key, n in rows.items() if n > 1]
        return faults

    def _starts(self, changes: Changes) -> list[str]:
        """Strict: one element starts at an instant. Not repeated: of equal rows one."""
        found = self._found
        starts: Counter[int] = Counter()
        faults = []
        for row, at in changes.items():
            for instant, weight in at.items():
                starts[instant] += max(weight, 0)
                if not found.repeated:
                    self.checked["repeated"] += 1
                    faults += [f"{row} starts {weight} times at {instant}"] if weight > 1 else []
        if found.strict:
            self.checked["strict"] += len(starts)
            faults += [f"{n} elements start at {t}" for t, n in starts.items() if n > 1]
        return faults

    def _settled(self, epoch: int, before: Changes, after: Changes) -> list[str]:
        """Nothing changes further back than the disorder."""
        if self._found.disorder is None:
            return []
        seen = [
            self._history.order_of(stream, arrival)
            for stream in self._streams
            for arrival in self._history.arrivals.get(stream, [])
            if arrival.epoch <= epoch
        ]
        if not seen:
            return []
        bound = max(seen) - self._found.disorder
        old, new = ({r: _until(at, bound) for r, at in c.items()} for c in (before, after))
        self.checked["in order" if self._found.in_order else "within"] += 1
        fault = difference(_there(old), _there(new))
        return [f"before {bound}, known at epoch {epoch}: {fault}"] if fault else []

    def _only_inserts(self, before: Changes, after: Changes) -> list[str]:
        """Elements are only added. (Those in order are settled; their rows may be replaced.)"""
        if not self._found.insert_only or self._found.in_order:
            return []
        self.checked["insert only"] += 1
        return [
            f"{row} is taken back at {instant}"
            for row, at in before.items()
            for instant in {*at, *after.get(row, {})}
            if sum(_until(after.get(row, {}), instant + 1).values())
            < sum(_until(at, instant + 1).values())
        ]


def _until(at: dict[int, int], bound: int) -> dict[int, int]:
    return {instant: weight for instant, weight in at.items() if instant < bound}


def _there(changes: Changes) -> Changes:
    return {row: at for row, at in changes.items() if at}


@cache
def _checked(seed: int) -> Checked:
    draw = Draw(seed)
    scene = draw_scene(draw)
    history = arrivals(scene, draw_steps(draw, scene))
    maker = Queries(draw, scene, negation=True)
    asked = [maker.query(draw.number(0, 2)) for _ in range(EACH)]
    lines = [f"CREATE QUERY q{n} AS {t.cql} INTO LOG 'q{n}';" for n, (t, _) in enumerate(asked)]
    compiled = compile_text("\n".join([*scene.declarations(), *lines]))
    checked: Checked = Counter()
    for sink, (texts, query) in zip(compiled.plan.sinks, asked, strict=True):
        held = _Held(compiled, sink, query, history)
        faults = held.faults()
        assert not faults, "\n".join([texts.cql, *faults[:5]])
        checked += held.checked
    return checked


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_promised_of_an_answer_is_so(seed: int) -> None:
    assert _checked(seed).total()


def test_each_promise_is_made_of_some_answer() -> None:
    """A promise that no drawn query makes would not be checked at all."""
    kinds = {"key", "repeated", "strict", "in order", "within", "insert only"}
    seen: Checked = Counter()
    for seed in SEEDS:
        seen += _checked(seed)
        if kinds <= set(seen):
            return
    assert kinds <= set(seen), f"never promised: {kinds - set(seen)}"
