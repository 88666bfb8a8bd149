"""Rewrites of the plan.

In: a plan. Out: a plan that means the same and costs less, with the list of rules that were
applied. A rule is one file in `rules/`, one line in `stages.py` and one fixture in the tests.
"""

from .driver import Rewritten
from .rule import Applied, Rule, RuleError
from .stages import STAGES, rewrite

__all__ = ["STAGES", "Applied", "Rewritten", "Rule", "RuleError", "rewrite"]
