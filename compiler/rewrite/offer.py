"""What an offer of candidates is, and what remains of the choice among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from reflow.grammar.value import value

from ..analyse import Facts
from ..plan.operators import Operator

Proposal = tuple[str, Operator]


@value
class Offer:
    """A rule whose result is not always better: `propose` gives operators that mean the same as
    its argument and have its schema, each with a few words for people; the cost model chooses.

    `paper` names the source, or the reason where there is none.
    """

    name: str
    paper: str
    propose: Callable[[Operator, Facts], Iterable[Proposal]]


@value
class Candidate:
    """One of the plans considered, with the cost of the whole program under it."""

    what: str
    cost: float
    chosen: bool


@value
class Decision:
    """A choice by cost. The first candidate is the plan as it stood."""

    rule: str
    paper: str
    operator: str
    candidates: tuple[Candidate, ...]

    @property
    def changed(self) -> bool:
        return not self.candidates[0].chosen
