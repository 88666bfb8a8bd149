"""Plan text is read back as the plan that it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from reflow.compiler.plan.parse import parse
from reflow.compiler.plan.render import render
from reflow.compiler.plan.validate import validate

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.plan"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_there_and_back(path: Path) -> None:
    for text in path.read_text(encoding="utf-8").split("----\n"):
        plan = parse(text)
        assert render(plan) == text
        assert validate(plan) == []


def test_a_broken_plan_is_told() -> None:
    plan = parse(
        "Sink q to memory as changelog emit changes columns (a)\n"
        "  Filter z > 1\n"
        "    Scan s (t BIGINT, a INT) order t\n"
    )
    assert validate(plan) == ["Filter z > 1 reads z, which is not there"]


def test_text_that_is_no_plan() -> None:
    with pytest.raises(ValueError, match="not an operator: Banana split"):
        parse("Banana split")
    with pytest.raises(ValueError, match="must be a Sink"):
        parse("Scan s (t BIGINT) order t")
