"""What a rewrite rule is, and what remains of its application."""

from __future__ import annotations

from collections.abc import Callable

from reflow.grammar.value import value

from ..analyse import Facts
from ..plan.operators import Operator
from ..plan.render import heading


@value
class Rule:
    """A rule: `apply` gives an operator that means the same as its argument, or None.

    The result has the argument's schema; if `narrows`, some columns that nobody reads may be
    missing. `paper` names the source, or the reason where there is none.
    """

    name: str
    paper: str
    apply: Callable[[Operator, Facts], Operator | None]
    narrows: bool = False


@value
class Applied:
    """One application of a rule, for EXPLAIN: an operator, with all below it, and what took its
    place.
    """

    stage: str
    rule: str
    paper: str
    replaced: Operator
    replacement: Operator

    @property
    def before(self) -> str:
        """The operator itself, as plan text."""
        return heading(self.replaced)

    @property
    def after(self) -> str:
        return heading(self.replacement)

    def __str__(self) -> str:
        return f"{self.rule}: {self.before} -> {self.after}"


class RuleError(Exception):
    """A rule broke its contract: our bug, never the user's."""
