"""Steps for operators: which call each becomes, how it takes its inputs, what it keeps."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import assert_never

from ..analyse import Facts
from ..analyse.forms import Form, turns
from ..analyse.promises import promised
from ..analyse.reach import lifetime
from ..analyse.retractions import is_identity
from ..plan.operators import (
    Aggregate,
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
from ..plan.operators.base import Expr
from ..plan.placed import placed
from ..plan.rebuild import known
from ..plan.schema import UNKNOWN, names
from . import reasons, state_layout
from .again import Again
from .archive_layout import Readings
from .asof import looks_up_matches
from .calls import (
    AggregateCall,
    Call,
    CompareSets,
    Contents,
    Deliver,
    DistinctRows,
    DistinctStored,
    Elements,
    ExceptBy,
    GroupRows,
    JoinAsOf,
    JoinHalf,
    JoinPairs,
    JoinRelation,
    KeepRows,
    Reconstitute,
    ReportRows,
    Select,
    UnionAll,
    Where,
    WindowRows,
    WindowSession,
)
from .conversions import Conversions
from .grouping import choose_grouping, needs_points
from .listing import Listing
from .merges import judges, merge_source, merged_call, sections_of
from .program import MergeSource, Step
from .windows import window_call


class Steps:
    """Makes the steps of a program, each operator's once."""

    def __init__(
        self,
        facts: Facts,
        readings: Readings,
        plain: bool,
        again: Mapping[Operator, Again],
        keeping: Collection[Window],
        recorded: Collection[Operator] = (),
        estimated: Collection[Operator] = (),
    ) -> None:
        """`again`: where rows are read again; `keeping`: the windows that keep theirs for it;
        `recorded`: the windows by count that record when rows leave; `estimated`: the groups that
        are corrected from a sample.
        """
        self._facts = facts
        self._again = again
        self._keeping = keeping
        self._recorded = recorded
        self._estimated = estimated
        self._readings = readings
        self._plain = plain
        self._listing = Listing(facts)
        self._convert = Conversions(facts, self._listing, readings, again)
        self._made: dict[tuple[str, Operator], Step] = {}
        self.merges: list[MergeSource] = []

    @property
    def all(self) -> list[Step]:
        return self._listing.steps

    def of(self, operator: Operator) -> Step:
        """The step whose output is the operator's, under the clock of the section being made."""
        at = (self._listing.section, operator)
        if at not in self._made:
            self._made[at] = self._make(operator)
        return self._made[at]

    def any_of(self, operator: Operator) -> Step:
        """A step of an operator, in whatever section."""
        return next(step for (_, each), step in self._made.items() if each == operator)

    def _make(self, operator: Operator) -> Step:
        node = known(operator)
        add = self._listing.add
        match node:
            case Scan():
                return add("s", node, self._elements(node), ())
            case Relation():
                return self._relation(node)
            case Reconstitution():
                return self._events(node)
            case Merge():
                return self._merge(node)
            case Filter():
                return add("f", node, Where(node.predicate.sql), (self.of(node.input),))
            case Project():
                columns = tuple((name, expression.sql) for name, expression in node.columns)
                return add("p", node, Select(columns), (self.of(node.input),))
            case Union():
                return add("u", node, UnionAll(), self._in_one_form(node))
            case Window() | RowsWindow() | SessionWindow():
                return self._window(node)
            case Join():
                return self._join(node)
            case SemiJoin():
                return self._semi_join(node)
            case SetOperation():
                return self._set_operation(node)
            case NrrJoin():
                return self._nrr_join(node)
            case Distinct():
                return self._distinct(node)
            case Group():
                return self._group(node)
            case Report():
                return self._report(node)
            case Sink():
                return self._deliver(node)
            case _:
                assert_never(node)

    def _elements(self, scan: Scan) -> Elements:
        ordered, net = self._facts.arrival[scan], scan.retracts and self._facts.paired[scan]
        return Elements(scan.stream.name, scan.as_arrived, ordered, net)

    def _relation(self, relation: Relation) -> Step:
        read = self._facts.needed[relation.input]
        found = tuple(name for name in names(relation.schema) if name in read)
        call = Contents(
            relation.input.stream.name,
            found,
            relation.key,
            relation.operation,
            relation.marks,
            relation.only_grows,
        )
        state = state_layout.of_contents(bool(relation.key), relation.only_grows)
        return self._listing.add("c", relation, call, (self.of(relation.input),), state)

    def _events(self, events: Reconstitution, judged: bool = True) -> Step:
        """`judged`: here, by what is remembered of the stream alone."""
        stream = events.input.stream
        told = not events.insert_only and self._facts.forms[events] == "intervals"
        call = Reconstitute(
            *(stream.name, names(events.schema), stream.elements, stream.timestamps),
            *(events.insert_only, told, judged),
        )
        state = state_layout.of_events(call)
        return self._listing.add("v", events, call, (self.of(events.input),), state)

    def _merge(self, merge: Merge) -> Step:
        """Each input is made in a section of its own, which shares no step with others."""
        outer, merging = self._listing.section, self._facts.merged[merge]
        sections = sections_of(merge, outer)
        inputs: list[Step] = []
        for (name, section), branch in zip(sections, merge.branches, strict=True):
            self._listing.section = section
            step = self._branch(branch, judges(merge, merging, name))
            inputs.append(self._convert.merged(branch, merge, step, merging.as_told))
        self._listing.section = outer
        self.merges.append(merge_source(merge, merging, outer, sections))
        tells = not merge.rows and self._facts.forms[merge] == "intervals"
        call = merged_call(merge, merging, sections, self._facts.arrival[merge], tells)
        reason = reasons.of_merge(merge, merging.variant, promised(merge, merging))
        state = state_layout.of_merge(call)
        return self._listing.add("l", merge, call, tuple(inputs), state, reason)

    def _branch(self, branch: Operator, judged_above: bool) -> Step:
        """The output of a branch of a merge, which may judge elements itself."""
        if isinstance(branch, Reconstitution) and not branch.insert_only and judged_above:
            step = self._events(branch, judged=False)
            return self._made.setdefault((self._listing.section, branch), step)
        return self.of(branch)

    def _window(self, window: Window | RowsWindow | SessionWindow) -> Step:
        step = self._convert.as_elements(window.input, self.of(window.input))
        call, state = window_call(window, self._facts, window in self._recorded)
        made = self._listing.add("w", window, call, (step,), state, form=_before_turning(call))
        if window in self._keeping:
            pattern = self._facts.patterns[window]
            return self._listing.between("o", KeepRows(), made, pattern, state_layout.BY_ENDS)
        return self._turned(window, made)

    def _join(self, join: Join) -> Step:
        if join in self._facts.currents:
            return self._join_asof(join)
        left, right = self._in_one_form(join)
        points = left.form == "points"
        sides = [self._kept(source, join, left.form) for source in join.inputs]
        call = JoinPairs(points, join.equal, _sql(join.condition))
        step = self._listing.add("j", join, call, (left, right), state_layout.of_join(sides))
        if not points:
            for source in join.inputs:
                self._readings.contents(self._again[source].archives, f"read by {step.id}")
        return step

    def _join_asof(self, join: Join) -> Step:
        steps = [self.of(source) for source in join.inputs]
        at = self._facts.currents[join]
        rows = join.inputs[1 - at]
        span = lifetime(self._facts.reaches[rows])
        call = JoinAsOf(join.equal, _sql(join.condition), span)
        sides = [self._kept(s, join, step.form) for s, step in zip(join.inputs, steps, strict=True)]
        if join in self._facts.read_off:
            sides[at] = state_layout.OF_THE_GROUP
        state = state_layout.of_join(sides)
        made = self._listing.add("j", join, call, tuple(steps), state)
        archives = self._again[rows].archives
        self._readings.contents(archives, f"read by {made.id}")
        self._readings.expiries(archives, f"expiries read by {made.id}")
        return made

    def _semi_join(self, join: SemiJoin) -> Step:
        rows, archives = self.of(join.left), self._again[join.left].archives
        right = self._convert.as_points(join.right, self.of(join.right))
        if not looks_up_matches(join, self._facts):
            rows, archives = self._convert.as_points(join.left, rows), frozenset()
        span = lifetime(self._facts.reaches[join.left]) if rows.form == "intervals" else None
        call = JoinHalf(join.equal, _sql(join.condition), join.anti, span)
        state = state_layout.of_semi_join(self._kept(join.left, join, rows.form))
        made = self._listing.add("x" if join.anti else "m", join, call, (rows, right), state)
        self._readings.contents(archives, f"read by {made.id}")
        self._readings.expiries(archives, f"expiries read by {made.id}")
        return made

    def _set_operation(self, sets: SetOperation) -> Step:
        sides = tuple(self._convert.as_points(source, self.of(source)) for source in sets.inputs)
        add = self._listing.add
        if sets.by:
            return add(
                "c", sets, ExceptBy(sets.by, placed(sets.left)), sides, state_layout.of_except_by()
            )
        return add("c", sets, CompareSets(sets.kind), sides, state_layout.of_sets())

    def _nrr_join(self, join: NrrJoin) -> Step:
        corrected = self._facts.retracting[join] and self._facts.paired[join]
        call = JoinRelation(
            join.relation.name,
            join.columns,
            join.equal,
            _sql(join.condition),
            _sql(join.at),
            join.outer,
            corrected,
        )
        step = self.of(join.input)
        state = state_layout.OF_PAIRS if corrected else state_layout.NONE
        made = self._listing.add("n", join, call, (step,), state, form=step.form)
        return self._turned(join, made)

    def _turned(self, operator: Operator, step: Step) -> Step:
        """The elements as points where the execution wants negative tuples from here on."""
        if not turns(operator, self._facts.forms):
            return step
        why = f"{reasons.of_execution(self._facts.execution)}: a negative tuple for each end"
        return self._convert.as_points(operator, step, why)

    def _distinct(self, distinct: Distinct) -> Step:
        points = self._facts.forms[distinct] == "points"
        step = self.of(distinct.input)
        if points:
            step = self._convert.as_points(distinct.input, step)
        if not points and self._facts.execution == "direct":
            return self._distinct_stored(distinct, step)
        state = state_layout.of_distinct(points)
        return self._listing.add("d", distinct, DistinctRows(points), (step,), state)

    def _distinct_stored(self, distinct: Distinct, step: Step) -> Step:
        state = state_layout.of_stored(self._kept(distinct.input, distinct, step.form))
        made = self._listing.add("d", distinct, DistinctStored(), (step,), state)
        self._readings.contents(self._again[distinct.input].archives, f"read by {made.id}")
        return made

    def _group(self, group: Group) -> Step:
        choice = choose_grouping(group, self._facts)
        source = self.of(group.input)
        if needs_points(group, self._facts):
            source = self._convert.as_points(group.input, source)
        keys = tuple((name, expression.sql) for name, expression in group.keys)
        aggregates = tuple(_aggregate(a) for a in group.aggregates)
        estimated = group in self._estimated
        contents = self._kept(group.input, group, source.form)
        state = state_layout.of_group(choice.value, contents, estimated)
        call = GroupRows(keys, aggregates, choice.value, self._beginnings(group), estimated)
        step = self._listing.add("g", group, call, (source,), state, choice.reason)
        archives = self._again[group.input].archives
        if choice.value == "contents":
            self._readings.contents(archives, f"contents read by {step.id}")
        elif choice.value == "accumulators":
            self._readings.expiries(archives, f"expiries read by {step.id}")
        return step

    def _beginnings(self, group: Group) -> tuple[str, ...] | None:
        """A query has an answer from the first element of its streams on, if only COUNT 0."""
        found = frozenset(group.streams) or self._facts.beginnings[group]
        if group.keys:
            return None
        whole = found == self._facts.streams and not self._facts.merged
        return None if whole else tuple(sorted(found))

    def _report(self, report: Report) -> Step:
        source = self.of(report.input)
        if is_identity(report, self._facts.append_only):
            return source
        source = self._convert.as_points(report.input, source)
        letter = "r" if report.kind == "rstream" else "i"
        state = state_layout.of_report(report.kind)
        return self._listing.add(letter, report, ReportRows(report.kind), (source,), state)

    def _deliver(self, sink: Sink) -> Step:
        step = self.of(sink.input)
        if not self._plain:
            step = self._convert.shown(sink, step)
        call = Deliver(
            sink.query,
            sink.format,
            sink.path,
            sink.mode,
            sink.columns,
            sink.key,
            sink.emit,
            sink.timestamps,
            sink.options,
        )
        return self._listing.add("k", sink, call, (step,))

    def _in_one_form(self, operator: Union | Join) -> tuple[Step, ...]:
        """The inputs, all of them as points unless all are intervals."""
        steps = [self.of(source) for source in operator.inputs]
        if all(step.form == "intervals" for step in steps):
            return tuple(steps)
        pairs = zip(operator.inputs, steps, strict=True)
        return tuple(self._convert.as_points(source, step) for source, step in pairs)

    def _kept(self, source: Operator, consumer: Operator, form: str) -> str:
        pattern = self._facts.taken_as(source, consumer)
        return state_layout.of_input(pattern, form, self._again[source])


def _aggregate(aggregate: Aggregate) -> AggregateCall:
    argument = aggregate.argument
    if argument is None:
        return AggregateCall(aggregate.name, aggregate.function, None, None, None)
    of = None if argument.type == UNKNOWN else argument.type
    return AggregateCall(
        aggregate.name,
        aggregate.function,
        argument.sql,
        aggregate.type,
        of,
        aggregate.parameter,
        aggregate.distinct,
    )


def _before_turning(call: Call) -> Form:
    """The form of what a window itself makes."""
    return "points" if isinstance(call, WindowRows | WindowSession) else "intervals"


def _sql(expression: Expr | None) -> str | None:
    return None if expression is None else expression.sql
