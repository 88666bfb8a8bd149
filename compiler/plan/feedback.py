"""How far back an input of a merge reads (FEEDBACK; LMERGE V-D, decision 24).

A merge of rows has decided what starts before its frontier F. An input needs of each base stream
only the rows that its output from F on is made of: those that lie no further back than `need`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, assert_never

from .graph import Plan
from .lifetimes import window_reach
from .operators import (
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
    StreamDeclaration,
    Union,
    Window,
)
from .rebuild import AnyOperator, known
from .walk import walk

Needs: TypeAlias = Mapping[StreamDeclaration, int | None]
"""How far before F rows of each base stream are needed, in microseconds or ticks; None: any may."""

_FILES = frozenset({"parquet", "json", "csv"})
_LINEAR = (Filter, Project, Union, NrrJoin)


def needs(branch: Operator) -> Needs:
    """What an input needs to say which rows start at or after F."""
    return _Looked().needs(branch)


class _Looked:
    """What is needed of each operator that has been looked at: views of views share theirs, so that
    there are far more ways to them than operators.
    """

    def __init__(self) -> None:
        self._needs: dict[Operator, Needs] = {}
        self._answers: dict[Operator, Needs] = {}

    def needs(self, operator: Operator) -> Needs:
        if operator not in self._needs:
            self._needs[operator] = self._needed(known(operator))
        return self._needs[operator]

    def answers(self, operator: Operator) -> Needs:
        """What is needed to answer at every instant from F on."""
        if operator not in self._answers:
            self._answers[operator] = self._answered(known(operator))
        return self._answers[operator]

    def _needed(self, node: AnyOperator) -> Needs:
        match node:
            case Scan():
                return {node.stream: 0}
            case Window(kind="unbounded") | Filter() | Project() | Union() | NrrJoin():
                return _most(map(self.needs, node.inputs))
            case Merge():
                return _most(map(self.needs, node.inputs)) if node.rows else _everything(node)
            case Report(kind="istream") if _is_of_rows(node.input):
                # Rows that enter and never leave are those rows.
                return self.needs(node.input)
            case Report():
                # It compares the answer with that of the instant before.
                return _behind(self.answers(node.input), 1)
            case _:
                return _everything(node)

    def _answered(self, node: AnyOperator) -> Needs:
        match node:
            case Window():
                return _behind(self.needs(node.input), window_reach(node))
            case RowsWindow():
                # With SLIDE it counts rows from the first on.
                return _behind(self.needs(node.input), node.length if node.slide is None else None)
            case (
                Filter()
                | Project()
                | Union()
                | NrrJoin()
                | Join()
                | SemiJoin()
                | SetOperation()
                | Distinct()
                | Group()
                | Sink()
            ):
                return _most(map(self.answers, node.inputs))
            case Scan() | Report() | Merge() | Relation() | Reconstitution() | SessionWindow():
                # Nothing says when what they hold is gone.
                return _everything(node)
            case _:
                assert_never(node)


def outside(plan: Plan, merge: Merge, place: int) -> frozenset[StreamDeclaration]:
    """The base streams that are read by something else than the input at a place of a merge."""

    def others(operator: Operator) -> Sequence[Operator]:
        if operator != merge:
            return operator.inputs
        return [each for i, each in enumerate(operator.inputs) if i != place]

    found = walk(plan.sinks, others)
    return frozenset(each.stream for each in found if isinstance(each, Scan))


def before_sinks(plan: Plan) -> Mapping[StreamDeclaration, Mapping[str, int]]:
    """Of base streams whose rows all readers may do without that have told how far they are: query
    -> how far before that its answer needs rows. Every query that reads such a stream writes it as
    elements, for others to merge.
    """
    found: dict[StreamDeclaration, dict[str, int]] = {}
    unbounded: set[StreamDeclaration] = set()
    for sink in plan.sinks:
        for stream, need in needs(sink.input).items():
            if need is None or not _is_told(sink) or not can_skip(stream):
                unbounded.add(stream)
            else:
                found.setdefault(stream, {})[sink.query] = need
    return {stream: needed for stream, needed in found.items() if stream not in unbounded}


def _is_told(sink: Sink) -> bool:
    """Whether readers of what a sink writes can tell how far they are."""
    return sink.mode == "elements" and sink.format in _FILES and sink.path is not None


def can_skip(stream: StreamDeclaration) -> bool:
    """Whether rows of a stream may be passed over where they land: nothing comes back to them, and
    they do not stay where they lie.
    """
    comes_back = stream.revisable or stream.relation or bool(stream.elements)
    return not comes_back and not stream.in_place and stream.order is not None


def _is_of_rows(answer: Operator) -> bool:
    """Whether an answer consists of rows of streams, which never leave."""

    def linear(operator: Operator) -> Sequence[Operator]:
        return operator.inputs if isinstance(operator, _LINEAR) else ()

    every = walk([answer], linear)
    return all(isinstance(each, _LINEAR) or _brings_rows(each) for each in every)


def _brings_rows(operator: Operator) -> bool:
    match operator:
        case Window():
            return operator.kind == "unbounded"
        case Merge():
            return operator.rows
        case _:
            return isinstance(operator, Scan | Report)


def _most(every: Iterable[Needs]) -> Needs:
    found: dict[StreamDeclaration, int | None] = {}
    for some in every:
        for stream, need in some.items():
            other = found.get(stream, 0)
            found[stream] = None if need is None or other is None else max(need, other)
    return found


def _behind(found: Needs, length: int | None) -> Needs:
    return {
        stream: None if need is None or length is None else need + length
        for stream, need in found.items()
    }


def _everything(operator: Operator) -> Needs:
    return {each.stream: None for each in walk([operator]) if isinstance(each, Scan)}
