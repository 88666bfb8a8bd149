"""R4: disorder and adjusts of a multiset (LMERGE IV-E). An entry has, for each input and for the
output, the ends of its copies in order: copies of a row are alike, and which of them an adjust
means is seen by the end that it names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...elements.columns import FOREVER, VE, VS, big
from .flight import DISPUTED, ENDS, GONE, IN, OUT, WAS, Flight, either, end, told
from .inputs import Compare, Freeze, Joined, Reconsider, Standing, Step
from .policies import Policy
from .r3 import by_rank

OUT_TYPE: Final = "ARRAY<BIGINT>"
ENDS_TYPE: Final = "ARRAY<ARRAY<BIGINT>>"
_NONE: Final = "CAST(array() AS ARRAY<BIGINT>)"
_COPIES: Final = "CAST(_w AS INT)"


def _let(name: str, value: str, body: str) -> str:
    """SQL: `body` with a value by a name. Spark would put a column's text where it is read, inside
    a lambda too, and compute it for each member of an array.
    """
    return f"transform(array({value}), {name} -> {body})[0]"


# Multisets as sorted arrays.


def _before(ends: str, t: str) -> str:
    return f"filter({ends}, v -> v < {t})"


def _from(ends: str, t: str) -> str:
    return f"filter({ends}, v -> v >= {t})"


def _count(ends: str, value: str) -> str:
    return f"size(filter({ends}, y -> y = {value}))"


def _minus(some: str, others: str) -> str:
    """The n-th copy of a value stays where the others have less than n."""
    stays = f"i - CAST(array_position(m.some, v) AS INT) + 1 >= {_count('m.others', 'v')}"
    both = f"named_struct('some', {some}, 'others', {others})"
    return _let("m", both, f"filter(m.some, (v, i) -> {stays})")


def _plus(some: str, others: str) -> str:
    return f"array_sort(concat({some}, {others}))"


def _without(ends: str, value: str) -> str:
    at = f"CAST(array_position({ends}, {value}) AS INT)"
    return f"concat(slice({ends}, 1, {at} - 1), slice({ends}, {at} + 1, size({ends})))"


def gathered(place: int) -> str:
    """SQL, of the elements of an entry: what an input tells of it, adjusts first."""
    element = f"array_repeat(struct(kind, {VE}, _old), {_COPIES})"
    listed = f"flatten(collect_list({element}) FILTER (WHERE {IN} = {place}))"
    return f"array_sort({listed}) AS {told(place)}"


def loaded(place: int | None) -> str:
    """SQL: the ends that the input has said which had this place before."""
    return _NONE if place is None else f"coalesce(get({WAS}.{ENDS}, {place}), {_NONE})"


def out_before() -> str:
    return f"coalesce({WAS}.{OUT}, {_NONE})"


def taken(flight: Flight, source: str, place: int, at: Standing, policy: Policy) -> str:
    """SQL: the entries after the elements of one input."""
    start = f"named_struct('mine', {end(place)}, 'out', {OUT})"
    step = _element(flight, place, at, policy)
    both = f"SELECT *, aggregate({told(place)}, {start}, (a, x) -> {step}) AS _both FROM ({source})"
    return flight.level(both, {end(place): "_both.mine", OUT: "_both.out"})


def _element(flight: Flight, place: int, at: Standing, policy: Policy) -> str:
    """SQL: what the input and the output say (a) after an element (x)."""

    def allowed(change: int) -> str:
        counts = [
            f"(size(a.mine) + {change})" if i == place else f"size({end(i)})"
            for i in range(flight.inputs)
        ]
        return policy.copies(counts, at.leader, flight.inputs)

    frontier = big(at.frontier)
    comes = f"{VS} >= {frontier} AND {allowed(1)} > size(a.out)"
    new = f"array(x.{VE})"
    inserted = (
        f"named_struct('mine', {_plus('a.mine', new)},"
        f" 'out', CASE WHEN {comes} THEN {_plus('a.out', new)} ELSE a.out END)"
    )
    later = f"CASE WHEN x.{VE} > {VS} THEN {new} ELSE {_NONE} END"
    out = "a.out"
    if policy.is_chatty:
        may = f"array_contains(a.out, x._old) AND least(x._old, x.{VE}) >= {frontier}"
        more = f"{_count('a.out', f'x.{VE}')} <= {_count('a.mine', f'x.{VE}')}"
        fewer = f"size(a.out) > {allowed(-1)}"
        is_due = f"CASE WHEN x.{VE} > {VS} THEN {more} ELSE {fewer} END"
        passed = _plus(_without("a.out", "x._old"), later)
        out = f"CASE WHEN {may} AND {is_due} THEN {passed} ELSE a.out END"
    adjusted = f"named_struct('mine', {_plus(_without('a.mine', 'x._old'), later)}, 'out', {out})"
    return (
        f"CASE WHEN x.kind = 'insert' THEN {inserted}"
        f" WHEN array_contains(a.mine, x._old) THEN {adjusted} ELSE a END"
    )


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


def _disagree(step: Compare) -> str:
    cases = []
    for place, both, since in step.others:
        a, b = (_from(end(i), big(since)) for i in (step.who, place))
        differ = f"{_before(a, big(both))} <> {_before(b, big(both))} OR size({a}) <> size({b})"
        cases.append(f"{VS} < {big(both)} AND ({differ})")
    return f"({either(cases)})"


def _put_out_frozen(flight: Flight, source: str, step: Freeze) -> str:
    """CONSERVATIVE: a copy is put out once, when its end is certain."""
    said, reached = end(step.leader), f"{VS} < {big(step.t)}"
    frozen = said if step.t == FOREVER else _before(said, big(step.t))
    out = _plus(OUT, _minus(frozen, OUT))
    return flight.level(
        source,
        {
            OUT: f"CASE WHEN {reached} THEN {out} ELSE {OUT} END",
            GONE: f"{reached} AND size({said}) = size({frozen})",
        },
    )


def _agreed(flight: Flight, source: str, step: Freeze) -> str:
    """Adjust what must be: copies that end before t are as wanted, and as many are left."""
    t, reached = big(step.t), f"{VS} < {big(step.t)}"
    promised, disputed = _promised_too(step)
    sides = _let("s", f"named_struct('out', {OUT}, 'wanted', {promised})", _changed(t))
    with_both = (
        f"SELECT *, CASE WHEN {reached} AND NOT {GONE} THEN {sides} END AS _agreed FROM ({source})"
    )
    return flight.level(
        with_both,
        {
            OUT: f"coalesce(_agreed.out, {OUT})",
            DISPUTED: f"{DISPUTED} OR {reached} AND {disputed}",
            GONE: "coalesce(_agreed.gone, FALSE)",
        },
    )


def _changed(t: str) -> str:
    """SQL: the output, and whether all is said, of `s.out` and `s.wanted`."""
    too_many = f"size({_from('s.out', t)}) - size({_from('s.wanted', t)})"
    differ = (
        f"named_struct('surplus', {_minus('s.out', 's.wanted')},"
        f" 'lack', {_minus('s.wanted', 's.out')}, 'too_many', {too_many})"
    )
    goes = _first_of("d.surplus", "d.too_many", t)
    comes = _first_of("d.lack", "-d.too_many", t)
    out = _let("d", differ, _plus(_minus("s.out", goes), comes))
    return f"named_struct('out', {out}, 'gone', size({_from('s.wanted', t)}) = 0)"


def _first_of(ends: str, count: str, t: str) -> str:
    """SQL: those before t, and so many of the others."""
    return f"concat({_before(ends, t)}, slice({_from(ends, t)}, 1, greatest({count}, 0)))"


def _promised_too(step: Freeze) -> tuple[str, str]:
    """SQL: what the leader says, as far as the merged stable lets it, and whether that differs:
    the copies that are fully frozen stay, and as many are half frozen; of too many the last to end
    are left out, and those that are denied end at the merged stable.
    """
    before, said = big(step.frontier), end(step.leader)
    frozen, half = _before(OUT, before), _from(said, before)
    copies = f"(size({OUT}) - size({frozen}))"
    denied = f"{_before(said, before)} <> {_from(frozen, big(step.since))}"
    kept = f"slice({half}, 1, {copies})"
    ended = f"array_repeat({before}, greatest({copies} - size({half}), 0))"
    promised = f"array_sort(concat({frozen}, {ended}, {kept}))"
    is_old = f"{VS} < {before}"
    return (
        f"CASE WHEN {is_old} THEN {promised} ELSE {said} END",
        f"({is_old} AND ({denied} OR size({half}) <> {copies}))",
    )


def _reconsidered(
    flight: Flight, source: str, step: Reconsider, names: Sequence[str], policy: Policy
) -> str:
    if not policy.looks_again:
        return source
    counts = [f"size({each})" for each in flight.ends]
    allowed = policy.copies(counts, step.leader, step.attached)
    best = f"array({', '.join(end(i) for i in by_rank(step, names))})"
    more = f"greatest(least({allowed}, size(z)) - size(o), 0)"
    lacking = f"slice({_minus('z', 'o')}, 1, {more})"
    filled = f"aggregate({best}, {OUT}, (o, z) -> {_plus('o', lacking)})"
    waits = f"{VS} >= {big(step.frontier)}"
    return flight.level(source, {OUT: f"CASE WHEN {waits} THEN {filled} ELSE {OUT} END"})


def due(ends: Sequence[str]) -> str:
    """SQL: the stable from which on an entry is to be looked at: before it, the output and all
    inputs agree, or differ in what may still change.
    """
    differ = either([f"size({each}) <> size({OUT})" for each in ends])
    first = f"array_min(flatten(array({', '.join([OUT, *ends])})))"
    return f"CASE WHEN {differ} THEN {VS} ELSE coalesce({first}, {VS}) END"


def is_void(ends: Sequence[str]) -> str:
    """SQL: whether nobody has an event here."""
    return " AND ".join(f"size({each}) = 0" for each in (OUT, *ends))


def emitted(event: str) -> str:
    """SQL: SELECT of the elements that an entry's output needs."""
    before = out_before()
    pairs = f"arrays_zip({_minus(before, OUT)}, {_minus(OUT, before)})"
    kind = "CASE WHEN p.`0` IS NULL THEN 'insert' ELSE 'adjust' END AS kind"
    element = f"struct(coalesce(p.`1`, {VS}) AS {VE}, p.`0` AS _old, {kind})"
    return f"SELECT {event}, inline(transform({pairs}, p -> {element}))"


def is_emitted() -> str:
    return f"NOT ({out_before()} <=> {OUT})"
