"""R3: disorder and adjusts, where (vs, row) is a key (LMERGE IV-D). An entry of the in2t has an end
for each input and one for the output; NULL: no event.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...elements.columns import FOREVER, VE, VS, W, big
from .flight import DISPUTED, ENDS, GONE, IN, OUT, WAS, Flight, either, end, told
from .inputs import Compare, Freeze, Joined, Reconsider, Standing, Step
from .policies import Policy

ENDS_TYPE: Final = "ARRAY<BIGINT>"
OUT_TYPE: Final = "BIGINT"


def gathered(place: int) -> str:
    """SQL, of the elements of an entry: what an input tells of it."""
    inserts = f"sum({W}) FILTER (WHERE {IN} = {place} AND _kind = 'insert')"
    one = f"max(struct(_kind AS kind, {VE})) FILTER (WHERE {IN} = {place})"
    return f"struct({one}.kind AS kind, {one}.{VE} AS {VE}, {inserts} AS n) AS {told(place)}"


def loaded(place: int | None) -> str:
    """SQL: the end that the input has said which had this place before."""
    return "CAST(NULL AS BIGINT)" if place is None else f"get({WAS}.{ENDS}, {place})"


def out_before() -> str:
    return f"{WAS}.{OUT}"


def taken(flight: Flight, source: str, place: int, at: Standing, policy: Policy) -> str:
    """SQL: the entries after the elements of one input."""
    x, e = told(place), end(place)
    inserts, adjusts = f"{x}.kind = 'insert'", f"{x}.kind = 'adjust' AND {e} IS NOT NULL"
    said = (
        f"CASE WHEN {inserts} THEN {x}.{VE} WHEN {adjusts} THEN nullif({x}.{VE}, {VS}) ELSE {e} END"
    )
    here = [f"({said})" if i == place else end(i) for i in range(flight.inputs)]
    cases = [
        f"WHEN {inserts} AND {OUT} IS NULL AND {_allows(here, at.leader, at.attached, policy)}"
    ]
    cases[0] += f" THEN {x}.{VE}"
    if policy.is_chatty:
        none = " AND ".join(f"{each} IS NULL" for each in here)
        may = f"{OUT} <> {x}.{VE} AND least({OUT}, {x}.{VE}) >= {big(at.frontier)}"
        passed = f"{adjusts} AND {may} AND ({x}.{VE} > {VS} OR {none})"
        cases.append(f"WHEN {passed} THEN nullif({x}.{VE}, {VS})")
    return flight.level(source, {e: said, OUT: f"CASE {' '.join(cases)} ELSE {OUT} END"})


def stepped(flight: Flight, source: str, step: Step, at: Sequence[str], policy: Policy) -> str:
    """SQL: the entries after a step; `at`: the names of the inputs by place."""
    match step:
        case Joined():
            return source
        case Compare():
            return flight.level(source, {DISPUTED: f"{DISPUTED} OR {_disagree(step)}"})
        case Freeze() if policy.is_conservative:
            return _put_out_frozen(flight, source, step)
        case Freeze():
            return _agreed(flight, source, step)
        case Reconsider():
            return _reconsidered(flight, source, step, at, policy)


def _allows(ends: Sequence[str], leader: int | None, attached: int, policy: Policy) -> str:
    counts = [f"CAST({each} IS NOT NULL AS INT)" for each in ends]
    return f"{policy.copies(counts, leader, attached)} > 0"


def _disagree(step: Compare) -> str:
    one = f"coalesce({end(step.who)}, {VS})"
    cases = []
    for place, both, _ in step.others:
        other = f"coalesce({end(place)}, {VS})"
        differ = f"{one} <> {other} AND least({one}, {other}) < {big(both)}"
        cases.append(f"{VS} < {big(both)} AND {differ}")
    return f"({either(cases)})"


def _agreed(flight: Flight, source: str, step: Freeze) -> str:
    """Make the output's event that of the leader. What the merged stable has promised stays: a
    leader that denies it only ends it, at the merged stable of before.
    """
    t, before, said = big(step.t), big(step.frontier), end(step.leader)
    denied = f"{VS} < {before} AND coalesce({said}, {VS}) < {before}"
    wanted = f"CASE WHEN {denied} THEN {before} ELSE coalesce({said}, {VS}) END"
    must = f"{wanted} <> {OUT} AND least({wanted}, {OUT}) < {t}"
    changed = f"WHEN {must} THEN nullif({wanted}, {VS})"
    out = f"CASE WHEN {OUT} IS NULL THEN {said} {changed} ELSE {OUT} END"
    agreed = flight.level(
        source,
        {
            OUT: f"CASE WHEN {VS} < {t} THEN {out} ELSE {OUT} END",
            DISPUTED: f"{DISPUTED} OR {VS} < {t} AND {OUT} IS NOT NULL AND {denied}",
        },
    )
    gone = f"{VS} < {t} AND ({OUT} IS NULL OR {OUT} < {t})"
    return flight.level(agreed, {GONE: gone})


def _put_out_frozen(flight: Flight, source: str, step: Freeze) -> str:
    """CONSERVATIVE: an event is put out once, when its end is certain."""
    said = end(step.leader)
    certain = "TRUE" if step.t == FOREVER else f"{said} < {big(step.t)}"
    frozen = f"{VS} < {big(step.t)} AND {said} IS NOT NULL AND {certain}"
    gone = f"{VS} < {big(step.t)} AND ({said} IS NULL OR {certain})"
    return flight.level(source, {OUT: f"CASE WHEN {frozen} THEN {said} ELSE {OUT} END", GONE: gone})


def _reconsidered(
    flight: Flight, source: str, step: Reconsider, names: Sequence[str], policy: Policy
) -> str:
    if not policy.looks_again:
        return source
    waits = f"{OUT} IS NULL AND {VS} >= {big(step.frontier)}"
    best = f"coalesce({', '.join(end(i) for i in by_rank(step, names))})"
    allowed = _allows(flight.ends, step.leader, step.attached, policy)
    return flight.level(
        source, {OUT: f"CASE WHEN {waits} AND {allowed} THEN {best} ELSE {OUT} END"}
    )


def by_rank(step: Reconsider, names: Sequence[str]) -> list[int]:
    """The places of all inputs: those that lead first, those that have not joined by name."""
    waiting = [i for i in range(len(names)) if i not in step.ranked]
    return [*step.ranked, *sorted(waiting, key=lambda i: names[i])]


def due(ends: Sequence[str]) -> str:
    """SQL: the stable from which on an entry is to be looked at: before it, the output and all
    inputs agree, or differ in what may still change.
    """
    lacks = either([f"{each} IS NULL" for each in (OUT, *ends)])
    return f"CASE WHEN {lacks} THEN {VS} ELSE {_least([OUT, *ends])} END"


def _least(values: Sequence[str]) -> str:
    return f"array_min(array({', '.join(values)}))"


def is_void(ends: Sequence[str]) -> str:
    """SQL: whether nobody has an event here."""
    return " AND ".join(f"{each} IS NULL" for each in (OUT, *ends))


def emitted(event: str) -> str:
    """SQL: SELECT of the elements that an entry's output needs."""
    before = out_before()
    kind = f"CASE WHEN {before} IS NULL THEN 'insert' ELSE 'adjust' END AS _kind"
    return f"SELECT {event}, coalesce({OUT}, {VS}) AS {VE}, {before} AS _old, {kind}"


def is_repeated(place: int, before: int | None) -> str:
    """SQL: whether an input brings an event that it has; `before`: the place that it had."""
    x = told(place)
    again = f"{x}.kind = 'insert' AND {loaded(before)} IS NOT NULL"
    return f"coalesce({x}.n > 1 OR {again}, FALSE)"


def number_told(place: int) -> str:
    """SQL: how many elements an input brings."""
    return f"CAST({told(place)}.kind IS NOT NULL AS INT)"


def most_copies() -> str:
    """SQL: the most copies that the output or an input has."""
    return "1"


def is_adjusted() -> str:
    return f"{out_before()} IS NOT NULL AND {is_emitted()}"


def is_emitted() -> str:
    return f"NOT ({out_before()} <=> {OUT})"
