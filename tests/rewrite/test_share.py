"""Parts that are the same but for names become one; parts that differ stay two.

A fixture: `-- title:`, plan text, `----`, the plan after sharing, or `unchanged`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from reflow.compiler.pipeline import compile_text
from reflow.compiler.plan.operators import Distinct, Group, Join
from reflow.compiler.plan.parse import parse
from reflow.compiler.plan.render import render
from reflow.compiler.rewrite.share import share

from .texts import Fixture, fixtures

FIXTURES = list(fixtures(Path(__file__).parent / "shared"))

STREAMS = """
CREATE STREAM link1 (ts BIGINT, src STRING, protocol STRING, ORDER BY ts) FROM CSV 'data/link1/';
CREATE STREAM link2 (ts BIGINT, src STRING, protocol STRING, ORDER BY ts) FROM CSV 'data/link2/';
"""


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.title)
def test_share(fixture: Fixture) -> None:
    before, after = fixture.texts
    plan, applied = share(parse(before))
    expected = before if after.strip() == "unchanged" else after
    assert render(plan) == render(parse(expected))
    assert bool(applied) == (after.strip() != "unchanged")


def test_queries_that_differ_in_aliases_share_their_join_and_group() -> None:
    compiled = compile_text(
        STREAMS
        + """
        CREATE QUERY one AS SELECT a.src, COUNT(*) AS n FROM link1 [RANGE 20] AS a
        JOIN link2 [RANGE 20] AS b ON a.src = b.src WHERE b.protocol = 'ftp' AND a.protocol = 'ftp'
        GROUP BY a.src INTO LOG 'one';
        CREATE QUERY two AS SELECT COUNT(*) AS many, x.src AS source FROM link1 [RANGE 20] AS x
        JOIN link2 [RANGE 20] AS yy ON yy.src = x.src
        WHERE x.protocol = 'ftp' AND yy.protocol = 'ftp' GROUP BY x.src INTO LOG 'two';
        """
    )
    kinds = [type(operator) for operator in compiled.plan.operators()]
    assert kinds.count(Join) == 1
    assert kinds.count(Group) == 1
    assert [sink.columns for sink in compiled.plan.sinks] == [("src", "n"), ("many", "source")]
    assert [c.name for c in compiled.plan.sinks[1].schema] == ["many", "source"]


def test_the_two_sides_of_a_self_join_share_what_they_keep() -> None:
    compiled = compile_text(
        STREAMS
        + """
        SELECT a.src, b.src AS other FROM (SELECT DISTINCT src FROM link1 [RANGE 20]) AS a
        JOIN (SELECT DISTINCT src AS src FROM link1 [RANGE 20]) AS b ON a.src < b.src
        INTO LOG 'q';
        """
    )
    kinds = [type(operator) for operator in compiled.plan.operators()]
    assert kinds.count(Distinct) == 1
