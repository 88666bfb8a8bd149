"""Each offer gives the candidates that its fixture file shows, and none where it *does not apply*.

A fixture: `-- title:`, plan text, then after each `----` a line `# words` and the plan of a
candidate; `none` where there is no candidate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from reflow.compiler.analyse import analyse
from reflow.compiler.plan.operators import Sink
from reflow.compiler.plan.parse import parse
from reflow.compiler.plan.rebuild import substitute
from reflow.compiler.plan.render import render
from reflow.compiler.plan.validate import validate
from reflow.compiler.rewrite import OFFERS, Offer

from .texts import Fixture, fixtures

FOLDER = Path(__file__).parent / "offers"
OFFERED = {offer.name: offer for offer in OFFERS}
FIXTURES = list(fixtures(FOLDER))

Golden = Callable[[Path, str], None]


def candidates(offer: Offer, text: str) -> list[str]:
    """What the offer proposes for the operators of a plan, from the answers down."""
    plan = parse(text)
    facts = analyse(plan)
    found = []
    for operator in reversed(list(plan.operators())):
        for words, new in offer.propose(operator, facts):
            assert new.schema == operator.schema
            sinks = tuple(cast(Sink, substitute(sink, {operator: new})) for sink in plan.sinks)
            changed = replace(plan, sinks=sinks)
            assert not validate(changed)
            found.append(f"# {words}\n{render(changed)}")
    return found or ["none\n"]


@pytest.mark.parametrize("name", sorted(OFFERED))
def test_offer(name: str, golden: Golden) -> None:
    parts = []
    for fixture in FIXTURES:
        if fixture.name == name:
            before = fixture.texts[0]
            found = candidates(OFFERED[name], before)
            parts.append(f"-- title: {fixture.title}\n{before}----\n" + "----\n".join(found))
    golden(FOLDER / f"{name}.txt", "\n".join(parts))


@pytest.mark.parametrize("name", sorted(OFFERED))
def test_every_offer_has_a_fixture_where_it_does_not_apply(name: str) -> None:
    own: list[Fixture] = [fixture for fixture in FIXTURES if fixture.name == name]
    none = [f for f in own if f.texts[1].strip() == "none"]
    assert none
    assert len(none) < len(own)
    assert all(f.title.startswith("does not apply") == (f in none) for f in own)
