"""What each code means, in a line."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..bind.codes import CODES
from ..rewrite import OFFERS, STAGES

SYNTAX: Mapping[str, str] = MappingProxyType(
    {
        "RF1001": "a word or sign stands where none like it can",
        "RF1002": "a string or comment is not closed",
        "RF1003": "a character that CQL does not have",
        "RF1004": "the text ends within a statement",
        "RF1005": "a mistake that is known by its shape",
        "RF1006": "Spark SQL has it, CQL does not",
        "RF1010": "a soft keyword is an alias without AS",
        "RF1011": "a clause is given twice",
        "RF1012": "a number is malformed or does not fit",
        "RF1013": "a length is malformed",
        "RF1014": "a type is not one of Spark's, or malformed",
        "RF1015": "a query could mean two things, or is none",
        "RF1016": "a text is nested too deeply",
        "RF1017": "a function or pattern is written in a wrong way",
        "RF1018": "a literal of a date, a time or an interval is none",
    }
)

RUNS: Mapping[str, str] = MappingProxyType(
    {"RF4001": "an input of a merge breaks what it has declared"}
)
"""Found while a program runs."""


def titles() -> dict[str, str]:
    """Codes in their order, then rewrites in theirs."""
    rules = {rule.name: rule.paper for _, stage in STAGES for rule in stage}
    rules |= {offer.name: offer.paper for offer in OFFERS}
    return {**SYNTAX, **CODES, **RUNS, **rules}
