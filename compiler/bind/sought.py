"""[NOT] EXISTS (…) and [NOT] IN (SELECT …): parts of WHERE that ask another query."""

from __future__ import annotations

from sqlglot import exp

from reflow.compiler.syntax import nodes
from reflow.grammar.source import Span
from reflow.grammar.value import value

from .calls import span_of


@value
class Sought:
    """One such part. `sides` is what stands left of IN, none for EXISTS."""

    query: nodes.Query
    sides: tuple[exp.Expr, ...]
    negated: bool
    span: Span

    @property
    def word(self) -> str:
        """As it is called in a message."""
        return f"{'NOT ' if self.negated else ''}{'IN' if self.is_in else 'EXISTS'}"

    @property
    def is_in(self) -> bool:
        return bool(self.sides)


def sought_in(part: exp.Expr, around: Span) -> Sought | None:
    """A part between ANDs as such a question; None where it is an ordinary condition."""
    negated, node = False, part
    while isinstance(node, (exp.Paren, exp.Not)):
        negated ^= isinstance(node, exp.Not)
        node = node.this
    if not isinstance(node, nodes.QueryExpression) or node.args["kind"] == "scalar":
        return None
    this = node.args.get("this")
    return Sought(node.args["query"], _sides(this), negated, span_of(node, around))


def _sides(this: exp.Expr | None) -> tuple[exp.Expr, ...]:
    """`(a, b) IN (…)` has two."""
    if this is None:
        return ()
    bare = this.unnest()
    return tuple(bare.expressions) if isinstance(bare, exp.Tuple) else (this,)
