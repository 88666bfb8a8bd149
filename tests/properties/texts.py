"""A part of a query in both forms: Reflow's CQL, and SQL for the oracle."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..oracle.query import NrrUse, Windowed


@dataclass(frozen=True)
class Column:
    """A column, with the text that names it; `meant` says it to the oracle where the languages
    differ.

    Kinds: int, text, real (exact quarters), approx (a quotient: not to be compared for equality),
    time.
    """

    name: str
    kind: str
    meant: str = ""

    def of(self, alias: str) -> Column:
        return Column(f"{alias}.{self.name}", self.kind)


@dataclass(frozen=True)
class Texts:
    """A query, or what stands in FROM without its alias.

    `base`: a base stream with its window and nothing else, so that its rows can meet an NRR.
    `points`: an aggregate or a report lies below.
    """

    cql: str
    sql: str
    columns: tuple[Column, ...]
    inputs: Mapping[str, Windowed] = field(default_factory=dict)
    nrrs: Mapping[str, NrrUse] = field(default_factory=dict)
    base: bool = False
    points: bool = False

    def over(self, *below: Texts, points: bool = False) -> Texts:
        """The same texts with the inputs of what lies below."""
        inputs: dict[str, Windowed] = dict(self.inputs)
        nrrs: dict[str, NrrUse] = dict(self.nrrs)
        for part in below:
            inputs |= part.inputs
            nrrs |= part.nrrs
        points = points or self.points or any(part.points for part in below)
        return replace(self, inputs=inputs, nrrs=nrrs, points=points)


def oracle_text(expression: str) -> str:
    """An expression of CQL as DuckDB says it."""
    return expression.replace(" DIV ", " // ")


def told(text: str, columns: Sequence[Column]) -> str:
    """`oracle_text` of a text that may name these columns."""
    meant = {column.name: column.meant for column in columns if column.meant}
    if not meant:
        return oracle_text(text)
    # The longest first: `FIRST(v)` begins `FIRST(v) FILTER (…)`.
    names = sorted(meant, key=len, reverse=True)
    parts = re.split(f"({'|'.join(map(re.escape, names))})", text)
    return "".join(meant.get(part) or oracle_text(part) for part in parts)
