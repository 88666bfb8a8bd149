"""The cases of `cases.json`, their expected logs, and which of them are out of reach."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..oracle.multiplicity import Changes, Row, add, canonical_row, from_changes, net
from .material import FOLDER

RELATION, COUNT, PARTITIONED = "REL", "ROWS", "PART"

# An order in T01 takes the version of its currency valid at its instant: an NRR with VERSION BY.
VERSIONED = {"T01": "R"}


@dataclass(frozen=True)
class Case:
    """One case as it is written."""

    id: str
    inputs: Mapping[str, Mapping[str, Any]]
    windows: Mapping[str, tuple[str, Sequence[Any]]]
    sql: str
    until: int
    out: str
    expect: Sequence[Any]
    every_tick: bool

    @property
    def nrr(self) -> str | None:
        """The input that is an NRR with versions, if there is one."""
        return VERSIONED.get(self.id)

    def out_of_reach(self) -> str | None:
        """Why Reflow cannot run this case yet."""
        reasons = {
            "RSTREAM is reported when the answer changes, not at every tick": self.every_tick,
        }
        found = [reason for reason, holds in reasons.items() if holds]
        return "; ".join(found) or None


def load(path: Path = FOLDER / "cases.json") -> list[Case]:
    """All cases; none where the material is absent."""
    if not path.exists():
        return []
    return [_case(written) for written in json.loads(path.read_text())]


def _case(written: Mapping[str, Any]) -> Case:
    return Case(
        id=written["id"],
        inputs=written["in"],
        windows={alias: (source, spec) for alias, (source, spec) in written["from"].items()},
        sql=written["sql"],
        until=written["until"],
        out=written.get("out", "REL"),
        expect=written["expect"],
        every_tick=written.get("every_tick", False),
    )


def expected(case: Case) -> Changes:
    """The expected log, without the row that an empty input would give before the first element."""
    if case.out != "REL":
        changes: Changes = {}
        for instant, row in case.expect:
            if instant >= _first(case):
                add(changes, canonical_row(row), instant, 1)
        return net(changes)
    listed = [(instant, weight, tuple(row)) for instant, weight, row in case.expect]
    return from_changes(_without_early_rows(case, listed))


def _without_early_rows(
    case: Case, listed: list[tuple[int, int, Row]]
) -> list[tuple[int, int, Row]]:
    for early in [change for change in listed if change[0] < _first(case)]:
        listed.remove(early)
        listed.remove(next(c for c in listed if c[1] == -early[1] and c[2] == early[2]))
    return listed


def _first(case: Case) -> int:
    return min(int(row[0]) for table in case.inputs.values() for row in table["rows"])
