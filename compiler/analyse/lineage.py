"""The static lineage function of a query (REPLAY, Maskey and Cherniack 2008; DESIGN sections 4, 5).

In: an operator tree. Out: for each base stream how far the outputs of an input reach, and how far
back the inputs of those outputs lie. An input with order value `t` reaches the outputs at instants
in `[t, t + reach)`, and the output at an instant `i` is made of the inputs in `(i - need, i]`. So
the outputs of `t` are made anew from the inputs in `(t - need, t + reach)` alone.

What an output is at an instant is the answer: the rows that are valid then. Of an output that is a
stream (rows that stay for ever: those of a base stream without a window, and of ISTREAM, DSTREAM
and RSTREAM) it is the rows that come at the instant.

One thing is not said by it: an aggregate without keys has a row from the first element of its
query on. An input that is the first of all, or ceases to be, moves that instant as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from reflow.grammar.value import value

from ..plan.lifetimes import window_reach
from ..plan.operators import (
    Distinct,
    Filter,
    Group,
    Join,
    Merge,
    NrrJoin,
    Operator,
    Project,
    Reconstitution,
    Relation,
    Report,
    RowsWindow,
    Scan,
    SemiJoin,
    SessionWindow,
    SetOperation,
    Sink,
    Union,
    Window,
)
from ..plan.rebuild import known
from ..plan.replayable import moves_by_rows, passes_through


@value
class Lineage:
    """What an input of one stream reaches, in microseconds or ticks; None: without bound.

    `reach`: outputs change in `[t, t + reach)`; of `[NOW]` it is 1. `need`: the output at `i` is
    made of inputs of any stream of the query in `(i - need, i]`. `rows`: outputs change also until
    so many later inputs have come (of the same value of PARTITION BY); when that was is recorded.
    `of_rows`: and outputs are made of so many inputs before them, which are recorded as well.
    `why_not`: why these are not the whole truth, or no function of the plan alone; None where they
    are.
    """

    reach: int | None
    need: int | None
    why_not: str | None = None
    rows: int | None = None
    of_rows: int | None = None

    @property
    def bounded(self) -> bool:
        """Whether the outputs of an input can be made anew from a slice of the inputs."""
        return self.reach is not None and self.need is not None and self.why_not is None


@value
class _Spread:
    """How long after an input rows may come (`starts`, of a stream) or be there (`live`); None:
    for ever. The same lengths say how far before an instant its inputs lie. `rows`: or until so
    many later inputs have come.
    """

    starts: int | None
    live: int | None
    rows: int | None = None


_Spreads = Mapping[str, _Spread]


def lineage_of(root: Operator) -> dict[str, Lineage]:
    """The lineage of each base stream below an operator, as a rule a query's sink; by name."""
    spreads: dict[Operator, _Spreads] = {}
    below = _below(root, spreads)
    reaches = {name: _least(s.starts, s.live) for name, s in below.items()}
    need = _largest(*reaches.values())
    of_rows = _most(spread.rows for spread in below.values())
    why_not = "; ".join(dict.fromkeys(_reasons(spreads))) or None
    return {
        name: Lineage(reach, need, why_not, below[name].rows, of_rows)
        for name, reach in reaches.items()
    }


def _below(operator: Operator, found: dict[Operator, _Spreads]) -> _Spreads:
    """The spreads of an operator's output, by stream; all below it is noted on the way."""
    if operator not in found:
        merged: dict[str, _Spread] = {}
        for source in operator.inputs:
            for name, spread in _below(source, found).items():
                merged[name] = _longer(merged.get(name, spread), spread)
        if isinstance(operator, Scan):
            # An element comes at its order value and stays.
            merged = {operator.stream.name: _Spread(1, None)}
        passed = {name: _through(operator, spread) for name, spread in merged.items()}
        found[operator] = _one_of_a_kind(passed)
    return found[operator]


def _one_of_a_kind(spreads: _Spreads) -> _Spreads:
    """An output is a stream as a whole: one of a stream and a window (UNION ALL) is none."""
    if all(spread.starts is not None for spread in spreads.values()):
        return spreads
    return {name: replace(spread, starts=None) for name, spread in spreads.items()}


def _through(operator: Operator, below: _Spread) -> _Spread:
    """What an operator makes of its inputs' spread."""
    node = known(operator)
    match node:
        case Scan():
            return below
        case Filter() | Project() | Union() | NrrJoin() | Sink():
            # Row by row, at the same instants.
            return below
        case Window():
            return _of_window(node, below)
        case RowsWindow():
            return _of_rows(node, below)
        case SessionWindow():
            # An input may join two sessions: rows of the first then stay to the end of the second.
            return _Spread(None, None)
        case Reconstitution():
            # An event lasts as long as its elements say.
            return _Spread(None, None)
        case Merge():
            # Which copy says what, and when, is not known beforehand.
            return _Spread(None, None)
        case Relation():
            # A change holds until the next one of its key.
            return _Spread(None, None)
        case Report():
            return _of_report(node, below)
        case Join() | SemiJoin() | SetOperation() | Distinct() | Group():
            # The answer at an instant is made of the inputs' answers at that instant.
            return replace(below, starts=None)
        case _:
            assert_never(node)


def _of_rows(window: RowsWindow, below: _Spread) -> _Spread:
    """An age bounds it, or later rows. Where it moves at every so-many-th row, an input moves the
    places of all that follow; and rows that are no stream's may be moved themselves.
    """
    if moves_by_rows(window):
        return _Spread(None, None)
    if window.length is not None:
        return _Spread(None, _plus(below.starts, window.length, -1))
    recorded = passes_through(window.input)
    return _Spread(None, below.starts if recorded else None, window.rows if recorded else None)


def _of_window(window: Window, below: _Spread) -> _Spread:
    """From the start of an element to its end; both may be rounded up, which `window_reach`
    allows for.
    """
    if window.kind == "unbounded":
        return below
    # Rounding up moves an end by less than the slide.
    spare = -1 if window.slide is None else -2
    return _Spread(None, _plus(below.starts, window_reach(window), spare))


def _of_report(report: Report, below: _Spread) -> _Spread:
    """It compares the answer with that of the instant before. A stream's rows come once."""
    if report.kind == "istream" and below.starts is not None:
        return _Spread(below.starts, None)
    return _Spread(_plus(below.live, 1), None, below.rows)


def _reasons(operators: Mapping[Operator, object]) -> Iterator[str]:
    """Why lineage is no function of the plan alone, or does not suffice to make outputs anew."""
    for operator in operators:
        node = known(operator)
        match node:
            case RowsWindow():
                if moves_by_rows(node) or (node.length is None and not passes_through(node.input)):
                    yield "in a window by rows the number of rows decides what an input reaches"
            case SessionWindow():
                yield "the rows of a session decide how long it is"
            case Relation():
                name = node.input.stream.name
                yield f"relation {name} is made of its changes, however old they are"
            case Reconstitution():
                yield f"events of {node.input.stream.name} last as long as its elements say"
            case Merge():
                yield f"merged stream {node.name} says what its copies say, whenever they do"
            case NrrJoin():
                yield f"which version of {node.relation.name} a row has met is in no archive"
            case Scan() | Window() | Filter() | Project() | Union() | Report() | Sink():
                # Time alone decides.
                continue
            case Join() | SemiJoin() | SetOperation() | Distinct() | Group():
                continue
            case _:
                assert_never(node)


def _plus(*lengths: int | None) -> int | None:
    bounded = [length for length in lengths if length is not None]
    return sum(bounded) if len(bounded) == len(lengths) else None


def _least(*lengths: int | None) -> int | None:
    return min((length for length in lengths if length is not None), default=None)


def _largest(*lengths: int | None) -> int | None:
    bounded = [length for length in lengths if length is not None]
    return max(bounded, default=0) if len(bounded) == len(lengths) else None


def _longer(one: _Spread, other: _Spread) -> _Spread:
    starts, live = _largest(one.starts, other.starts), _largest(one.live, other.live)
    return _Spread(starts, live, _most([one.rows, other.rows]))


def _most(numbers: Iterable[int | None]) -> int | None:
    return max((number for number in numbers if number is not None), default=None)
