"""INSERT INTO and DELETE FROM in a test: rows of a stream or of an NRR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reflow.compiler.syntax import nodes
from reflow.grammar.value import value

from ..plan.operators import (
    NrrDeclaration,
    Reconstitution,
    Relation,
    Scan,
    StreamDeclaration,
)
from ..plan.schema import Column
from . import steps
from .catalog import Context, Entry
from .findings import Findings
from .names import lookup, meant, one_of
from .values import Values

Declaration = StreamDeclaration | NrrDeclaration


def source_of(entry: Entry) -> Declaration | None:
    """The declaration of a stream, of the log of a relation or of an NRR; None for queries, views
    and what is broken.
    """
    if entry.relation is not None:
        return entry.relation
    operator = entry.answer.operator
    if isinstance(operator, Relation | Reconstitution):
        operator = operator.input
    if entry.answer.broken or not isinstance(operator, Scan):
        return None
    return operator.stream if operator.stream.name == entry.name else None


@value
class TrialRows:
    """Binds the rows of one case."""

    context: Context

    @property
    def findings(self) -> Findings:
        return self.context.findings

    def insert(self, statement: nodes.InsertRows, at: int | None) -> steps.Insert | None:
        """`at` is the instant of AT, bound."""
        table = self._table(statement.name, "inserted")
        if table is None:
            return None
        order = table.order if isinstance(table, StreamDeclaration) else None
        if statement.at is not None and isinstance(table, NrrDeclaration):
            message = "AT has no meaning on an NRR: its rows are there from now on"
            self.findings.error("RF3005", message, statement.at.span)
        if statement.at is not None and order is None and _is_log(table):
            message = "AT has no meaning here: a change of this relation is at the `now` it meets"
            wanted = "ORDER BY in the relation, or no AT"
            self.findings.error("RF3005", message, statement.at.span, wanted)
            return None
        given = self._given(statement, table, order)
        if given is None:
            return None
        constants = {}
        if statement.at is not None and order is not None:
            constants[order] = _written(at or 0, _named(order, table))
        rows = tuple(self._row(row, table, given, constants) for row in statement.rows)
        arrival = at if order is None else None
        return steps.Insert(table.name, rows, arrival, statement.span)

    def delete(self, statement: nodes.DeleteRows) -> steps.Delete | None:
        table = self._table(statement.name, "deleted")
        if table is None:
            return None
        if _is_log(table):
            message = f"`{table.name}` is a relation: its log says what is deleted"
            self.findings.error("RF3507", message, statement.name.span, "INSERT of such a change")
            return None
        if isinstance(table, StreamDeclaration):
            message = f"`{table.name}` is a stream: its rows stay"
            self.findings.error("RF3507", message, statement.name.span, "an NRR")
            return None
        listed = self._columns(statement.columns, table.columns)
        if len(listed) < len(statement.columns):
            return None
        listed = listed or table.columns
        values = Values(self.findings)
        whose = f"`{table.name}`" if not statement.columns else "the list"
        rows = tuple(values.row(row, listed, whose) for row in statement.rows)
        positions = tuple(table.columns.index(column) for column in listed)
        return steps.Delete(table.name, positions, rows, statement.span)

    def _table(self, name: nodes.Name, done: str) -> Declaration | None:
        """The stream or NRR of a name; None, with an error where it is something else."""
        entry = self.context.entry(name.text, name.span)
        if entry is None:
            return None
        found = source_of(entry)
        if found is None and not entry.answer.broken:
            message = f"`{entry.name}` is a query or a view: nothing is {done} there"
            self.findings.error("RF3507", message, name.span, "a stream or an NRR")
        return found

    def _given(
        self, statement: nodes.InsertRows, table: Declaration, order: str | None
    ) -> tuple[Column, ...] | None:
        """The columns that a row gives values of: those listed, else all; AT gives the order. None,
        with an error, if the list is wrong."""
        timed = statement.at is not None and order is not None
        if not statement.columns:
            return tuple(c for c in table.columns if not (timed and c.name == order))
        found = self._columns(statement.columns, table.columns)
        if len(found) < len(statement.columns):
            return None
        if order is None or (order in {column.name for column in found}) != timed:
            return found
        if timed:
            message = f"the rows have `{order}` twice: in the list and by AT"
            self.findings.error("RF3503", message, statement.name.span)
        else:
            message = f"these rows have no `{order}`, which orders the stream"
            wanted = f"`{order}` in the list, or AT and an instant behind the rows"
            self.findings.error("RF3503", message, statement.name.span, wanted)
        return None

    def _columns(
        self, named: Sequence[nodes.Name], columns: tuple[Column, ...]
    ) -> tuple[Column, ...]:
        found: list[Column] = []
        known = tuple(column.name for column in columns)
        for name in named:
            column = lookup(name.text, columns, lambda c: c.name).only
            if column is None:
                message = f"there is no column `{name.text}`"
                hint = meant(name.text, known)
                self.findings.error("RF2005", message, name.span, one_of(known), hint)
            elif column in found:
                self.findings.error("RF2008", f"the column `{name.text}` is named twice", name.span)
            else:
                found.append(column)
        return tuple(found)

    def _row(
        self,
        row: nodes.ValueRow,
        table: Declaration,
        given: tuple[Column, ...],
        constants: Mapping[str, str],
    ) -> tuple[str, ...]:
        """A row of all columns: the values given, what AT says, NULL for the rest."""
        whose = f"`{table.name}`" if given == table.columns else "this list"
        values = Values(self.findings).row(row, given, whose)
        by_name = {
            **dict(zip((column.name for column in given), values, strict=False)),
            **constants,
        }
        return tuple(
            by_name.get(column.name, f"CAST(NULL AS {column.type})") for column in table.columns
        )


def _is_log(table: Declaration) -> bool:
    return isinstance(table, StreamDeclaration) and table.relation


def _named(name: str, table: Declaration) -> Column:
    return next(column for column in table.columns if column.name == name)


def _written(instant: int, column: Column) -> str:
    """An order value as a value of its column."""
    whole = f"{instant}L" if instant != -(1 << 63) else f"({instant + 1}L - 1L)"
    value = f"timestamp_micros({whole})" if column.type.startswith("TIMESTAMP") else whole
    return f"CAST({value} AS {column.type})"
