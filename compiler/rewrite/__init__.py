"""Rewrites of the plan.

In: a plan. Out: a plan that means the same and costs less, with the list of rules that were
applied. A rule is one file in `rules/`, one line in `stages.py` and one fixture in the tests; an
offer, which helps only at some rates and sizes, the same in `offers/`.
"""

from .driver import Rewritten
from .offer import Candidate, Decision, Offer
from .rule import Applied, Rule, RuleError
from .stages import OFFERS, STAGES, rewrite

__all__ = [
    "OFFERS",
    "STAGES",
    "Applied",
    "Candidate",
    "Decision",
    "Offer",
    "Rewritten",
    "Rule",
    "RuleError",
    "rewrite",
]
