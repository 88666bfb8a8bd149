"""The fold: a value for every node of a parse tree, leaves first and without recursion."""

from __future__ import annotations

from typing import Any, TypeVar

from lark import Token, Tree
from sqlglot import exp

from reflow.grammar.diagnostic import CqlError, Diagnostic
from reflow.grammar.source import Source, Span
from reflow.grammar.value import value

from .nodes import Bounded, Join, ReportQuery, Select, SetOperation

T = TypeVar("T")

# Tokens that say something besides their kind; all others are keywords.
_TEXTS = frozenset({"NAME", "QUOTED_NAME", "SETTING_NAME", "STRING", "NUMBER", "UNIT"})

# As much as recursive code can stand: sqlglot's generator needs up to five frames a level.
MOST_LEVELS = 100


class Nests:
    """The mark of built values, other than expressions and queries, that hold their like."""


_COUNTED = (exp.Expression, Select, SetOperation, ReportQuery, Bounded, Join, Nests)


@value
class Node:
    """One node of the tree with its children built.

    `children` holds their values and the tokens that are names or literals; `words` the keywords,
    in upper case.
    """

    children: list[Any]
    words: tuple[str, ...]
    span: Span

    def all(self, kind: type[T]) -> list[T]:
        """The children of a kind, in order."""
        return [child for child in self.children if isinstance(child, kind)]

    def first(self, kind: type[T]) -> T | None:
        """The first child of a kind, if there is one."""
        return next((child for child in self.children if isinstance(child, kind)), None)

    def tokens(self, kind: str) -> list[Token]:
        """The child tokens of a kind, in order."""
        return [token for token in self.all(Token) if token.type == kind]


@value
class Part:
    """A piece of a larger node, labelled: values that only their parent understands."""

    label: str
    value: Any
    span: Span


def part(node: Node, label: str) -> Any:
    """The value of the labelled part among the children, or None."""
    return next((p.value for p in node.all(Part) if p.label == label), None)


class Fold:
    """Calls the method named like the rule for every node. Subclasses bring the methods.

    A method returns a value even when it has something to refuse, so that all mistakes are found.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []

    def build(self, tree: Tree[Token]) -> Any:
        """The value of the tree. Mistakes are collected in `diagnostics`."""
        values: dict[int, Any] = {}
        levels: dict[int, int] = {}
        for node in reversed(_parents_first(tree)):
            children = [c for c in node.children if isinstance(c, Tree)]
            value = self._value(node, values)
            level = max((levels.pop(id(child)) for child in children), default=0)
            # Doubled brackets are one pair, so they are one level as well.
            grown = isinstance(value, _COUNTED) and not any(
                values[id(c)] is value for c in children
            )
            if level + grown > MOST_LEVELS:
                self._give_up(_span(node))
            values[id(node)] = value
            levels[id(node)] = level + grown
        return values[id(tree)]

    def handle(self, rule: str, node: Node) -> Any:
        """The value of one node: that of the method with the rule's name."""
        return getattr(self, rule)(node)

    def refuse(
        self, code: str, message: str, span: Span, expected: str = "", hint: str = ""
    ) -> None:
        """Notes a mistake of the user."""
        self.diagnostics.append(Diagnostic(code, message, span, expected, hint))

    def text(self, span: Span) -> str:
        """What the user wrote there."""
        return self.source.text[span.start : span.end]

    def once(self, node: Node, kind: type[T], what: str) -> T | None:
        """The only child of a kind; a second one is refused."""
        found: list[Any] = node.all(kind)
        for extra in found[1:]:
            self.refuse("RF1011", f"{what} is given twice", extra.span)
        return found[0] if found else None

    def _value(self, node: Tree[Token], values: dict[int, Any]) -> Any:
        children: list[Any] = []
        words: list[str] = []
        for child in node.children:
            if isinstance(child, Tree):
                children.append(values[id(child)])
            elif child.type in _TEXTS:
                children.append(child)
            else:
                words.append(child.upper())
        return self.handle(str(node.data), Node(children, tuple(words), _span(node)))

    def _give_up(self, span: Span) -> None:
        head = Span(span.start, span.start + 1)
        message = f"this is nested more than {MOST_LEVELS} levels deep"
        hint = "name a part of it with CREATE VIEW or a derived table"
        self.refuse("RF1016", message, head, hint=hint)
        raise CqlError(self.source, self.diagnostics)


def _parents_first(tree: Tree[Token]) -> list[Tree[Token]]:
    order: list[Tree[Token]] = []
    stack = [tree]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(child for child in node.children if isinstance(child, Tree))
    return order


def _span(node: Tree[Token]) -> Span:
    """The characters of a node; an empty script has none."""
    if node.meta.empty:
        return Span(0, 0)
    return Span(node.meta.start_pos, node.meta.end_pos)


def token_span(token: Token) -> Span:
    """The characters of a token."""
    start = token.start_pos or 0
    return Span(start, start + len(token))
