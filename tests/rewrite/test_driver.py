"""The driver runs stages to their end and lets no rule break its contract."""

from __future__ import annotations

import pytest

from reflow.compiler.analyse import Facts
from reflow.compiler.plan.operators import Filter, Operator, Project
from reflow.compiler.plan.operators.base import Expr
from reflow.compiler.plan.parse import parse
from reflow.compiler.plan.render import render
from reflow.compiler.rewrite import Rule, RuleError, rewrite
from reflow.compiler.rewrite.driver import rewrite as run

TEXT = """\
Sink q to memory as changelog emit changes columns (a)
  Project a
    Filter a > 1
      Scan s (t BIGINT, a INT, b STRING) order t
"""

SHARED = """\
Sink q to memory as changelog emit changes columns (a)
  Project a #1
    Filter b = 'x'
      Window range 5 ticks
        Scan s (t BIGINT, a INT, b STRING) order t
Sink r to memory as changelog emit changes columns (a)
  See #1
"""


def rule(apply: object) -> Rule:
    return Rule("bad", "", apply)  # type: ignore[arg-type]


def test_a_rule_that_changes_the_schema_fails_loudly() -> None:
    def apply(operator: Operator, facts: Facts) -> Operator | None:
        if isinstance(operator, Project):
            return Project(operator.input, (("z", Expr("a", "INT")),))
        return None

    with pytest.raises(RuleError, match="bad changed the schema"):
        run(parse(TEXT), [("stage", [rule(apply)])])


def test_a_rule_that_loses_a_column_fails_loudly() -> None:
    def apply(operator: Operator, facts: Facts) -> Operator | None:
        if isinstance(operator, Filter):
            return Project(operator.input, (("b", Expr("b", "STRING")),))
        return None

    narrowing = Rule("bad", "", apply, narrows=True)
    with pytest.raises(RuleError, match="left a broken plan: Project a reads a"):
        run(parse(TEXT), [("stage", [narrowing])])


def test_a_rule_that_goes_in_circles_fails_loudly() -> None:
    flips = {"a > 1": "1 < a", "1 < a": "a > 1"}

    def apply(operator: Operator, facts: Facts) -> Operator | None:
        if isinstance(operator, Filter):
            return Filter(operator.input, Expr(flips[operator.predicate.sql], "BOOLEAN"))
        return None

    with pytest.raises(RuleError, match="comes back to a plan"):
        run(parse(TEXT), [("stage", [rule(apply)])])


def test_a_rule_without_end_fails_loudly() -> None:
    def apply(operator: Operator, facts: Facts) -> Operator | None:
        if isinstance(operator, Filter):
            return Filter(operator.input, Expr(f"{operator.predicate.sql} + 1", "BOOLEAN"))
        return None

    with pytest.raises(RuleError, match="does not come to an end"):
        run(parse(TEXT), [("stage", [rule(apply)])])


def test_shared_parts_stay_shared() -> None:
    result = render(rewrite(parse(SHARED)).plan)
    assert result.count("Scan") == 1
    assert "See #1" in result


def test_what_was_applied_is_told_in_order() -> None:
    result = rewrite(parse(SHARED))
    assert [(a.stage, a.rule) for a in result.applied] == [
        ("filters down", "push_filter_below_window")
    ]
    assert "push_filter_below_window" in result.seconds
