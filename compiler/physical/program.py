"""The physical plan: what emission writes and EXPLAIN shows."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from reflow.grammar.value import value

from ..analyse.lineage import Lineage
from ..analyse.replays import Replay
from ..analyse.stream_properties import Properties
from ..cost import Figure, Work
from ..plan.settings import Execution, Expiration
from ..rewrite import Decision
from .calls import Call

FOR_EVER = -1


@value
class Step:
    """One statement of the program.

    `id` is a letter for the kind and the step's number in topological order; `inputs` are ids.
    `pattern` is the label of the output's update pattern, `taken` the label as which each input is
    taken. `ends` says how the end of a row becomes known. `state` is what the step keeps between
    epochs and `bound` what that is as large as, `reason` why the step is as it is, `detail` the
    meaning for people. `key`, `properties` and `differs` (why it may come out differently from the
    same input) are those of an operator's output. `shared`: several steps read it, and it would be
    computed for each of them. `computed`: at once, since much builds on what it builds on.
    `section`: the input of a merge under whose clock it runs; empty: that of the program.
    """

    id: str
    op: str
    call: Call
    inputs: tuple[str, ...]
    form: Literal["intervals", "points"]
    pattern: str
    ends: str
    taken: tuple[str, ...]
    state: str
    reason: str
    detail: str
    bound: str = ""
    key: tuple[str, ...] | None = None
    properties: Properties | None = None
    differs: tuple[str, ...] = ()
    shared: bool = False
    computed: bool = False
    section: str = ""


@value
class StreamSource:
    """A base stream as the program declares it; lengths in microseconds or ticks.

    `ordered`: some step asks for the order of arrival. `keep` is how far back behind `complete` the
    archive is read: None for no archive, FOR_EVER for all. `relation`: it is the log of one.
    `bucket`: rows up to which its archive lays small epochs together, None: as the engine likes.
    `in_place`: the archive names the files of the source, of which nothing is copied.
    `read_as_arrived`: some step reads it so, though others read its corrections.
    `kept`: how far behind `complete` rows are corrected, None where none are; `kept_rows`: as far
    as so many of the youngest rows reach; `looked_up`: by their `key`, as `marks` (value -> what is
    done) of the column `operation` say. `elements`: the columns that make its rows elements.
    `merged`: only inputs of merges read it, whose clocks it moves instead of the program's.
    `skips`: (path of a merge, length): rows that lie before its frontier less the length are
    passed over (FEEDBACK). `heeds`: (query, length), the same for what the readers of the query's
    elements say that they have merged.
    """

    name: str
    format: str
    path: str | None
    schema: str
    columns: tuple[str, ...]
    order: str | None
    timestamps: bool
    within: int
    strict: bool
    max_ahead: int | None
    max_ahead_written: bool
    idle_after: int | None
    ordered: bool
    keep: int | None
    keep_reason: str
    options: tuple[tuple[str, str], ...]
    relation: bool = False
    envelopes: bool = False
    kept: int | None = None
    kept_rows: int | None = None
    bucket: int | None = None
    in_place: bool = False
    read_as_arrived: bool = False
    key: tuple[str, ...] = ()
    operation: str | None = None
    marks: tuple[tuple[str, str], ...] = ()
    elements: tuple[str, ...] = ()
    merged: bool = False
    skips: tuple[tuple[str, int], ...] = ()
    heeds: tuple[tuple[str, int], ...] = ()


@value
class MergeSource:
    """A merge as the program declares it. `section`: the one in which it is read, empty: the
    program. `inputs`: the section of each input, with the streams, and merges within it, that move
    its clock. `lag`: how far the merged stable stays behind, in microseconds or ticks. `held`: its
    policy holds it back further, as the rows say. `promised`: section -> what its input declares
    and the algorithm needs, which is checked while it runs.
    """

    name: str
    section: str
    inputs: tuple[tuple[str, tuple[str, ...]], ...]
    lag: int
    held: bool = False
    promised: tuple[tuple[str, str], ...] = ()


@value
class RelationSource:
    name: str
    format: str
    path: str | None
    schema: str
    columns: tuple[str, ...]
    version_by: str | None
    key: tuple[str, ...]
    options: tuple[tuple[str, str], ...]


@value
class QueryOutput:
    """A query's name, the streams it reads, its trigger, and whether it appends rows that are
    final. `lineage` is that of each stream with KEEP that corrects it, by name.
    """

    name: str
    streams: tuple[str, ...]
    every: int | None
    final_append: bool
    lineage: tuple[tuple[str, Lineage], ...] = ()


@value
class Estimate:
    """Of a step, per unit of time: rows that come in and go out, rows of its output that leave
    early, and its work. `live` rows of its output are valid at an instant.
    """

    step: str
    op: str
    rows_in: float
    rows_out: float
    live: float
    early: float
    work: Work


@value
class Known:
    """A figure about a stream or relation."""

    source: str
    name: str
    figure: Figure


@value
class PhysicalPlan:
    """A whole program. `plain`: plain Structured Streaming, without epochs, for the reason
    given. `timestamps`: a unit of time of the estimates is a second, else a tick.
    `fail_on_anomaly`: the run ends at a correction that cannot be made. `degrades`: a merge of
    which an input breaks its promise goes on by another algorithm, else the run ends. `defers`:
    corrections wait for an epoch without arrivals. `replay`: they are made from slices of the
    archives, else from state.
    """

    name: str
    fingerprint: str
    timezone: str
    settings: tuple[tuple[str, str], ...]
    streams: tuple[StreamSource, ...]
    relations: tuple[RelationSource, ...]
    queries: tuple[QueryOutput, ...]
    steps: tuple[Step, ...]
    plain: bool
    plain_reason: str
    expiration: Expiration = field(default_factory=Expiration)
    estimates: tuple[Estimate, ...] = ()
    figures: tuple[Known, ...] = ()
    choices: tuple[Decision, ...] = ()
    timestamps: bool = True
    execution: Execution = "upa"
    fail_on_anomaly: bool = False
    degrades: bool = False
    defers: bool = False
    replay: Replay | None = None
    merges: tuple[MergeSource, ...] = ()
