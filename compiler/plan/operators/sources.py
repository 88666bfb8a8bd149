"""Base streams, retroactive and non-retroactive relations."""

from __future__ import annotations

from typing import Literal

from reflow.grammar.value import value

from ..schema import Column, Schema
from .base import Operator

Operation = Literal["insert", "replace", "delete"]


@value
class StreamDeclaration:
    """A base stream as declared. Lengths are microseconds for TIMESTAMP order fields, ticks for
    BIGINT.

    `order` is None for ORDER BY ARRIVAL or when there is no ORDER BY (then arrival time is the
    order). `options` and `statistics` are sorted pairs, so that equal declarations are equal
    values. `relation`: it is the log of a relation, which moves the clock only where there is no
    stream; without an order its changes are at the epoch's `now`. `envelopes`: Debezium's. `kept`:
    how far behind `complete` rows are still corrected (ARCHIVE KEEP); None: not at all. `kept_rows`
    (KEEP n ROWS): as far back as the archive's youngest rows reach, instead; `kept` is 0 then.
    `operation` is the column that says what a row of the stream does, `marks` which of its values
    says what, sorted; None: every row is inserted. `elements`: the rows are elements of a physical
    stream (LMERGE), and these columns are their kind, `vs`, `ve` and the `ve` that was; `order` is
    the second of them.
    """

    name: str
    columns: Schema
    format: str
    path: str | None
    options: tuple[tuple[str, str], ...]
    order: str | None
    timestamps: bool
    within: int
    strict: bool
    key: tuple[str, ...]
    idle_after: int | None
    max_ahead: int | None
    guarantees: frozenset[str] = frozenset()
    statistics: tuple[tuple[str, float], ...] = ()
    relation: bool = False
    envelopes: bool = False
    kept: int | None = None
    kept_rows: int | None = None
    bucket: int | None = None
    in_place: bool = False
    operation: str | None = None
    marks: tuple[tuple[Operation, str], ...] = ()
    elements: tuple[str, ...] = ()

    @property
    def revisable(self) -> bool:
        """Whether what has been said about its rows may change later (REPLAY 3)."""
        return bool(self.marks) or self.kept is not None

    @property
    def looked_up(self) -> bool:
        """Whether a row may replace or delete an earlier one, which is found by its key."""
        return bool(self.marks) or (self.kept is not None and bool(self.key))


@value
class NrrDeclaration:
    """A non-retroactive relation (UPA 4.1) as declared; `version_by` names its event-time
    column."""

    name: str
    columns: Schema
    format: str
    path: str | None
    options: tuple[tuple[str, str], ...]
    key: tuple[str, ...]
    version_by: str | None
    statistics: tuple[tuple[str, float], ...] = ()


@value
class Scan(Operator):
    """The elements of a base stream: each row valid from its order value on, for ever.

    `as_arrived`: rows that come late, and what replaces or deletes others, are left out (REVISE BY
    IGNORE and ARCHIVE).
    """

    stream: StreamDeclaration
    as_arrived: bool = False

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return ()

    @property
    def schema(self) -> Schema:
        hidden = self.stream.operation
        return tuple(column for column in self.stream.columns if column.name != hidden)

    @property
    def retracts(self) -> bool:
        """Whether elements may be withdrawn: revised by a row of the same key (REPLAY 3)."""
        return self.stream.looked_up and not self.as_arrived

    @property
    def within(self) -> int | None:
        """How far behind the largest order value seen an element may come; None: nobody knows."""
        if self.stream.elements:
            return None
        if self.as_arrived:
            return self.stream.within
        if self.stream.kept_rows is not None:
            return None
        return self.stream.within + (self.stream.kept or 0)


@value
class Relation(Operator):
    """The contents of a retroactive relation, made of the log that tells its changes (UPA 4.1).

    `key`: a row replaces the one of the same key; without it rows are only added, and whole rows
    withdrawn. `operation` is the log's column that says what is done, `marks` which of its values
    says what, sorted; None: every row is inserted. The columns of order and operation tell when and
    how the contents change: they are no part of them.
    """

    input: Scan
    key: tuple[str, ...] = ()
    operation: str | None = None
    marks: tuple[tuple[Operation, str], ...] = ()

    def __post_init__(self) -> None:
        kinds = {kind for kind, _ in self.marks}
        if (self.operation is None) != (not self.marks):
            raise ValueError("a column of operations needs their marks, and the other way round")
        if "replace" in kinds and not self.key:
            raise ValueError("rows are replaced by their key")

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.input,)

    @property
    def schema(self) -> Schema:
        hidden = {self.input.stream.order, self.operation}
        return tuple(column for column in self.input.schema if column.name not in hidden)

    @property
    def only_grows(self) -> bool:
        """No row ever leaves."""
        return not self.key and all(kind == "insert" for kind, _ in self.marks)


@value
class Reconstitution(Operator):
    """The events that the elements of a physical stream tell: inserts, and adjusts of their ends
    (LMERGE III). Lifetimes are the events' own. What says so is no column of the rows.
    """

    input: Scan

    def __post_init__(self) -> None:
        if len(self.input.stream.elements) != 4:
            raise ValueError("events are made of a stream of elements")

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.input,)

    @property
    def schema(self) -> Schema:
        hidden = self.input.stream.elements
        return tuple(column for column in self.input.schema if column.name not in hidden)

    @property
    def insert_only(self) -> bool:
        """Every event comes with its end, which nothing changes."""
        return "insert only" in self.input.stream.guarantees


__all__ = [
    "Column",
    "NrrDeclaration",
    "Operation",
    "Reconstitution",
    "Relation",
    "Scan",
    "StreamDeclaration",
]
