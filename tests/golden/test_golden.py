"""Every file here gives the plan, the explanations and the program that stand beside it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from reflow.compiler.pipeline import Compiled, compile_source, explain
from reflow.compiler.plan.render import render
from reflow.grammar.source import Source

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob("*.cql"))

Golden = Callable[[Path, str], None]


@cache
def compiled(path: Path) -> Compiled:
    return compile_source(Source(path.name, path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_plan(path: Path, golden: Golden) -> None:
    result = compiled(path)
    text = f"{render(result.bound)}----\n{render(result.plan)}"
    golden(path.with_suffix(".plan"), text)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_program(path: Path, golden: Golden) -> None:
    golden(path.with_suffix(".py"), compiled(path).program_text)


@pytest.mark.parametrize(
    ("form", "suffix"),
    [("tree", ".explain"), ("json", ".json"), ("dot", ".dot"), ("mermaid", ".mmd")],
)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_explanation(path: Path, form: str, suffix: str, golden: Golden) -> None:
    golden(path.with_suffix(suffix), explain(compiled(path), form))
