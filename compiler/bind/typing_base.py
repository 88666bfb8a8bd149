"""What the typing of expressions rests on: the types of columns, and where errors go."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from sqlglot import exp

from reflow.grammar.source import Span
from reflow.grammar.value import value

from .calls import span_of
from .findings import Findings
from .types import Type, with_article


@value
class Typing:
    """Types of resolved expressions, whose columns are internal names with the types given."""

    types: Mapping[str, Type]
    findings: Findings
    around: Span

    @abstractmethod
    def __call__(self, node: exp.Expr) -> Type:
        """The type of an expression."""

    def condition(self, node: exp.Expr, clause: str) -> None:
        """Check a whole condition: it must be a BOOLEAN."""
        type_ = self(node)
        if type_.family not in {"", "boolean"}:
            self.error(
                "RF2103",
                f"{clause} needs a condition, this is {with_article(type_)}",
                node,
                "a BOOLEAN",
            )

    def children(self, node: exp.Expr) -> tuple[Type, ...]:
        return tuple(self(child) for child in node.iter_expressions())

    def error(
        self, code: str, message: str, node: exp.Expr, expected: str = "", hint: str = ""
    ) -> None:
        self.findings.error(code, message, span_of(node, self.around), expected, hint)
