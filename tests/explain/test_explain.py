"""EXPLAIN's forms: what docs/explain.md promises, whatever the query."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reflow.compiler.pipeline import compile_source, compile_text, explain
from reflow.grammar.source import Source

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "tests" / "golden").glob("*.cql"))

STREAM = "CREATE STREAM s (t BIGINT, a INT, b STRING, ORDER BY t) FROM CSV 'in';\n"


def page(text: str) -> Any:
    return json.loads(explain(compile_text(STREAM + text), "json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_json_has_the_documented_fields(path: Path) -> None:
    found = json.loads(explain(compile_source(Source(path.name, path.read_text())), "json"))
    assert list(found)[:6] == ["query", "pattern", "nodes", "edges", "rewrites", "sinks"]
    ids = [node["id"] for node in found["nodes"]]
    assert len(set(ids)) == len(ids)
    for node in found["nodes"]:
        assert list(node)[:6] == ["id", "op", "pattern", "state", "reason", "detail"]
        assert all(isinstance(value, str) for value in list(node.values())[:9])
        assert bool(node["bound"]) <= (node["state"] != "none")
        assert node["state"] and node["reason"]
        assert node["pattern"] in ("MON", "WKS", "WK", "STR")
    for edge in found["edges"]:
        assert list(edge) == ["from", "to", "pattern"]
        assert ids.index(edge["from"]) < ids.index(edge["to"])
        assert edge["pattern"] in ("MON", "WKS", "WK", "STR")
    assert {sink["id"] for sink in found["sinks"]} <= set(ids)


def test_one_query_gives_its_name_several_the_files() -> None:
    one = page("CREATE QUERY q AS SELECT a FROM s INTO CONSOLE;")
    assert one["query"] == "q"
    two = page("CREATE QUERY q AS SELECT a FROM s INTO CONSOLE; SELECT b FROM s INTO MEMORY;")
    assert two["query"] == "query"
    assert [sink["query"] for sink in two["sinks"]] == ["q", "query"]


def test_a_replaced_row_is_labelled_wk_and_taken_as_str() -> None:
    found = page(
        "SELECT DISTINCT n FROM (SELECT a, COUNT(*) AS n FROM s [RANGE 5] GROUP BY a) AS g"
        " INTO CONSOLE;"
    )
    [group] = [node for node in found["nodes"] if node["op"] == "Group"]
    [edge] = [edge for edge in found["edges"] if edge["from"] == group["id"]]
    assert (group["pattern"], group["ends"], edge["pattern"]) == ("WK", "replaced(a)", "STR")


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(ValueError, match="no form 'xml'; there are tree, json, dot, mermaid"):
        explain(compile_text(STREAM + "SELECT a FROM s INTO CONSOLE;"), "xml")


def test_explain_loads_neither_spark_nor_networkx() -> None:
    code = (
        "import sys; from reflow.compiler.pipeline import explain_source;"
        "from reflow.grammar.source import Source;"
        "explain_source(Source('q.cql', sys.argv[1]));"
        "print([m for m in ('pyspark', 'networkx', 'pandas', 'numpy', 'rich') if m in sys.modules])"
    )
    text = STREAM + "SELECT a FROM s [RANGE 5] INTO CONSOLE;"
    done = subprocess.run(
        [sys.executable, "-c", code, text],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_graphs_are_well_formed(path: Path) -> None:
    """Every line has one of the few shapes that Graphviz and Mermaid read."""
    compiled = compile_source(Source(path.name, path.read_text()))
    edges = len(json.loads(explain(compiled, "json"))["edges"])
    string = r'"(?:[^"\\]|\\.)*"'
    head, *dot, foot = explain(compiled, "dot").splitlines()
    assert re.fullmatch(rf"digraph {string} {{", head)
    assert foot == "}"
    shapes = rf"  (rankdir=BT|node \[shape=box\]|\w+( -> \w+)? \[label={string}\]);"
    assert all(re.fullmatch(shapes, line) for line in dot)
    assert sum(" -> " in line.split("[")[0] for line in dot) == edges
    head, *mermaid = explain(compiled, "mermaid").splitlines()
    assert head == "flowchart BT"
    shapes = r'  (\w+\["(?:[^"<>`]|<br/>)*"\]|\w+ -->\|\w+\| \w+)'
    assert all(re.fullmatch(shapes, line) for line in mermaid)
    assert sum("-->" in line.split('"')[0] for line in mermaid) == edges
