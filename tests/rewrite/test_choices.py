"""The plan that is chosen depends on rates and sizes, and on nothing else.

A fixture: `-- title:`, plan text, `----`, the plan after all rewrites.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from reflow.compiler.plan.parse import parse
from reflow.compiler.plan.render import render
from reflow.compiler.rewrite import OFFERS, Decision, rewrite

from .texts import fixtures

FOLDER = Path(__file__).parent / "choices"
FILES = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_chosen_plan(path: Path, golden: Callable[[Path, str], None]) -> None:
    parts = []
    for fixture in fixtures(FOLDER):
        if fixture.name == path.stem:
            before = fixture.texts[0]
            result = rewrite(parse(before))
            shown = [f"# {d.rule}: {_shown(d)}" for d in result.decisions]
            text = "\n".join([*shown, render(result.plan)])
            parts.append(f"-- title: {fixture.title}\n{before}----\n{text}")
    golden(path, "\n".join(parts))


def _shown(decision: Decision) -> str:
    return "; ".join(f"{'* ' if c.chosen else ''}{c.what}" for c in decision.candidates)


def test_every_offer_has_choices() -> None:
    assert {path.stem for path in FILES} == {offer.name for offer in OFFERS}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_offer_is_taken_here_and_left_there(path: Path) -> None:
    taken = set()
    for fixture in fixtures(FOLDER):
        if fixture.name == path.stem:
            decisions = rewrite(parse(fixture.texts[0])).decisions
            taken |= {d.changed for d in decisions if d.rule == path.stem}
    assert taken == {True, False}


def test_the_chosen_candidate_is_the_cheapest() -> None:
    for fixture in fixtures(FOLDER):
        for decision in rewrite(parse(fixture.texts[0])).decisions:
            (chosen,) = [c for c in decision.candidates if c.chosen]
            if decision.changed:
                assert chosen.cost < decision.candidates[0].cost


def test_after_the_choices_no_choice_is_left() -> None:
    for fixture in fixtures(FOLDER):
        once = rewrite(parse(fixture.texts[0]))
        again = rewrite(once.plan)
        assert not any(d.changed for d in again.decisions)
        assert again.plan == once.plan
