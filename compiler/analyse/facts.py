"""All facts about a plan, beside it, keyed by operator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..plan.graph import Plan
from ..plan.operators import Operator
from .ahead import ahead
from .boundedness import Growth, growth
from .forms import Form, forms
from .keys import Key, keys
from .lattice import UpdatePattern
from .needed import Columns, needed
from .reach import Reaches, reaches, sliding
from .retractions import append_only, retracting
from .update_patterns import taken_as, update_patterns


@dataclass(frozen=True)
class Facts:
    """What the analyses found. Each mapping speaks of its key's output."""

    patterns: Mapping[Operator, UpdatePattern]
    retracting: Mapping[Operator, bool]
    append_only: Mapping[Operator, bool]
    forms: Mapping[Operator, Form]
    ahead: Mapping[Operator, bool]
    reaches: Mapping[Operator, Reaches]
    sliding: Mapping[Operator, bool]
    keys: Mapping[Operator, Key]
    growth: Mapping[Operator, Growth]
    needed: Mapping[Operator, Columns]
    readers: Mapping[Operator, int]

    def taken_as(self, source: Operator, consumer: Operator) -> UpdatePattern:
        """The pattern of the edge between two operators."""
        return taken_as(source, consumer, self.patterns)


def analyse(plan: Plan) -> Facts:
    """Run every analysis, each after those it needs."""
    patterns = update_patterns(plan)
    retracts = retracting(plan, patterns)
    form = forms(plan, patterns, retracts)
    return Facts(
        patterns=patterns,
        retracting=retracts,
        append_only=append_only(plan, patterns),
        forms=form,
        ahead=ahead(plan, form),
        reaches=reaches(plan, form, patterns),
        sliding=sliding(plan),
        keys=keys(plan),
        growth=growth(plan, patterns),
        needed=needed(plan),
        readers={operator: len(plan.consumers(operator)) for operator in plan.operators()},
    )
