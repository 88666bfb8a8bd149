"""A query in the oracle's form: SQL of DuckDB over the snapshots of named inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .windows import Window

Report = Literal["istream", "dstream", "rstream"]


@dataclass(frozen=True)
class Branch:
    """A stream's rows, as SQL of DuckDB over `{}`, the stream's columns and `_number`; it gives
    `_number` first.
    """

    stream: str
    sql: str

    @classmethod
    def of(cls, stream: str, listed: str, condition: str = "TRUE") -> Branch:
        """What is listed of the rows, and under which condition."""
        return cls(stream, f"SELECT _number, {listed} FROM {{}} WHERE {condition}")


@dataclass(frozen=True)
class View:
    """A stateless view of base streams: the rows of all branches, each where it arrived; of one
    epoch those of the stream that is declared first come first.
    """

    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class Windowed:
    """A window over a stream, over a view of one, or over the stream that a query with a report
    gives.
    """

    source: str | View | Query
    window: Window


@dataclass(frozen=True)
class NrrUse:
    """A relation as the rows of one input meet it.

    It is a table with a column `_row` more; a join with it must say `relation._row = input._row`.
    """

    nrr: str
    input: str


@dataclass(frozen=True)
class Query:
    """`sql` may use the names of `inputs` and `nrrs` as tables. Inputs have a hidden `_row`.

    Without a report the result is the answer; `istream` gives the rows that enter it, by how much
    their multiplicity rises; `dstream` those that leave it; `rstream` the whole answer at each
    instant at which it changes. Reported rows stay for ever: they are a stream.
    """

    sql: str
    inputs: Mapping[str, Windowed]
    nrrs: Mapping[str, NrrUse] = field(default_factory=dict)
    report: Report | None = None

    def streams(self) -> set[str]:
        """The base streams below this query."""
        found: set[str] = set()
        for item in self.inputs.values():
            match item.source:
                case str():
                    found.add(item.source)
                case View():
                    found |= {branch.stream for branch in item.source.branches}
                case Query():
                    found |= item.source.streams()
        return found
