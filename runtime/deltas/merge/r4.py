"""R4: disorder and adjusts of a multiset (LMERGE IV-E). An entry of the in3t says how many copies
end when, for each input and for the output: copies of a row are alike, and which of them an adjust
means is seen by the end that it names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...elements.columns import FOREVER, VE, VS, W, big
from .flight import DISPUTED, ENDS, GONE, IN, OUT, WAS, Flight, either, end, told
from .inputs import Compare, Freeze, Joined, Reconsider, Standing, Step
from .multisets import (
    NONE,
    TYPE,
    before,
    copies_of,
    count,
    first,
    let,
    listed,
    minus,
    plus,
    since,
    total,
)
from .policies import Policy
from .r3 import by_rank

OUT_TYPE: Final = TYPE
ENDS_TYPE: Final = f"ARRAY<{TYPE}>"


def gathered(place: int) -> str:
    """SQL, of the elements of an entry: what an input tells of it, adjusts first; equal ones are
    one of several copies.
    """
    element = f"struct(_kind AS kind, {VE}, _old, {W} AS n)"
    listed_of = f"collect_list({element}) FILTER (WHERE {IN} = {place})"
    return f"array_sort({listed_of}) AS {told(place)}"


def loaded(place: int | None) -> str:
    """SQL: the ends that the input has said which had this place before."""
    return NONE if place is None else f"coalesce(get({WAS}.{ENDS}, {place}), {NONE})"


def out_before() -> str:
    return f"coalesce({WAS}.{OUT}, {NONE})"


def taken(flight: Flight, source: str, place: int, at: Standing, policy: Policy) -> str:
    """SQL: the entries after the elements of one input."""
    start = f"named_struct('mine', {end(place)}, 'out', {OUT})"
    step = f"CASE WHEN x.kind = 'insert' THEN {_inserted(flight, place, at, policy)}"
    step += f" ELSE {_adjusted(flight, place, at, policy)} END"
    both = f"SELECT *, aggregate({told(place)}, {start}, (a, x) -> {step}) AS _both FROM ({source})"
    return flight.level(both, {end(place): "_both.mine", OUT: "_both.out"})


def _allowed(flight: Flight, place: int, mine: str, at: Standing, policy: Policy) -> str:
    """SQL: how many copies may be out when the input at a place has so many."""
    counts = [mine if i == place else total(end(i)) for i in range(flight.inputs)]
    return policy.copies(counts, at.leader, at.attached)


def _inserted(flight: Flight, place: int, at: Standing, policy: Policy) -> str:
    """SQL: what the input and the output say (a) after an insert of some copies (x): as many come
    out as may be out now and are not.
    """
    allowed = _allowed(flight, place, f"({total('a.mine')} + x.n)", at, policy)
    comes = f"least(x.n, {allowed} - {total('a.out')})"
    new = copies_of(f"x.{VE}", f"CASE WHEN {VS} >= {big(at.frontier)} THEN {comes} ELSE 0L END")
    mine = plus("a.mine", copies_of(f"x.{VE}", "x.n"))
    return f"named_struct('mine', {mine}, 'out', {plus('a.out', new)})"


def _adjusted(flight: Flight, place: int, at: Standing, policy: Policy) -> str:
    """SQL: the same after an adjust of some copies, as far as the input has them. CHATTY passes it
    on, as far as it may be and the output has not done it; a cancel, where no input has so many
    copies now.
    """
    moves = f"least(x.n, {count('a.mine', 'x._old')})"
    mine = _moved("a.mine", moves)
    if not policy.is_chatty:
        return f"named_struct('mine', {mine}, 'out', a.out)"
    may = f"least(x._old, x.{VE}) >= {big(at.frontier)}"
    ahead = f"{count('a.out', f'x.{VE}')} - {count('a.mine', f'x.{VE}')}"
    later = f"{moves} - greatest({ahead}, 0L)"
    allowed = _allowed(flight, place, f"({total('a.mine')} - {moves})", at, policy)
    fewer = f"least({moves}, {total('a.out')} - {allowed})"
    due = f"CASE WHEN NOT {may} THEN 0L WHEN x.{VE} > {VS} THEN {later} ELSE {fewer} END"
    out = _moved("a.out", f"least({count('a.out', 'x._old')}, {due})")
    return f"named_struct('mine', {mine}, 'out', {out})"


def _moved(ends: str, number: str) -> str:
    """SQL: so many copies have another end, or none where that is the start."""
    goes = copies_of("x._old", number)
    comes = copies_of(f"x.{VE}", f"CASE WHEN x.{VE} > {VS} THEN {number} ELSE 0L END")
    return plus(minus(ends, goes), comes)


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
    for place, both, complete in step.others:
        a, b = (since(end(i), big(complete)) for i in (step.who, place))
        frozen = f"{before(a, big(both))} <> {before(b, big(both))}"
        cases.append(f"{VS} < {big(both)} AND ({frozen} OR {total(a)} <> {total(b)})")
    return f"({either(cases)})"


def _put_out_frozen(flight: Flight, source: str, step: Freeze) -> str:
    """CONSERVATIVE: a copy is put out once, when its end is certain."""
    said, reached = end(step.leader), f"{VS} < {big(step.t)}"
    frozen = said if step.t == FOREVER else before(said, big(step.t))
    out = plus(OUT, minus(frozen, OUT))
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
    sides = let("s", f"named_struct('out', {OUT}, 'wanted', {promised})", _changed(t))
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
    too_many = f"{total(since('s.out', t))} - {total(since('s.wanted', t))}"
    differ = (
        f"named_struct('surplus', {minus('s.out', 's.wanted')},"
        f" 'lack', {minus('s.wanted', 's.out')}, 'too_many', {too_many})"
    )
    goes = _some_of("d.surplus", "d.too_many", t)
    comes = _some_of("d.lack", "-d.too_many", t)
    out = let("d", differ, plus(minus("s.out", goes), comes))
    return f"named_struct('out', {out}, 'gone', size({since('s.wanted', t)}) = 0)"


def _some_of(ends: str, number: str, t: str) -> str:
    """SQL: those before t, and so many of the others."""
    return f"concat({before(ends, t)}, {first(since(ends, t), number)})"


def _promised_too(step: Freeze) -> tuple[str, str]:
    """SQL: what the leader says, as far as the merged stable lets it, and whether that differs:
    the copies that are fully frozen stay, and as many are half frozen; of too many the last to end
    are left out, and those that are denied end at the merged stable.
    """
    stable, said = big(step.frontier), end(step.leader)
    frozen, half = before(OUT, stable), since(said, stable)
    copies = f"({total(OUT)} - {total(frozen)})"
    denied = f"{before(said, stable)} <> {since(frozen, big(step.since))}"
    ended = copies_of(stable, f"{copies} - {total(half)}")
    promised = plus(f"concat({frozen}, {ended})", first(half, copies))
    is_old = f"{VS} < {stable}"
    return (
        f"CASE WHEN {is_old} THEN {promised} ELSE {said} END",
        f"({is_old} AND ({denied} OR {total(half)} <> {copies}))",
    )


def _reconsidered(
    flight: Flight, source: str, step: Reconsider, names: Sequence[str], policy: Policy
) -> str:
    if not policy.looks_again:
        return source
    counts = [total(each) for each in flight.ends]
    allowed = policy.copies(counts, step.leader, step.attached)
    best = f"array({', '.join(end(i) for i in by_rank(step, names))})"
    more = f"least({allowed}, {total('z')}) - {total('o')}"
    filled = f"aggregate({best}, {OUT}, (o, z) -> {plus('o', first(minus('z', 'o'), more))})"
    waits = f"{VS} >= {big(step.frontier)}"
    return flight.level(source, {OUT: f"CASE WHEN {waits} THEN {filled} ELSE {OUT} END"})


def due(ends: Sequence[str]) -> str:
    """SQL: the stable from which on an entry is to be looked at: before it, the output and all
    inputs agree, or differ in what may still change.
    """
    differ = either([f"{total(each)} <> {total(OUT)}" for each in ends])
    least = f"array_min(transform(flatten(array({', '.join([OUT, *ends])})), v -> v.ve))"
    return f"CASE WHEN {differ} THEN {VS} ELSE coalesce({least}, {VS}) END"


def is_void(ends: Sequence[str]) -> str:
    """SQL: whether nobody has an event here."""
    return " AND ".join(f"size({each}) = 0" for each in (OUT, *ends))


def emitted(event: str) -> str:
    """SQL: SELECT of the elements that an entry's output needs."""
    was = out_before()
    pairs = f"arrays_zip({listed(minus(was, OUT))}, {listed(minus(OUT, was))})"
    kind = "CASE WHEN p.`0` IS NULL THEN 'insert' ELSE 'adjust' END AS _kind"
    element = f"struct(coalesce(p.`1`, {VS}) AS {VE}, p.`0` AS _old, {kind})"
    return f"SELECT {event}, inline(transform({pairs}, p -> {element}))"


def is_repeated(place: int, before: int | None) -> str:
    """SQL: an input may have equal events."""
    return "FALSE"


def number_told(place: int) -> str:
    """SQL: how many elements an input brings."""
    return f"aggregate({told(place)}, 0L, (s, x) -> s + x.n)"


def most_copies() -> str:
    """SQL: the most copies that the output or an input has."""
    of_inputs = f"array_max(transform({ENDS}, z -> {total('z')}))"
    return f"greatest({of_inputs}, {total(OUT)})"


def is_adjusted() -> str:
    return f"size({out_before()}) > 0 AND {is_emitted()}"


def is_emitted() -> str:
    return f"NOT ({out_before()} <=> {OUT})"
