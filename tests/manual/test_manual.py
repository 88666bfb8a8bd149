"""Every code and every rewrite has its page, and what a page says about its examples is so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from reflow.compiler.manual import everything, known, page, shown
from reflow.compiler.manual.page import DECLARATIONS
from reflow.compiler.manual.shown import diagnostics, effect
from reflow.compiler.pipeline import compile_text
from reflow.grammar.diagnostic import Severity

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "compiler/manual/pages"
NAMES = [name for name in known() if not name.startswith("RF9")]
# What no text of queries gives: the grammar or the binder is first, or it is an error of tests.
WITHOUT_EXAMPLE = {"RF2009", "RF2012", "RF3201", "RF4001", "push_condition_below_join"}
WITHOUT_EXAMPLE |= {f"RF350{n}" for n in range(1, 9)}


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_what_its_page_says(name: str) -> None:
    found = page(name)
    if found.wrong is not None and found.right is not None:
        assert name in {each.code for each in diagnostics(found.wrong)}
        wrong = [each for each in diagnostics(found.right) if each.severity is Severity.ERROR]
        assert wrong == []
        assert name not in {each.code for each in diagnostics(found.right)}
    elif found.example is not None:
        assert compile_text(DECLARATIONS + found.example).warnings == ()
        assert effect(found)
    else:
        assert name in WITHOUT_EXAMPLE


def test_no_page_is_left_over() -> None:
    assert {path.stem for path in PAGES.iterdir()} == set(NAMES)


def test_the_book_is_in_the_documents(golden: Callable[[Path, str], None]) -> None:
    golden(ROOT / "docs/manual.md", everything())


def test_a_page_tells_what_waits() -> None:
    waiting = next(name for name in known() if name.startswith("RF9"))
    assert "not available yet" in shown(page(waiting))
