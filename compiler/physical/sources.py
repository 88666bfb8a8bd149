"""Streams and relations as the program declares them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from ..analyse import Facts
from ..analyse.lineage import Lineage, lineage_of
from ..plan.expressions import quoted
from ..plan.graph import Plan
from ..plan.operators import NrrDeclaration, NrrJoin, Scan, Sink, StreamDeclaration
from ..plan.schema import Schema, names
from ..plan.sections import own_operators
from .choice import Choice
from .program import QueryOutput, RelationSource, StreamSource

DAY = 86_400_000_000


def stream_sources(
    plan: Plan,
    facts: Facts,
    keep: Callable[[str], Choice[int | None]],
    drawn: Collection[str] = (),
) -> tuple[StreamSource, ...]:
    """The streams that the plan scans, in order of first use, with the columns that are read.
    `drawn`: those of which a sample is read, by place where there is no key.
    """
    needed: dict[StreamDeclaration, frozenset[str]] = {}
    ordered: set[StreamDeclaration] = set()
    revised: set[StreamDeclaration] = set()
    as_arrived: set[StreamDeclaration] = set()
    own = {each.stream for each in own_operators(plan) if isinstance(each, Scan)}
    for operator in plan.operators():
        if isinstance(operator, Scan):
            columns = needed.get(operator.stream, frozenset())
            needed[operator.stream] = columns | facts.needed[operator]
            if facts.arrival[operator] or operator.stream.name in drawn:
                ordered.add(operator.stream)
            if operator.as_arrived:
                as_arrived.add(operator.stream)
            elif operator.stream.revisable:
                revised.add(operator.stream)
    found: list[StreamSource] = []
    for stream, read in needed.items():
        source = _stream(stream, read, stream in ordered, keep(stream.name))
        source = replace(source, merged=stream not in own)
        if stream in revised:
            source = _revised(source, stream, stream in as_arrived)
        found.append(source)
    return tuple(found)


def relation_sources(plan: Plan) -> tuple[RelationSource, ...]:
    """The NRRs that the plan joins with, in order of first use."""
    used: dict[NrrDeclaration, set[str]] = {}
    for operator in plan.operators():
        if isinstance(operator, NrrJoin):
            columns = used.setdefault(operator.relation, set())
            columns |= {of for _, of in operator.columns}
    return tuple(_relation(relation, columns) for relation, columns in used.items())


def query_outputs(plan: Plan, facts: Facts) -> tuple[QueryOutput, ...]:
    """What each query is; `final_append`: what it appends could not be corrected later."""
    return tuple(
        QueryOutput(
            sink.query,
            tuple(sorted(facts.beginnings[sink])),
            sink.every,
            final_append=sink.mode == "append"
            and sink.emit != "changes"
            and (facts.retracting[sink.input] or facts.in_pieces[sink.input]),
            lineage=tuple(_lineage(sink)),
        )
        for sink in plan.sinks
    )


def ddl(schema: Schema) -> str:
    """A schema as Spark DDL text."""
    return ", ".join(f"{quoted(column.name)} {column.type}" for column in schema)


def _lineage(sink: Sink) -> Iterator[tuple[str, Lineage]]:
    """Of the streams whose late rows and revisions the query takes."""
    scans = [each for each in Plan("", (sink,)).operators() if isinstance(each, Scan)]
    kept = {
        each.stream.name
        for each in scans
        if (each.stream.kept or each.stream.kept_rows) and not each.as_arrived
    }
    if kept:
        found = lineage_of(sink)
        yield from ((name, found[name]) for name in found if name in kept)


def _stream(
    stream: StreamDeclaration, read: frozenset[str], ordered: bool, keep: Choice[int | None]
) -> StreamSource:
    written = stream.max_ahead is not None
    # Arrival times come from the clock of the machine: they are never ahead. Changes of a relation
    # that are told ahead of their time wait for it.
    ahead = stream.timestamps and stream.order is not None and not stream.relation
    ahead = ahead and not stream.elements
    default = DAY if ahead else None
    return StreamSource(
        name=stream.name,
        format=stream.format,
        path=stream.path,
        schema=ddl(stream.columns),
        columns=_columns(stream, read),
        order=stream.order,
        timestamps=stream.timestamps,
        within=stream.within,
        strict=stream.strict,
        max_ahead=stream.max_ahead if written else default,
        max_ahead_written=written,
        idle_after=stream.idle_after,
        ordered=ordered,
        keep=keep.value,
        keep_reason=keep.reason,
        options=stream.options,
        relation=stream.relation,
        envelopes=stream.envelopes,
        bucket=stream.bucket,
        in_place=stream.in_place,
        operation=stream.operation,
        marks=tuple((value, kind) for kind, value in stream.marks),
        elements=stream.elements,
    )


def _revised(source: StreamSource, stream: StreamDeclaration, as_arrived: bool) -> StreamSource:
    """The same with what a reader of its revisions needs: rows are looked up by their key, in the
    order in which they and their revisions arrived.
    """
    found = replace(
        source, kept=stream.kept, kept_rows=stream.kept_rows, read_as_arrived=as_arrived
    )
    if stream.looked_up:
        found = replace(found, key=stream.key, ordered=True)
    if source.keep is not None:
        return found
    if stream.looked_up:
        return replace(found, keep=1, keep_reason="revisions are looked up by their key")
    if stream.kept_rows is not None:
        return replace(found, keep=1, keep_reason="KEEP … ROWS: they are counted in it")
    return found


def _columns(stream: StreamDeclaration, read: frozenset[str]) -> tuple[str, ...]:
    """The columns read, in declared order; one at least, since rows without columns are no rows."""
    found = tuple(name for name in names(stream.columns) if name in read)
    if found:
        return found
    return (stream.order or stream.columns[0].name,)


def _relation(relation: NrrDeclaration, used: set[str]) -> RelationSource:
    found = tuple(name for name in names(relation.columns) if name in used)
    return RelationSource(
        name=relation.name,
        format=relation.format,
        path=relation.path,
        schema=ddl(relation.columns),
        columns=found or (relation.columns[0].name,),
        version_by=relation.version_by,
        key=relation.key,
        options=relation.options,
    )
