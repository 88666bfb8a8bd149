"""Spans on sqlglot nodes."""

from __future__ import annotations

from typing import TypeVar

from sqlglot import exp

from reflow.grammar.source import Span

E = TypeVar("E", bound=exp.Expression)


def spanned(expression: E, span: Span) -> E:
    """The expression, with its place in the source in `meta["span"]`.

    Parts that have no place of their own (the NULL of IS NULL, a type) get the same.
    """
    expression.meta["span"] = span
    for part in expression.iter_expressions():
        if "span" not in part.meta:
            spanned(part, span)
    return expression


def span_of(expression: exp.Expression) -> Span:
    """The place of an expression that the builder made."""
    span: Span = expression.meta["span"]
    return span
