"""Each rule does what its fixture file shows, and nothing where it *does not apply*.

A fixture: `-- title:`, plan text, `----`, the plan text after the rule alone, or `unchanged`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reflow.compiler.plan.parse import parse
from reflow.compiler.plan.render import render
from reflow.compiler.rewrite import STAGES, Rule
from reflow.compiler.rewrite.driver import rewrite

FOLDER = Path(__file__).parent / "fixtures"
RULES = {rule.name: rule for _, rules in STAGES for rule in rules}


def fixtures() -> list[tuple[str, str, str, str]]:
    """Rule, title, text before, text after."""
    found = []
    for path in sorted(FOLDER.glob("*.txt")):
        for part in re.split(r"^-- title: ", path.read_text(encoding="utf-8"), flags=re.M)[1:]:
            title, _, body = part.partition("\n")
            before, _, after = body.partition("----\n")
            found.append((path.stem, title, before, after))
    return found


FIXTURES = fixtures()


def applied(rule: Rule, text: str) -> str:
    return render(rewrite(parse(text), [("alone", [rule])]).plan)


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [(rule, before, after) for rule, _, before, after in FIXTURES],
    ids=[f"{rule}: {title}" for rule, title, _, _ in FIXTURES],
)
def test_rule(rule: str, before: str, after: str) -> None:
    expected = before if after.strip() == "unchanged" else after
    assert applied(RULES[rule], before).strip() == expected.strip()


@pytest.mark.parametrize("rule", sorted(RULES))
def test_every_rule_has_a_fixture_where_it_does_not_apply(rule: str) -> None:
    titles = [title for name, title, _, _ in FIXTURES if name == rule]
    assert any(title.startswith("does not apply") for title in titles)
    assert any(not title.startswith("does not apply") for title in titles)
