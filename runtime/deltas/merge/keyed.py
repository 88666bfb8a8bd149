"""R3 and R4: one entry for each (vs, row) that is not fully frozen, shared by all inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType

from pyspark.sql import DataFrame

from ...elements.columns import DAWN, VE, VS, W, big, listed
from ...elements.context import Epoch
from ...elements.deltas import Slice, consolidate, union
from ..touched import is_large, with_keys
from . import r3, r4
from .flight import (
    DISPUTED,
    ENDS,
    GONE,
    IN,
    KNOWN,
    OUT,
    STORED,
    WAS,
    Flight,
    end,
    told,
)
from .inputs import Course, Freeze, Input, Step
from .multisets import one_or_none
from .policies import Policy
from .watch import BAD, UNWATCHED, Watch, broken

_ENTRY = (ENDS, OUT, DISPUTED)
_KEPT = "_kept"


@dataclass(frozen=True)
class Keyed:
    """One merge by R3 or R4 (`multiset`: equal rows may start together) in one epoch.

    State, under `state`: (row…, _vs, _ve, _ends, _out, _disputed, _w). `_ends` is by place of the
    inputs; `_ve` is the stable from which on the entry is to be looked at. An entry that changes is
    withdrawn and added, as weights. `turned`: R3 left the state, which R4 takes over.

    `by_start`: events are rows that stay for ever, which no input ends but by taking them back
    before they are frozen. Each is decided for good when the merged stable has passed its start,
    and its entry leaves.
    """

    state: str
    columns: tuple[str, ...]
    multiset: bool
    policy: Policy
    by_start: bool = False
    turned: bool = False
    watch: Watch = UNWATCHED

    @property
    def _variant(self) -> ModuleType:
        return r4 if self.multiset else r3

    @property
    def _event(self) -> tuple[str, ...]:
        return tuple(listed([column]) for column in (*self.columns, VS))

    def run(
        self, e: Epoch, inputs: Sequence[Input], was: Sequence[str], course: Course
    ) -> tuple[DataFrame | None, int]:
        """The elements of the output, and the merged stable. `was`: the names of the inputs by
        place, as the state has them.
        """
        telling = {i: each.elements for i, each in enumerate(inputs) if each.elements is not None}
        names = [each.name for each in inputs]
        # What is stored of all entries changes with the list of the inputs.
        anew = self.turned or list(was) != names or bool(course.left)
        wide = anew or course.regrouped or (self.policy.looks_again and course.leads_anew)
        if not telling and not wide and course.bound == DAWN:
            return None, course.end.stable
        known = self._known(e, list(telling.values()), course.bound, wide)
        if known is None and not telling:
            return None, course.end.stable
        flight = Flight(self._event, len(inputs), tuple(telling))
        source = e.view(self._gathered(e, known, telling))
        known_of = [name in was and name not in course.left for name in names]
        places = [was.index(n) if known else None for n, known in zip(names, known_of, strict=True)]

        def resolved(text: str) -> str:
            # Spark resolves a text in at most 100 rounds: for that R4 has too many steps.
            return f"SELECT * FROM {e.view(e.sql(text))}" if self.multiset else text

        worked = self._worked(flight, source, places, course, names, resolved)
        entries = e.share(e.sql(worked))
        self._keep(e, self._watched(entries, flight, names, course), flight, wide)
        return self._told(e, entries, flight), self._stable(entries, course)

    # What is read.

    def _known(
        self, e: Epoch, telling: Sequence[DataFrame], bound: int, wide: bool
    ) -> DataFrame | None:
        """The entries that something happens to, as weights: elements tell of them, or a stable
        moves past them; all where they are few.
        """
        if self.turned:
            return self._as_multisets(e.state.read(self.state))
        if wide or not is_large(e, self.state):
            return e.state.read(self.state)
        passed = e.state.read(self.state, Slice(ve_upto=bound - 1))
        others = e.state.read(self.state, Slice(ve_after=bound - 1)) if telling else None
        if others is None:
            return passed
        keys = union(*[frame.selectExpr(*self._event) for frame in telling])
        assert keys is not None
        return union(passed, with_keys(e, others, (*self.columns, VS), keys))

    def _as_multisets(self, stored: DataFrame | None) -> DataFrame | None:
        """The entries of R3 as those of R4."""
        if stored is None:
            return None
        ends = f"transform({ENDS}, v -> {one_or_none('v')}) AS {ENDS}"
        out = f"{one_or_none(OUT)} AS {OUT}"
        return stored.selectExpr(*self._event, VE, ends, out, DISPUTED, W)

    def _gathered(
        self, e: Epoch, known: DataFrame | None, telling: dict[int, DataFrame]
    ) -> DataFrame:
        """One row for each entry, with what is stored of it and what each input tells."""
        variant = self._variant
        event = ", ".join(self._event)
        none = [f"CAST(NULL AS {kind})" for kind in (variant.ENDS_TYPE, variant.OUT_TYPE)]
        none.append("CAST(NULL AS BOOLEAN)")
        unstored = [f"{null} AS {name}" for null, name in zip(none, _ENTRY, strict=True)]
        told_now = ["_kind", VE, "_old", *unstored, f"1L AS {W}"]
        parts = [
            frame.selectExpr(*self._event, f"{i} AS {IN}", *told_now)
            for i, frame in telling.items()
        ]
        if known is not None:
            nobody = [f"{STORED} AS {IN}", "CAST(NULL AS STRING) AS _kind", VE]
            old = "CAST(NULL AS BIGINT) AS _old"
            parts.append(known.selectExpr(*self._event, *nobody, old, *_ENTRY, W))
        both = union(*parts)
        assert both is not None
        both = e.spread(both, (*self.columns, VS))
        one = (*self.columns, VS, IN, "_kind", VE, "_old", *_ENTRY)
        summed = e.view(consolidate(both, one))
        stored = f"{IN} = {STORED}"
        entry = f"max(struct({VE}, {', '.join(_ENTRY)})) FILTER (WHERE {stored}) AS {WAS}"
        told_of = [variant.gathered(i) for i in telling]
        gathered = [f"count_if({stored}) > 0 AS {KNOWN}", entry, *told_of]
        return e.sql(f"SELECT {event}, {', '.join(gathered)} FROM {summed} GROUP BY {event}")

    # What happens to the entries.

    def _worked(
        self,
        flight: Flight,
        source: str,
        places: Sequence[int | None],
        course: Course,
        names: Sequence[str],
        resolved: Callable[[str], str] = lambda text: text,
    ) -> str:
        """SQL: the entries after the epoch; `resolved`: a shorter text of the same."""
        variant, at = self._variant, course.taking
        ends = [f"{variant.loaded(place)} AS {end(i)}" for i, place in enumerate(places)]
        told_of = [told(i) for i in flight.telling]
        start = [f"{variant.out_before()} AS {OUT}", f"FALSE AS {GONE}"]
        start.append(f"coalesce({WAS}.{DISPUTED}, FALSE) AS {DISPUTED}")
        columns = ", ".join([*flight.event, KNOWN, WAS, *told_of, *ends, *start])
        # What is new before the frontier is fully frozen and forgotten, or denied by the leader.
        begun = f"{KNOWN} OR {VS} >= {big(at.frontier)}"
        text = f"SELECT {columns} FROM {source} WHERE {begun}"
        for step in course.first:
            text = resolved(self._stepped(flight, text, step, names))
        for place in flight.telling:
            text = resolved(variant.taken(flight, text, place, at, self.policy))
        for step in course.then:
            text = resolved(self._stepped(flight, text, step, names))
        void = f"{variant.is_void(flight.ends)} AND NOT {DISPUTED}"
        kept = f"NOT {GONE} AND NOT ({void} AND {VS} >= {big(course.end.frontier)})"
        array = f"array({', '.join(flight.ends)})"
        watched = [
            f"{variant.is_repeated(i, places[i])} AS {BAD}{i}"
            for i in flight.telling
            if names[i] in self.watch.inputs
        ]
        came = " + ".join([variant.number_told(i) for i in flight.telling]) or "0"
        entry = ", ".join([*flight.event, KNOWN, WAS, OUT, DISPUTED, *watched, f"{came} AS _came"])
        by_start = self.by_start or self.policy.is_conservative
        due = VS if by_start else variant.due(flight.ends)
        return f"SELECT {entry}, {array} AS {ENDS}, {due} AS {VE}, {kept} AS {_KEPT} FROM ({text})"

    def _stepped(self, flight: Flight, text: str, step: Step, names: Sequence[str]) -> str:
        after: str = self._variant.stepped(flight, text, step, names, self.policy)
        if self.by_start and isinstance(step, Freeze):
            return flight.level(after, {GONE: f"{VS} < {big(step.t)}"})
        return after

    # What comes of it.

    def _watched(
        self, entries: DataFrame, flight: Flight, names: Sequence[str], course: Course
    ) -> DataFrame:
        """The entries, which tell of what is asked when they are written."""
        variant = self._variant
        asked = {
            "came": "sum(_came)",
            "put": f"count_if({variant.is_emitted()})",
            "adjusts": f"count_if({variant.is_adjusted()})",
            "d": f"max({variant.most_copies()})",
            "conflicts": f"count_if({DISPUTED} AND NOT coalesce({WAS}.{DISPUTED}, FALSE))",
            "h": f"count_if({_KEPT} AND {VS} < {big(course.end.frontier)})",
        }
        where = {names[i]: f"{BAD}{i}" for i in flight.telling if f"{BAD}{i}" in entries.columns}
        return self.watch.observe(entries, asked | broken(self.watch, where))

    def _keep(self, e: Epoch, entries: DataFrame, flight: Flight, wide: bool) -> None:
        event = [*flight.event]
        if wide or e.state.is_small(self.state):
            kept = entries.where(_KEPT).selectExpr(*event, VE, *_ENTRY, f"1L AS {W}")
            e.state.replace(self.state, kept)
            return
        now, before = f"struct({VE}, {', '.join(_ENTRY)})", WAS
        new = f"CASE WHEN {_KEPT} THEN array({_weighted('', 1)}) ELSE array() END"
        old = f"CASE WHEN {KNOWN} THEN array({_weighted(f'{WAS}.', -1)}) ELSE array() END"
        changed = entries.where(f"NOT ({_KEPT} AND {KNOWN} AND {now} <=> {before})")
        e.state.add(
            self.state,
            changed.selectExpr(*event, f"inline(concat({new}, {old}))"),
            lambda frame: consolidate(frame, (*self.columns, *_ENTRY), VS, VE),
        )

    def _told(self, e: Epoch, entries: DataFrame, flight: Flight) -> DataFrame:
        variant, view = self._variant, e.view(entries)
        told_of = variant.emitted(", ".join(flight.event))
        sent = f"{told_of} FROM {view} WHERE {variant.is_emitted()}"
        return e.sql(sent)

    def _stable(self, entries: DataFrame, course: Course) -> int:
        """CONSERVATIVE: nothing may be called stable behind a start whose end is not certain."""
        frozen = any(isinstance(step, Freeze) for step in course.steps)
        if not (self.policy.is_conservative and frozen):
            return course.end.stable
        t = course.end.frontier
        waits = entries.where(f"{_KEPT} AND {VS} < {big(t)}").selectExpr(f"min({VS}) AS held")
        held: int | None = waits.collect()[0].held
        return max(course.end.stable, t if held is None else held)


def _weighted(of: str, weight: int) -> str:
    columns = [f"{of}{name} AS {name}" for name in (VE, *_ENTRY)]
    return f"struct({', '.join(columns)}, {weight}L AS {W})"
