"""R0, R1 and R2: inserts only, in order of their start (LMERGE IV-A to IV-C).

All four forms are one: of events that start together, the n-th of a kind is put out when the first
input brings its n-th. They differ in what is of one kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame

from ...elements.columns import DAWN, POS, VE, VS, big, listed, string
from ...elements.context import Epoch
from ...elements.deltas import union
from .inputs import Course, Input, Joined
from .watch import BAD, UNWATCHED, Watch, broken

_BY: Final = "_by"
_N: Final = "_n"
_TURN: Final = "_turn"
_EPOCH: Final = "_epoch"
_RANK: Final = "_rank"
_STORED: Final = -1
"""The `_turn` and `_epoch` of what is stored."""


@dataclass(frozen=True)
class _Turn:
    """Elements (row…, _vs, _ve, _epoch, _rank, and `_pos` at times) of an input, which are taken
    where they start at or after the frontier.
    """

    name: str
    frontier: int
    rows: DataFrame


@dataclass(frozen=True)
class InOrder:
    """One merge by R0, R1, R2 or R2 with duplicates, in one epoch.

    An input that has not joined would carry the output beyond what others still bring: its elements
    wait. A gap of one input is filled by another as long as the output has not passed it (LMERGE
    V-C).

    State, under `state`: (row…, _vs, _ve, _by, _n): what starts last, as each input has brought it;
    `_by` is NULL for the output. `_n`: how many there are of the row and end; for R1 the place
    among those that start together. Under `state`.waiting: (row…, _vs, _ve, _by, _epoch, _rank),
    what waits. `stored`: the variant that left the state, where it is another.
    """

    state: str
    columns: tuple[str, ...]
    variant: str
    stored: str | None = None
    watch: Watch = UNWATCHED

    @property
    def _row(self) -> list[str]:
        return [listed([column]) for column in self.columns]

    @property
    def _kind(self) -> list[str]:
        """What tells events of one start apart."""
        match self.variant:
            case "R2":
                return self._row
            case "R2 duplicates":
                return [*self._row, VE]
        return []

    @property
    def _placed(self) -> bool:
        """Whether events are told apart by their place among those that start together."""
        return self.variant == "R1"

    @property
    def _once(self) -> bool:
        """Whether a kind comes at most once."""
        return self.variant in ("R0", "R2")

    def run(self, e: Epoch, inputs: Sequence[Input], course: Course) -> DataFrame | None:
        """The elements of the output."""
        turns = self._turns(e, inputs, course)
        known = self._known(e)
        if known is not None and course.left:
            stay = [each.name for each in inputs if each.name not in course.left]
            known = known.where(f"{_BY} IS NULL OR {_is_by(stay)}")
        if not turns:
            if known is not None and course.left:
                e.state.replace(self.state, known)
            return None
        taken = e.share(e.sql(self._taken(e, turns, known)))
        self._keep(e, taken)
        none = "CAST(NULL AS BIGINT) AS _old"
        sent = taken.where("_new")
        return sent.selectExpr(*self._row, "'insert' AS _kind", VS, VE, none)

    def _known(self, e: Epoch) -> DataFrame | None:
        known = e.state.read(self.state)
        if known is None or self.stored in (None, self.variant):
            return known
        # A row for each copy: R1 tells them apart by their places.
        event = ", ".join([*self._row, VS, VE, _BY])
        return e.sql(f"SELECT {event}, count(*) AS {_N} FROM {e.view(known)} GROUP BY {event}")

    # When elements are taken.

    def _turns(self, e: Epoch, inputs: Sequence[Input], course: Course) -> list[_Turn]:
        """The inputs that count, one after the other; then those that join, with what has waited
        for that.
        """
        here = {each.name: each.elements for each in inputs if each.elements is not None}
        members = course.taking.members
        counts = [member.name for member in members if member.joined and member.name in here]
        frontier = course.taking.frontier
        turns = [_Turn(name, frontier, self._arrived(here[name])) for name in counts]
        then = [step for step in course.then if isinstance(step, Joined)]
        waiting = self._waiting(e, course, here)
        if waiting is None:
            return turns
        joining = [(members[step.who].name, step.frontier) for step in then]
        for name, since in joining:
            turns.append(_Turn(name, since, waiting.where(_is_by([name])).drop(_BY)))
        return turns

    def _arrived(self, elements: DataFrame) -> DataFrame:
        place = [POS] if POS in elements.columns else []
        unranked = [f"0L AS {_EPOCH}", f"0L AS {_RANK}"]
        return elements.selectExpr(*self._row, VS, VE, *unranked, *place)

    def _waiting(self, e: Epoch, course: Course, here: Mapping[str, DataFrame]) -> DataFrame | None:
        """What has waited and what waits from now on, with whose it is. What still waits is
        kept.
        """
        name = f"{self.state}.waiting"
        before = e.state.read(name)
        waits = [member.name for member in course.taking.members if not member.joined]
        new = [self._ranked(e, here[each], each) for each in waits if each in here]
        if before is not None:
            before = before.where(_is_by([each for each in waits if each not in course.left]))
        every = union(before, *new)
        still = [member.name for member in course.end.members if not member.joined]
        if every is not None and (new or course.left or still != waits):
            every = e.share(every)
            e.state.replace(name, every.where(_is_by(still)))
        return every

    def _ranked(self, e: Epoch, elements: DataFrame, name: str) -> DataFrame:
        """Elements that wait, with their places among those that start together."""
        order = ", ".join([POS] if POS in elements.columns else [*self._row, VE])
        rank = f"CAST(row_number() OVER (PARTITION BY {VS} ORDER BY {order}) AS BIGINT) AS {_RANK}"
        whose = [f"{string(name)} AS {_BY}", f"{e.number}L AS {_EPOCH}", rank]
        return elements.selectExpr(*self._row, VS, VE, *whose)

    # What is put out.

    def _taken(self, e: Epoch, turns: Sequence[_Turn], known: DataFrame | None) -> str:
        """SQL: (row…, _vs, _ve, _by, _n, _new, _last): the n-th of their kind, whether they are put
        out, and the start of what starts last.
        """
        rows, place = self._rows(e, turns, known)
        last = ", ".join(
            f"max({VS}) FILTER (WHERE {_TURN} < {turn})" for turn in range(len(turns) + 1)
        )
        most = f"transform(array({last}), m -> coalesce(m, {big(DAWN)})) AS _m"
        reached = f"SELECT {most}, count_if({_EPOCH} > {_STORED}) AS _came FROM {rows}"
        # A turn begins where those before it have carried the output; what is stored is there.
        so_far = f"array_max(slice(_m, 1, greatest({_TURN} + 1, 0)))"
        fits = f"SELECT r.*, array_max(_m) AS _last, _came FROM {rows} r CROSS JOIN ({reached})"
        fits += f" WHERE {_TURN} < 0 OR {VS} >= {so_far}"
        together = ", ".join([VS, *self._kind])
        order = ", ".join([_EPOCH, _RANK, *place, *self._row, VE])
        # What is stored of the output, and of inputs that bring nothing, are counts by themselves.
        # Of R1 each place is stored, of the others how many there are.
        one = f"CASE WHEN {_EPOCH} = {_STORED} THEN 1L ELSE {_N} END" if self._placed else _N
        nth = (
            f"CASE WHEN {_EPOCH} = {_STORED} THEN {_N} ELSE SUM({one}) OVER"
            f" (PARTITION BY {together}, {_TURN} ORDER BY {order}"
            " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) END"
        )
        same = f"SUM({one}) OVER (PARTITION BY {VS}, {_TURN})"
        counted = f"SELECT *, {nth} AS _nth, {same} AS _same FROM ({fits})"
        earlier = (
            f"max(_nth) OVER (PARTITION BY {together} ORDER BY {_TURN}"
            f" RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
        )
        is_next = "_nth = 1 AND _out = 0" if self._once else "_nth > _out"
        before = f"SELECT *, coalesce({earlier}, 0) AS _out FROM ({counted})"
        own = f"{_TURN} >= 0 AND {_EPOCH} > {_STORED}"
        flags = [f"{own} AND {is_next} AS _new", f"{own} AND {self._is_bad} AS {BAD}"]
        flags += ["_came", f"CASE WHEN {own} THEN _same END AS _same"]
        columns = ", ".join([*self._row, VS, VE, _BY, f"_nth AS {_N}", "_last", *flags])
        return f"SELECT {columns} FROM ({before})"

    @property
    def _is_bad(self) -> str:
        """SQL: whether an element is none that its input may have by its promise."""
        if self._once:
            return "_nth > 1"
        if not self._placed:
            return "FALSE"
        event = f"struct({', '.join([*self._row, VE])})"
        first = f"first_value({event}) OVER (PARTITION BY {VS}, _nth ORDER BY {_TURN})"
        return f"NOT ({event} <=> {first})"

    def _rows(
        self, e: Epoch, turns: Sequence[_Turn], known: DataFrame | None
    ) -> tuple[str, list[str]]:
        """A view of the elements of all turns, and of what is stored: of an input in its turn,
        before its elements; of the output, and of inputs that bring nothing, before all. And
        `_pos`, if they have it.
        """
        places = [turn.rows.schema[POS] for turn in turns if POS in turn.rows.columns]
        # What has waited has its places as numbers.
        none = [f"CAST(NULL AS {at.dataType.simpleString()}) AS {POS}" for at in places[:1]]
        place = [POS] if places else []
        parts = []
        for i, turn in enumerate(turns):
            own = [f"{i} AS {_TURN}", f"{string(turn.name)} AS {_BY}", f"1L AS {_N}"]
            own += [_EPOCH, _RANK, *(place if POS in turn.rows.columns else none)]
            rows = turn.rows.where(f"{VS} >= {big(turn.frontier)}")
            parts.append(rows.selectExpr(*self._row, VS, VE, *own))
        if known is not None:
            types = parts[0].schema
            missing = [
                f"CAST(NULL AS {types[name].dataType.simpleString()}) AS {listed([name])}"
                for name in (*self.columns, VE, *place)
                if name not in known.columns
            ]
            cases = " ".join(f"WHEN {string(t.name)} THEN {i}" for i, t in enumerate(turns))
            turn_of = f"CASE {_BY} {cases} ELSE {_STORED} END AS {_TURN}"
            first = [f"{big(_STORED)} AS {_EPOCH}", f"0L AS {_RANK}"]
            stored = known.selectExpr(*known.columns, turn_of, *first, *missing)
            parts.append(stored)
        both = union(*parts)
        assert both is not None
        return e.view(e.spread(both, (VS,))), place

    def _keep(self, e: Epoch, taken: DataFrame) -> None:
        """What starts last, of the inputs and of the output."""
        where = {name: f"{BAD} AND {_BY} = {string(name)}" for name in self.watch.inputs}
        asked = {"came": "max(_came)", "put": "count_if(_new)", "g": "max(_same)"}
        view = e.view(self.watch.observe(taken, asked | broken(self.watch, where)))
        event = ", ".join([*self._row, VS, VE])
        output = "CAST(NULL AS STRING)"
        whose = f"CASE WHEN {_BY} IS NULL OR NOT _new THEN array({_BY}) "
        whose += f"ELSE array({_BY}, {output}) END"
        every = f"SELECT {event}, {_N}, explode({whose}) AS {_BY} FROM {view} WHERE {VS} = _last"
        group = f"{event}, {_BY}, {_N}" if self._placed else f"{event}, {_BY}"
        number = _N if self._placed else f"max({_N}) AS {_N}"
        text = f"SELECT {event}, {_BY}, {number} FROM ({every}) GROUP BY {group}"
        e.state.replace(self.state, e.sql(text))


def _is_by(names: Iterable[str]) -> str:
    texts = ", ".join(string(name) for name in names)
    return f"{_BY} IN ({texts})" if texts else "FALSE"
