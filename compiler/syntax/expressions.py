"""Scalar expressions: straight from the tree to sqlglot, each with its span in `meta["span"]`.

`a` and `a.b` are `exp.Column`, deeper fields `exp.Dot`, queries `nodes.QueryExpression`. Functions
are `exp.Anonymous`, aggregates `exp.AggFunc`. `expression.sql(dialect="spark")` means in Spark what
the user wrote.
"""

from __future__ import annotations

from lark import Token
from sqlglot import exp

from .fold import Node, Part, part, token_span
from .functions import Functions
from .lengths import Lengths, singular
from .literals import number_literal, string_literal, typed_literal
from .moments import is_moment
from .names import column_of, identifier
from .nodes import QueryExpression
from .operators import Operators
from .spans import spanned
from .types import Types, data_type
from .words import unquoted


class Expressions(Operators, Functions, Types, Lengths):
    """Handlers of the primary expressions."""

    def column(self, node: Node) -> exp.Expression:
        return column_of((node.children[0],))

    def field_of(self, node: Node) -> exp.Expression:
        """`a.b`: a column of a table or a field of a column; the binder finds out."""
        this, name = node.children
        if isinstance(this, exp.Column) and not this.table:
            return spanned(exp.Column(this=identifier(name), table=this.this), node.span)
        return spanned(exp.Dot(this=this, expression=identifier(name)), node.span)

    def element_of(self, node: Node) -> exp.Expression:
        this, index = node.children
        return spanned(exp.Bracket(this=this, expressions=[index], offset=0), node.span)

    def literal(self, node: Node) -> exp.Expression:
        if not node.words:
            return spanned(self._literal(node.children[0]), node.span)
        word = node.words[0]
        return spanned(
            exp.Null() if word == "NULL" else exp.Boolean(this=word == "TRUE"), node.span
        )

    def _literal(self, token: Token) -> exp.Expression:
        if token.type == "STRING":
            return string_literal(token)
        number = number_literal(token)
        if number is None:
            self.refuse(
                "RF1012", f"`{token}` is not a number, or does not fit its type", token_span(token)
            )
        return number or exp.Literal.number("1")

    def typed_literal(self, node: Node) -> exp.Expression:
        kind, token = node.words[0], node.children[0]
        if not is_moment(unquoted(token), kind):
            hint = f"write {kind} '2026-01-31{' 23:59:59' if kind == 'TIMESTAMP' else ''}'"
            self.refuse("RF1018", f"{token} is no {kind}", token_span(token), hint=hint)
        return spanned(typed_literal(kind, token), node.span)

    def interval(self, node: Node) -> exp.Expression:
        """One unit stays as it is; several become one text, which Spark reads as it reads them."""
        tokens: list[Token] = node.children
        if "TO" in node.words:
            span = exp.IntervalSpan(this=_unit(tokens[1]), expression=_unit(tokens[2]))
            return spanned(exp.Interval(this=string_literal(tokens[0]), unit=span), node.span)
        if len(tokens) == 1:
            if not any(char.isalpha() for char in tokens[0]):
                hint = f"write INTERVAL {tokens[0]} MINUTE, or another unit"
                self.refuse("RF1018", "this interval has no unit", node.span, hint=hint)
            return spanned(exp.Interval(this=string_literal(tokens[0])), node.span)
        amounts = [self._amount_text(token) for token in tokens[::2]]
        if len(amounts) == 1:
            literal = exp.Literal.string(amounts[0])
            return spanned(exp.Interval(this=literal, unit=_unit(tokens[1])), node.span)
        parts = zip(amounts, tokens[1::2], strict=True)
        text = " ".join(f"{amount} {singular(unit).lower()}" for amount, unit in parts)
        return spanned(exp.Interval(this=exp.Literal.string(text)), node.span)

    def _amount_text(self, token: Token) -> str:
        if token.type == "STRING":
            return unquoted(token)
        self.decimal(token)
        return str(token)

    def paren(self, node: Node) -> exp.Expression:
        """Doubled brackets are one pair."""
        inner: exp.Expression = node.children[0]
        if isinstance(inner, exp.Paren):
            return spanned(inner, node.span)
        return spanned(exp.Paren(this=inner), node.span)

    def row(self, node: Node) -> exp.Expression:
        return spanned(exp.Tuple(expressions=node.children), node.span)

    def scalar_query(self, node: Node) -> exp.Expression:
        return spanned(QueryExpression(kind="scalar", query=node.children[0]), node.span)

    def case_(self, node: Node) -> exp.Expression:
        branches = node.all(exp.If)
        default = part(node, "otherwise")
        first = node.children[0]
        this = None if isinstance(first, exp.If) else first
        return spanned(exp.Case(this=this, ifs=branches, default=default), node.span)

    def when(self, node: Node) -> exp.Expression:
        condition, value = node.children
        return spanned(exp.If(this=condition, true=value), node.span)

    def otherwise(self, node: Node) -> Part:
        return Part("otherwise", node.children[0], node.span)

    def cast(self, node: Node) -> exp.Expression:
        value, to = node.children
        return spanned(exp.Cast(this=value, to=data_type(to)), node.span)

    def extract(self, node: Node) -> exp.Expression:
        field, value = node.children
        unit = spanned(exp.Var(this=field.upper()), token_span(field))
        return spanned(exp.Extract(this=unit, expression=value), node.span)


def _unit(token: Token) -> exp.Var:
    return exp.Var(this=singular(token))
