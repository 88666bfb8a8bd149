"""Joins with NRRs keep pairs, and scans read all columns, only where rows may be withdrawn."""

from __future__ import annotations

import pytest

from reflow.compiler.analyse import analyse
from reflow.compiler.pipeline import bind, read, rewrite
from reflow.compiler.plan.operators import NrrJoin, Scan
from reflow.grammar.source import Source

STREAM = (
    "CREATE STREAM s (t BIGINT, id BIGINT, k INT, v VARIANT, note STRING{} ORDER BY t)"
    " FROM JSON 's'"
)
NRR = "CREATE NRR n (k INT, name STRING, KEY (k)) FROM CSV 'n';\n"
QUERY = (
    "CREATE QUERY q AS SELECT n.name FROM s JOIN n ON s.k = n.k {} INTO PARQUET 'o' AS CHANGELOG;"
)


@pytest.mark.parametrize(
    ("stream", "revise", "keeps"),
    [
        (STREAM.format(", KEY (id),") + " ARCHIVE KEEP 5", "", True),
        (STREAM.format(", KEY (id),") + " ARCHIVE KEEP 5", "REVISE BY IGNORE", False),
        # Late rows alone withdraw nothing.
        (STREAM.format(",") + " ARCHIVE KEEP 5", "", False),
        (STREAM.format(", KEY (id),"), "", False),
    ],
)
def test_who_keeps_pairs(stream: str, revise: str, keeps: bool) -> None:
    source = Source("q.cql", f"{stream};\n{NRR}{QUERY.format(revise)}")
    plan, _ = bind(source, read(source), "q")
    plan = rewrite(plan).plan
    facts = analyse(plan)
    [join] = [node for node in plan.operators() if isinstance(node, NrrJoin)]
    [scan] = [node for node in plan.operators() if isinstance(node, Scan)]
    assert facts.paired[join] == facts.arrival[scan] == keeps
    # A value that nobody reads makes a row another one; those of VARIANT cannot be compared.
    assert facts.needed[scan] == (frozenset({"t", "id", "k", "note"}) if keeps else {"k"})
    assert bool(facts.bounds[join]) == keeps
