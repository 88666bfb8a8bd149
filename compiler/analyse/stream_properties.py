"""Stream properties: what an output promises as a physical stream of elements (LMERGE IV).

In: a plan, its keys, patterns and append-only edges. Out: the properties of each operator's output.
They speak of instants that are complete in the order of the inputs: an instant that EMIT CHANGES
reports while rows of it may still come counts as said when a later one is reached.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from reflow.grammar.value import value

from ..plan.expressions import bare_column
from ..plan.graph import Plan
from ..plan.lifetimes import HOUR
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
from ..plan.schema import names
from .beginnings import streams_below
from .keys import Key, meets_one
from .lattice import UpdatePattern
from .update_patterns import columns_of_by


@value
class Properties:
    """The promises of one output; each field but the first two is better when it is false.

    `disorder`: how far (microseconds or ticks) the start `vs` of an element may lie behind that of
    an earlier one; 0: in order; None: no bound is known. `strict`: no two elements start at one
    instant, and they come in order. `adjusted`: the end of an element may be told or changed by a
    later element. `corrected`: rows that come late take back what was said. `loose`: elements that
    start at one instant may come in another order another time. `repeated`: two elements may have
    the same row and start.
    """

    disorder: int | None
    strict: bool = False
    adjusted: bool = False
    corrected: bool = False
    loose: bool = True
    repeated: bool = True

    @property
    def in_order(self) -> bool:
        return self.disorder == 0

    @property
    def insert_only(self) -> bool:
        """An element says all there is about a row's life."""
        return not self.adjusted and not self.corrected


def stream_properties(
    plan: Plan,
    keys: Mapping[Operator, Key],
    patterns: Mapping[Operator, UpdatePattern],
    append_only: Mapping[Operator, bool],
) -> dict[Operator, Properties]:
    """The properties of each operator's output."""
    rules = _Rules(keys, patterns, append_only, streams_below(plan))
    found: dict[Operator, Properties] = {}
    for operator in plan.operators():
        below = [found[source] for source in operator.inputs]
        found[operator] = _settled(rules.of(operator, below), keys[operator])
    return found


def _settled(properties: Properties, key: Key) -> Properties:
    """What follows of the others: of one row at an instant one element starts, in order; and two
    elements of one key do not start together.
    """
    strict = properties.in_order and (properties.strict or key == ())
    return replace(
        properties,
        strict=strict,
        loose=properties.loose and not strict,
        repeated=properties.repeated and not strict and key is None,
    )


class _Rules:
    """One arm for each kind of operator."""

    def __init__(
        self,
        keys: Mapping[Operator, Key],
        patterns: Mapping[Operator, UpdatePattern],
        append_only: Mapping[Operator, bool],
        streams: Mapping[Operator, frozenset[str]],
    ) -> None:
        self._keys = keys
        self._patterns = patterns
        self._append_only = append_only
        self._streams = streams

    def of(self, operator: Operator, below: list[Properties]) -> Properties:
        """The properties of an output; what `_settled` finds is left out."""
        node = known(operator)
        match node:
            case Scan():
                return _declared(node)
            case Relation():
                return _of_relation(node, below[0])
            case Reconstitution():
                return _of_elements(node)
            case Merge():
                return self._of_merge(node, below)
            case Filter():
                # Fewer elements in the same order; over a replaced row the end must be told.
                return self._ends(node, below[0])
            case Project():
                # The same elements in the same order, but two rows may become equal.
                kept = replace(below[0], repeated=below[0].repeated or not _is_injective(node))
                return self._ends(node, kept)
            case Window(slide=slide, zone=zone) if slide is not None:
                # Starts are rounded up: more elements start together, in the order they came.
                far = _rounded(below[0].disorder, slide, zone)
                return replace(below[0], disorder=far, strict=False, repeated=True)
            case Window():
                # Starts stay, ends are announced.
                return below[0]
            case RowsWindow():
                return _of_rows(node, below[0])
            case SessionWindow():
                # Starts stay; each row of a session puts off the end of all.
                return replace(below[0], adjusted=True, corrected=not below[0].in_order)
            case Union():
                # Between branches there is no order, and both may have an element.
                return self._mixed(node, below)
            case Join():
                # A pair starts with the later of its rows; a row may start many.
                return self._mixed(node, below)
            case NrrJoin():
                # A row with the one version that it meets; with several, many start together.
                kept = below[0] if meets_one(node) else self._mixed(node, below)
                return self._ends(node, kept)
            case SemiJoin() | SetOperation():
                # Rows come and leave as others do; a late one changes what was said.
                mixed = self._mixed(node, below)
                return replace(mixed, adjusted=True, corrected=not mixed.in_order)
            case Distinct():
                return self._of_distinct(node, below)
            case Group():
                return self._of_group(node, below)
            case Report():
                return self._of_report(node, below[0])
            case Sink():
                return _of_sink(node, below[0])
            case _:
                assert_never(node)

    def _ends(self, operator: Operator, properties: Properties) -> Properties:
        """Ends that are signalled are told by later elements."""
        told = self._patterns[operator].ends == "signalled"
        return replace(properties, adjusted=properties.adjusted or told)

    def _mixed(self, operator: Operator, below: list[Properties]) -> Properties:
        """Elements made of those of several inputs, or several of one.

        Streams run side by side without an order between them; the branches of one stream have
        that of the least ordered.
        """
        bounds = [each.disorder for each in below if each.disorder is not None]
        known_bound = len(bounds) == len(below) and len(self._streams[operator]) == 1
        mixed = Properties(
            disorder=max(bounds) if known_bound else None,
            adjusted=any(each.adjusted for each in below),
            corrected=any(each.corrected for each in below),
        )
        return self._ends(operator, mixed)

    def _of_merge(self, merge: Merge, below: list[Properties]) -> Properties:
        """In order where all copies are, as the furthest has it; else a copy that lags behind adds
        rows, and the furthest takes back what it does not have. Nothing keeps the order of ties.
        """
        repeated = any(each.repeated for each in below)
        if self._append_only[merge]:
            strict = not merge.cleansed and all(each.strict for each in below)
            return Properties(disorder=0, strict=strict, repeated=repeated)
        told = not merge.rows or any(each.adjusted for each in below)
        return Properties(disorder=None, adjusted=told, corrected=merge.rows, repeated=repeated)

    def _of_distinct(self, distinct: Distinct, below: list[Properties]) -> Properties:
        """The first copy of each row starts it; where rows end, later copies put off its end."""
        mixed = self._mixed(distinct, below)
        return replace(
            mixed,
            strict=below[0].strict,
            loose=below[0].loose,
            adjusted=mixed.adjusted or not self._append_only[distinct.input],
            corrected=mixed.corrected or not mixed.in_order,
        )

    def _of_group(self, group: Group, below: list[Properties]) -> Properties:
        """A group's new row ends its old one; only the end of a group without rows must be told.
        Several groups may change at one instant.
        """
        mixed = self._mixed(group, below)
        return replace(
            mixed,
            adjusted=bool(group.keys) and not self._append_only[group.input],
            corrected=mixed.corrected or not mixed.in_order,
            loose=bool(group.keys),
        )

    def _of_report(self, report: Report, below: Properties) -> Properties:
        """Reported rows stay; those of a late row's instant are reported again."""
        if report.kind == "istream" and self._append_only[report.input]:
            return below
        key = self._keys[report.input]
        starts = below.strict and report.kind == "istream"
        return Properties(
            disorder=below.disorder,
            strict=starts or key == (),
            corrected=below.corrected or not below.in_order,
            repeated=key is None,
        )


def _declared(scan: Scan) -> Properties:
    """What the declaration says; rows further behind than WITHIN, and KEEP where late rows are
    corrections, are dead letters.
    """
    stream = scan.stream
    within = 0 if stream.order is None else scan.within
    return Properties(
        # Without an order field rows are stamped on arrival.
        disorder=within,
        strict=stream.strict and within == 0,
        adjusted=scan.retracts,
        corrected=scan.retracts,
        loose="ties in order" not in stream.guarantees,
        repeated="distinct rows" not in stream.guarantees,
    )


def _of_elements(events: Reconstitution) -> Properties:
    """Starts in any order, and ends that adjusts change; a key, or rows that differ, tell events of
    one start apart.
    """
    stream = events.input.stream
    distinct = bool(stream.key) or "distinct rows" in stream.guarantees
    return Properties(disorder=None, adjusted=not events.insert_only, repeated=not distinct)


def _of_relation(relation: Relation, below: Properties) -> Properties:
    """A change of the log starts a row, or tells the end of one; one that comes late changes what
    was said. Changes of one instant cancel out, and equal rows may be there twice.
    """
    return replace(
        below,
        strict=below.strict and relation.only_grows,
        adjusted=not relation.only_grows,
        corrected=not relation.only_grows and not below.in_order,
        loose=True,
        repeated=True,
    )


def _of_rows(window: RowsWindow, below: Properties) -> Properties:
    """Starts stay, but where the window moves by several rows, they start together. Later rows tell
    the ends, unless each one replaces the last of its value.
    """
    replaces = window.rows == 1 and window.length is None and columns_of_by(window) is not None
    stays = window.slide is None
    return replace(
        below,
        strict=below.strict and stays,
        adjusted=below.adjusted or not (replaces and stays and window.by),
        corrected=below.corrected or not below.in_order,
        repeated=below.repeated or not stays,
    )


def _of_sink(sink: Sink, below: Properties) -> Properties:
    """What is held until it is complete comes in order, and nothing late is behind it."""
    if sink.emit == "changes" or below.in_order:
        return below
    return replace(below, disorder=0, corrected=False)


def _is_injective(project: Project) -> bool:
    """All columns are kept: rows that differ stay different."""
    kept = {bare_column(expression.sql) for _, expression in project.columns}
    return set(names(project.input.schema)) <= kept


def _rounded(disorder: int | None, slide: int, zone: str | None) -> int | None:
    """How far starts lie apart that are rounded up to multiples of the slide."""
    if not disorder:
        return disorder
    # A day of a time zone may have 25 hours.
    return -(-disorder // slide) * slide + (HOUR if zone is not None else 0)
