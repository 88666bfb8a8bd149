"""Operators and predicates as sqlglot expressions.

Turned into Spark SQL they group exactly as written: brackets stay, and none are needed besides,
except around comparisons that are operands of comparisons or predicates.
"""

from __future__ import annotations

from typing import Any

from lark import Token
from sqlglot import exp

from .fold import Fold, Node, token_span
from .literals import string_literal
from .nodes import QueryExpression
from .spans import span_of, spanned
from .words import unquoted

_BINARY: dict[str, type[exp.Expression]] = {
    "eq": exp.EQ,
    "neq": exp.NEQ,
    "null_safe_eq": exp.NullSafeEQ,
    "lt": exp.LT,
    "lte": exp.LTE,
    "gt": exp.GT,
    "gte": exp.GTE,
    "bitwise_or": exp.BitwiseOr,
    "bitwise_xor": exp.BitwiseXor,
    "bitwise_and": exp.BitwiseAnd,
    "shift_left": exp.BitwiseLeftShift,
    "shift_right": exp.BitwiseRightShift,
    "add": exp.Add,
    "sub": exp.Sub,
    "concat": exp.DPipe,
    "mul": exp.Mul,
    "div": exp.Div,
    "mod": exp.Mod,
    "int_div": exp.IntDiv,
}
# As sqlglot reads Spark's own text, so that nothing is added when it is printed for Spark.
_OPTIONS: dict[str, dict[str, Any]] = {
    "div": {"typed": False, "safe": True},
    "concat": {"safe": True},
}
_PATTERNS: dict[str, type[exp.Expression]] = {
    "LIKE": exp.Like,
    "ILIKE": exp.ILike,
    "RLIKE": exp.RegexpLike,
}
_COMPARISONS = (
    exp.EQ,
    exp.NEQ,
    exp.LT,
    exp.LTE,
    exp.GT,
    exp.GTE,
    exp.NullSafeEQ,
    exp.NullSafeNEQ,
)
_TRUTH: dict[str, exp.Expression] = {
    "TRUE": exp.Boolean(this=True),
    "FALSE": exp.Boolean(this=False),
    "UNKNOWN": exp.Null(),
}


class _Negated:
    """The mark of a NOT before a predicate's word."""


def operand(expression: exp.Expression) -> exp.Expression:
    """An operand of a comparison or predicate, in brackets if it is a comparison itself."""
    if isinstance(expression, _COMPARISONS):
        return spanned(exp.Paren(this=expression), span_of(expression))
    return expression


class Operators(Fold):
    """Handlers of everything between OR and the unary operators."""

    def handle(self, rule: str, node: Node) -> Any:
        kind = _BINARY.get(rule)
        if kind is None:
            return super().handle(rule, node)
        left, right = (operand(child) for child in node.children)
        made = kind(this=left, expression=right, **_OPTIONS.get(rule, {}))
        return spanned(made, node.span)

    def or_(self, node: Node) -> exp.Expression:
        return _balanced(exp.Or, node.children)

    def and_(self, node: Node) -> exp.Expression:
        return _balanced(exp.And, node.children)

    def not_(self, node: Node) -> exp.Expression:
        return spanned(exp.Not(this=node.children[0]), node.span)

    def shift_right_unsigned(self, node: Node) -> exp.Expression:
        made = exp.Anonymous(this="SHIFTRIGHTUNSIGNED", expressions=node.children)
        return spanned(made, node.span)

    def neg(self, node: Node) -> exp.Expression:
        value: exp.Expression = node.children[0]
        if value.meta.get("number") and not value.this.is_string:
            # The sign belongs to the number: -128Y is a TINYINT, 128 is not.
            value.set("this", exp.Neg(this=value.this))
            value.meta.pop("number")
            return spanned(value, node.span)
        return spanned(exp.Neg(this=value), node.span)

    def pos(self, node: Node) -> exp.Expression:
        """A plus sign says nothing; the brackets carry the span of the whole."""
        return spanned(exp.Paren(this=node.children[0]), node.span)

    def bitwise_not(self, node: Node) -> exp.Expression:
        return spanned(exp.BitwiseNot(this=node.children[0]), node.span)

    def negated(self, node: Node) -> _Negated:
        return _Negated()

    def between(self, node: Node) -> exp.Expression:
        this, low, high = (operand(child) for child in _operands(node))
        return _predicate(exp.Between(this=this, low=low, high=high), node)

    def in_list(self, node: Node) -> exp.Expression:
        this, *values = _operands(node)
        return _predicate(exp.In(this=operand(this), expressions=values), node)

    def in_query(self, node: Node) -> exp.Expression:
        this, query = _operands(node)
        return _predicate(QueryExpression(kind="in", query=query, this=operand(this)), node)

    def exists(self, node: Node) -> exp.Expression:
        return spanned(QueryExpression(kind="exists", query=node.children[0]), node.span)

    def pattern_operator(self, node: Node) -> str:
        return node.words[0]

    def matches(self, node: Node) -> exp.Expression:
        this, word, pattern, *escape = _operands(node)
        made: exp.Expression = _PATTERNS[word](this=operand(this), expression=operand(pattern))
        if escape:
            self._check_escape(word, escape[0])
            made = exp.Escape(this=spanned(made, node.span), expression=string_literal(escape[0]))
        return _predicate(made, node)

    def _check_escape(self, word: str, token: Token) -> None:
        if word == "RLIKE" or len(unquoted(token)) != 1:
            self.refuse(
                "RF1017", "ESCAPE takes one character, after LIKE or ILIKE", token_span(token)
            )

    def is_null(self, node: Node) -> exp.Expression:
        (this,) = _operands(node)
        return _predicate(exp.Is(this=operand(this), expression=exp.Null()), node)

    def is_boolean(self, node: Node) -> exp.Expression:
        (this,) = _operands(node)
        truth = _TRUTH[node.words[-1]].copy()
        return _predicate(exp.Is(this=operand(this), expression=truth), node)

    def is_distinct(self, node: Node) -> exp.Expression:
        this, other = (operand(child) for child in _operands(node))
        kind = exp.NullSafeEQ if node.first(_Negated) else exp.NullSafeNEQ
        return spanned(kind(this=this, expression=other), node.span)


def _operands(node: Node) -> list[Any]:
    return [child for child in node.children if not isinstance(child, _Negated)]


def _predicate(made: exp.Expression, node: Node) -> exp.Expression:
    """The predicate, in a NOT if one stands before its word."""
    spanned(made, node.span)
    return spanned(exp.Not(this=made), node.span) if node.first(_Negated) else made


def _balanced(kind: type[exp.Expression], terms: list[exp.Expression]) -> exp.Expression:
    """A chain of AND or OR as a tree of little depth; both are associative."""
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    left, right = _balanced(kind, terms[:half]), _balanced(kind, terms[half:])
    return spanned(kind(this=left, expression=right), span_of(left).to(span_of(right)))
