"""The walls of the house: who may import whom."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WINGS = ("grammar", "compiler", "runtime")

# Folders of the compiler from the ground up: each imports only those before it.
FLOORS = ("syntax", "plan", "bind", "analyse", "cost", "rewrite", "physical", "emit", "explain")

# Folders of the runtime likewise.
STOREYS = ("elements", "ledger", "connect", "state", "archive", "deltas", "epoch", "run")


def modules(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def absolute(path: Path) -> Iterator[str]:
    """Every module that a file imports, by its full name (`reflow.…` for our own)."""
    inside = path.relative_to(ROOT).with_suffix("").parts
    package = inside[:-1]
    if package[0] in WINGS:
        package = ("reflow", *package)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            name = ".".join([*base, *([node.module] if node.module else [])])
            yield name
            yield from (f"{name}.{alias.name}" for alias in node.names)


def within(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def crossing(folder: str, *packages: str) -> list[str]:
    """The imports of a folder's files that lie within the packages."""
    return [
        f"{path.relative_to(ROOT)}: {name}"
        for path in modules(folder)
        for name in absolute(path)
        if within(name, *packages)
    ]


@pytest.mark.parametrize("folder", [*WINGS, "reflow/cli", "tests", "examples", "benchmarks"])
def test_nobody_imports_a_wing_by_its_bare_name(folder: str) -> None:
    assert crossing(folder, *WINGS) == []


def test_the_grammar_knows_nobody() -> None:
    others = [f"reflow.{wing}" for wing in ("compiler", "runtime", "cli")]
    assert crossing("grammar", *others, "pyspark", "sqlglot", "networkx") == []


def test_the_compiler_knows_only_the_grammar() -> None:
    assert crossing("compiler", "reflow.runtime", "reflow.cli", "pyspark") == []


def test_the_runtime_knows_nobody_of_ours() -> None:
    others = ("reflow.compiler", "reflow.grammar", "reflow.cli")
    assert crossing("runtime", *others, "lark", "sqlglot") == []


def test_the_runtime_has_no_way_up() -> None:
    wrong = []
    for i, folder in enumerate(STOREYS):
        above = [f"reflow.runtime.{name}" for name in (*STOREYS[i + 1 :], "program")]
        wrong += crossing(f"runtime/{folder}", *above)
    assert wrong == []


def test_an_operator_knows_neither_the_epoch_nor_where_things_are_kept() -> None:
    others = ("epoch", "run", "state", "archive", "ledger")
    assert crossing("runtime/deltas", *[f"reflow.runtime.{name}" for name in others]) == []


def test_the_compiler_has_no_way_up() -> None:
    wrong = []
    for i, folder in enumerate(FLOORS):
        above = [f"reflow.compiler.{name}" for name in (*FLOORS[i + 1 :], "pipeline")]
        wrong += crossing(f"compiler/{folder}", *above)
    assert wrong == []


def test_no_stage_knows_of_cases() -> None:
    stages = [f"compiler/{folder}" for folder in FLOORS]
    assert [line for stage in stages for line in crossing(stage, "reflow.compiler.cases")] == []
    assert "cases" not in (ROOT / "compiler" / "pipeline.py").read_text("utf-8")


def test_binding_and_emission_read_no_facts() -> None:
    assert crossing("compiler/bind", "reflow.compiler.analyse") == []
    assert crossing("compiler/emit", "reflow.compiler.analyse") == []


def test_rules_know_neither_each_other_nor_costs() -> None:
    rules = "reflow.compiler.rewrite.rules"
    assert crossing("compiler/rewrite/rules", rules, "reflow.compiler.cost") == []


def test_offers_know_neither_each_other_nor_costs() -> None:
    others = ("rewrite.offers", "rewrite.rules", "rewrite.explore", "cost")
    names = [f"reflow.compiler.{name}" for name in others]
    assert crossing("compiler/rewrite/offers", *names) == []


def test_only_the_graph_touches_networkx() -> None:
    assert {line.split(":")[0] for line in crossing("compiler", "networkx")} == {
        "compiler/plan/graph.py"
    }


def test_the_oracle_never_imports_what_it_judges() -> None:
    assert crossing("tests/oracle", "reflow") == []
