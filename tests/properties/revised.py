"""Cases whose streams are corrected: the drawn rows of a seed have keys, and beside them come late
rows, repeats, replacements and deletions of every kind.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from reflow.compiler.pipeline import compile_text
from reflow.grammar.diagnostic import CqlError

from ..oracle.history import StreamSchema
from ..oracle.revisions import Correctable, Corrected
from .case import Case, CaseQuery, Form, draw_case
from .draw import Draw
from .feeding import Feed, Restart, Step, Values, drawn_value
from .scene import Stream

KEPT: Final = 15
"""How far behind rows are corrected, in units of time."""
MARKS: Final = "REVISIONS BY op (INSERT 'c', REPLACE 'u', DELETE 'd')"
_ORDER: Final = re.compile(r", ORDER BY ")


@dataclass(frozen=True)
class RevisedCase(Case):
    """A case all of whose streams have a key `id` and are corrected by rows of their own. `rows`:
    so many are kept, else as long as KEPT.
    """

    read: frozenset[str] = field(default=frozenset())
    rows: int | None = None

    def history(self) -> Corrected:
        unit = self.scene.unit
        schemas = {
            name: StreamSchema(name, {**schema.columns, "id": "BIGINT", "op": "VARCHAR"}, "ts")
            for name, schema in self.scene.stream_schemas().items()
        }
        correctable = {
            stream.name: Correctable("id", "op", stream.within * unit, KEPT * unit, self.rows)
            for stream in self.scene.streams
        }
        history = Corrected(
            schemas, self.scene.nrr_schemas(), correctable=correctable, read=self.read
        )
        feeds = [step for step in self.steps if isinstance(step, Feed)]
        for epoch, feed in enumerate(feeds, start=1):
            for nrr, contents in feed.contents.items():
                history.replace(epoch, nrr, contents)
            for stream, rows in feed.rows.items():
                history.arrive(epoch, stream, rows)
        return history


WHOLE: Final = (0, 1)


def revised_case(
    seed: int,
    form: Form,
    technique: str = "",
    rows: int | None = None,
    part: tuple[int, int] = WHOLE,
) -> RevisedCase:
    """The case of a seed, corrected by a technique of REVISE BY; `rows`: of KEEP n ROWS. `part`:
    which of so many parts of its queries are asked, that tests of one technique can share them.
    """
    return revised(draw_case(seed, form), technique, rows, part)


def revised(
    case: Case, technique: str = "", rows: int | None = None, part: tuple[int, int] = WHOLE
) -> RevisedCase:
    """The case with corrections, and those of its queries that may be asked of such streams: all
    of them where the environment names seeds, whatever the part.
    """
    number, parts = WHOLE if "REFLOW_SEED" in os.environ else part
    declared = tuple(_declared(line, rows) for line in case.declarations)
    queries = asked_by(replace(case, declarations=declared), technique).queries[number::parts]
    steps = tuple(_Corrections(Draw(-3 - case.seed), case).steps())
    read = frozenset[str]().union(*(query.oracle.streams() for query in queries))
    return RevisedCase(case.seed, case.scene, queries, steps, case.form, declared, read, rows)


def asked_by(case: Case, technique: str) -> Case:
    """The case with those of its queries that the compiler takes with REVISE BY; empty: without."""
    clause = f"REVISE BY {technique}\n" if technique else ""
    asked = (replace(query, revise=clause) for query in case.queries)
    queries = tuple(query for query in asked if _is_allowed(case.declarations, query))
    return replace(case, queries=queries)


def _declared(line: str, rows: int | None) -> str:
    """The declaration of a stream with its key and what corrects it."""
    if not line.startswith("CREATE STREAM"):
        return line
    length = f"{KEPT} SECONDS" if "TIMESTAMP" in line else str(KEPT)
    length = length if rows is None else f"{rows} ROWS"
    line = _ORDER.sub(", id BIGINT, op STRING, KEY (id), ORDER BY ", line, count=1)
    clauses = f" {MARKS} ARCHIVE KEEP {length}"
    return re.sub(r"(?= WITH STATS|;$)", clauses, line, count=1)


def _is_allowed(declared: tuple[str, ...], query: CaseQuery) -> bool:
    text = "\n".join([*declared, query.statement()]).replace("{dir}", "x")
    try:
        compile_text(text)
    except CqlError:
        return False
    return True


class _Corrections:
    """Draws what comes beside the rows of each feed."""

    def __init__(self, draw: Draw, case: Case) -> None:
        self._draw = draw
        self._case = case
        self._streams = {stream.name: stream for stream in case.scene.streams}
        self._rows: dict[str, list[Values]] = {name: [] for name in self._streams}
        self._next = 0

    def steps(self) -> Iterator[Step]:
        """The steps of the case; one more feed has nothing but corrections."""
        feeds = 0
        for step in self._case.steps:
            if not isinstance(step, Feed):
                yield step
                continue
            feeds += 1
            yield replace(step, rows={name: self._feed(name, step) for name in self._streams})
            if feeds == 2:
                yield Restart()
                empty = Feed({}, self._draw.one([1, 3]))
                yield replace(empty, rows={name: self._feed(name, empty) for name in self._streams})

    def _feed(self, name: str, feed: Feed) -> list[Values]:
        earlier = list(self._rows[name])
        rows = [self._fresh(row) for row in feed.rows.get(name, ())]
        self._rows[name] += rows
        for _ in range(self._draw.number(0, 6)):
            change = self._change(self._streams[name], earlier, rows)
            rows.insert(self._draw.number(0, len(rows)), change)
        return rows

    def _fresh(self, row: Values) -> Values:
        self._next += 1
        return {**row, "id": self._next, "op": "c"}

    def _change(self, stream: Stream, earlier: list[Values], rows: list[Values]) -> Values:
        """One row that corrects another, or comes late, or cannot be done."""
        draw, unit = self._draw, self._case.scene.unit
        known = [*earlier, *earlier, *(row for row in rows if row["op"] == "c")]
        if not known:
            return {"op": "d", "id": 10_000, "ts": draw.number(0, 9) * unit}
        of = draw.one(known)
        kind = draw.weighted([(4, "u"), (3, "d"), (2, "late"), (1, "again"), (1, "?"), (1, "no")])
        if kind == "u":
            return {**self._other(stream, of), "op": "u"}
        if kind == "late" or (kind == "again" and not earlier):
            # Not before the instant from which rows are late: such a row might be in time.
            at = max(row["ts"] for row in known) - draw.number(0, KEPT + 4) * unit
            return self._fresh({**self._other(stream, of), "ts": at})
        if kind == "again":
            # As it was, or not: what became of it in the meantime decides.
            return {**draw.one(earlier), "op": draw.one(["u", "d"])}
        if kind == "no":
            return {**of, "op": draw.one(["u", "d"]), "id": 10_000}
        return {**of, "op": "?" if kind == "?" else "d"}

    def _other(self, stream: Stream, of: Values) -> Values:
        """The row with some other values."""
        new = dict(of)
        for column, kind in stream.columns:
            if column == "ts" or self._draw.chance(0.5):
                continue
            new[column] = drawn_value(self._draw, kind)
        return new
