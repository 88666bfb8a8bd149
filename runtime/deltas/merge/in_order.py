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

    State, under `state`: (_vs, kind…, _by, _n): of what starts last, how many of each kind an input
    has brought; `_by` is NULL for the output. R0: one instant; R1: a count per input; R2: the rows;
    with duplicates: of each row and end a count per input. Under `state`.waiting: (row…, _vs, _ve,
    _by, _epoch, _rank), what waits.
    """

    state: str
    columns: tuple[str, ...]
    variant: str

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
    def _once(self) -> bool:
        """Whether a kind comes at most once."""
        return self.variant in ("R0", "R2")

    def run(self, e: Epoch, inputs: Sequence[Input], course: Course) -> DataFrame | None:
        """The elements of the output."""
        turns = self._turns(e, inputs, course)
        known = e.state.read(self.state)
        if known is not None and course.left:
            known = known.where(f"{_BY} IS NULL OR {_is_by(each.name for each in inputs)}")
        if not turns:
            if known is not None and course.left:
                e.state.replace(self.state, known)
            return None
        taken = e.share(e.sql(self._taken(e, turns, known)))
        self._keep(e, taken)
        none = "CAST(NULL AS BIGINT) AS _old"
        sent = taken.where("_new")
        return sent.selectExpr(*self._row, "'insert' AS _kind", VS, VE, none)

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
            before = before.where(_is_by(waits))
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
        reached = f"SELECT {most} FROM {rows}"
        # A turn begins where those before it have carried the output; what is stored is there.
        so_far = f"array_max(slice(_m, 1, greatest({_TURN} + 1, 0)))"
        fits = f"SELECT r.*, array_max(_m) AS _last FROM {rows} r CROSS JOIN ({reached})"
        fits += f" WHERE {_TURN} < 0 OR {VS} >= {so_far}"
        together = ", ".join([VS, *self._kind])
        order = ", ".join([_EPOCH, _RANK, *place, *self._row, VE])
        # What is stored of the output, and of inputs that bring nothing, are counts by themselves.
        nth = (
            f"CASE WHEN {_TURN} < 0 THEN {_N} ELSE SUM({_N}) OVER (PARTITION BY {together}, {_TURN}"
            f" ORDER BY {order} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) END"
        )
        counted = f"SELECT *, {nth} AS _nth FROM ({fits})"
        earlier = (
            f"max(_nth) OVER (PARTITION BY {together} ORDER BY {_TURN}"
            f" RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
        )
        is_next = "_nth = 1 AND _out = 0" if self._once else "_nth > _out"
        before = f"SELECT *, coalesce({earlier}, 0) AS _out FROM ({counted})"
        columns = ", ".join([*self._row, VS, VE, _BY, f"_nth AS {_N}", "_last"])
        return f"SELECT {columns}, {_TURN} >= 0 AND {is_next} AS _new FROM ({before})"

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
        """Of what starts last, the counts."""
        view = e.view(taken)
        kind = ", ".join([VS, *self._kind])
        most = f"max({_N}) AS {_N} FROM {view} WHERE {VS} = _last"
        text = f"SELECT {kind}, CAST(NULL AS STRING) AS {_BY}, {most} GROUP BY {kind}"
        if not self._once:
            own = f"SELECT {kind}, {_BY}, {most} AND {_BY} IS NOT NULL GROUP BY {kind}, {_BY}"
            text = f"{text} UNION ALL {own}"
        e.state.replace(self.state, e.sql(text))


def _is_by(names: Iterable[str]) -> str:
    texts = ", ".join(string(name) for name in names)
    return f"{_BY} IN ({texts})" if texts else "FALSE"
