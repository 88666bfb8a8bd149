"""EXPLAIN: what the compiler made of a file and why.

In: a physical plan, the rewrites that were applied, the warnings, the choices by cost. Out: a page
of text, in one of five forms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..physical import PhysicalPlan
from ..rewrite import Applied, Decision
from .as_dot import as_dot
from .as_json import as_json
from .as_mermaid import as_mermaid
from .as_tree import as_tree


def _as_html(
    plan: PhysicalPlan,
    rewrites: Sequence[Applied],
    warnings: Sequence[str],
    decisions: Sequence[Decision],
) -> str:
    """The page shows the program, too: what writes it is loaded only then."""
    from .as_html import as_html

    return as_html(plan, rewrites, warnings, decisions)


Form = Callable[[PhysicalPlan, Sequence[Applied], Sequence[str], Sequence[Decision]], str]

FORMS: dict[str, Form] = {
    "tree": as_tree,
    "json": as_json,
    "dot": as_dot,
    "mermaid": as_mermaid,
    "html": _as_html,
}


def explain(
    plan: PhysicalPlan,
    rewrites: Sequence[Applied],
    warnings: Sequence[str],
    form: str = "tree",
    decisions: Sequence[Decision] = (),
) -> str:
    """The page; it ends with a line break. An unknown form is a ValueError."""
    if form not in FORMS:
        raise ValueError(f"no form {form!r}; there are {', '.join(FORMS)}")
    return FORMS[form](plan, rewrites, warnings, (*decisions, *plan.choices))


__all__ = ["FORMS", "explain"]
