"""Every file of `plans/` gives the plan of its golden text, and the plan is whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from reflow.compiler.bind import bind
from reflow.compiler.plan.render import render
from reflow.compiler.plan.validate import validate
from reflow.compiler.syntax.build import read
from reflow.grammar.diagnostic import render as picture
from reflow.grammar.source import Source

FILES = sorted((Path(__file__).parent / "plans").glob("*.cql"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_gives_its_plan(path: Path, golden: Callable[[Path, str], None]) -> None:
    source = Source(path.name, path.read_text("utf-8"))
    plan, warnings = bind(source, read(source), path.stem)
    assert validate(plan) == []
    pictures = [f"{picture(source, warning)}\n" for warning in warnings]
    golden(path.with_suffix(".txt"), "\n".join([render(plan), *pictures]))
