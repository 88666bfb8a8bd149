"""Literals as sqlglot expressions."""

from __future__ import annotations

import re

from lark import Token
from sqlglot import exp

from .fold import token_span
from .spans import spanned
from .words import unquoted

_NUMBER = re.compile(
    r"(?P<digits>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?P<suffix>BD|[LSYFD])?", re.ASCII | re.I
)
_WHOLE_TYPES = {"L": ("BIGINT", 64), "S": ("SMALLINT", 16), "Y": ("TINYINT", 8)}
_REAL_TYPES = {"F": "FLOAT", "D": "DOUBLE"}


def string_literal(token: Token) -> exp.Literal:
    """A string: the same characters, whatever Spark SQL thinks of backslashes."""
    return spanned(exp.Literal.string(unquoted(token)), token_span(token))


def typed_literal(kind: str, token: Token) -> exp.Cast:
    """`DATE '…'` and `TIMESTAMP '…'`, as casts of the text."""
    to = exp.DataType.build(kind, dialect="spark")
    return exp.Cast(this=string_literal(token), to=to)


def number_literal(token: Token) -> exp.Expression | None:
    """A number with Spark's suffixes L, S, Y, F, D and BD (casts here); None if it is none."""
    match = _NUMBER.fullmatch(token)
    if match is None:
        return None
    digits, suffix = match["digits"], (match["suffix"] or "").upper()
    if not suffix:
        too_long = "e" not in digits.lower() and len(digits.replace(".", "").lstrip("0")) > 38
        return None if too_long else exp.Literal.number(digits)
    if suffix in _WHOLE_TYPES:
        kind, bits = _WHOLE_TYPES[suffix]
        # The smallest number has one more than the greatest, and its sign is read later.
        if not digits.isdigit() or int(digits) > 1 << (bits - 1):
            return None
        return _cast(exp.Literal.number(digits), kind)
    if suffix in _REAL_TYPES:
        # From the text: a decimal in between could round.
        return _cast(exp.Literal.string(digits), _REAL_TYPES[suffix])
    return _exact(digits)


def _cast(literal: exp.Expression, kind: str) -> exp.Cast:
    cast = exp.Cast(this=literal, to=exp.DataType.build(kind, dialect="spark"))
    cast.meta["number"] = True
    return cast


def _exact(digits: str) -> exp.Expression | None:
    """`BD`: a decimal of exactly as many digits as written."""
    mantissa, _, exponent = digits.lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    scale = len(fraction) - int(exponent or 0)
    precision = max(len((whole + fraction).lstrip("0")) - min(scale, 0), scale, 1)
    if precision > 38:
        return None
    return _cast(exp.Literal.string(digits), f"DECIMAL({precision},{max(scale, 0)})")
