"""Types of literals and of arithmetic, by Spark's rules."""

from __future__ import annotations

from sqlglot import exp

from .types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    INTEGRAL,
    INTERVAL,
    NULL,
    STRING,
    TIMESTAMP,
    UNKNOWN,
    Type,
    as_decimal,
    bounded_decimal,
    decimal,
    wider_number,
)

_SUFFIXES = {"L": BIGINT, "S": Type("SMALLINT"), "Y": Type("TINYINT"), "D": DOUBLE, "F": FLOAT}


def literal(node: exp.Literal) -> Type:
    """`'x'` STRING, `1` INT or BIGINT, `1.5` DECIMAL(2,1), `1e3` DOUBLE, as in Spark."""
    if node.is_string:
        return STRING
    text = str(node.this).upper()
    if text.endswith("BD"):
        return _decimal_literal(text[:-2])
    if text[-1:] in _SUFFIXES:
        return _SUFFIXES[text[-1:]]
    if "E" in text:
        return DOUBLE
    return _decimal_literal(text) if "." in text else _whole_literal(text)


def _whole_literal(text: str) -> Type:
    value = int(text)
    if value < 2**31:
        return INT
    return BIGINT if value < 2**63 else bounded_decimal(len(text), 0)


def _decimal_literal(text: str) -> Type:
    before, _, after = text.partition(".")
    digits = len(before.lstrip("0")) + len(after)
    return bounded_decimal(max(digits, len(after), 1), len(after))


def arithmetic(node: exp.Expr, left: Type, right: Type) -> Type | None:
    """The result of `left op right`; None where Spark surely refuses it."""
    kinds = {left.family, right.family}
    if "" in kinds:
        other = left if right.family == "" else right
        return UNKNOWN if other.family not in _NEVER else None
    if kinds & _NEVER:
        return None
    if kinds == {"numeric"}:
        return _numbers(node, left, right)
    if kinds & {"datetime", "interval"}:
        return _moments(node, left, right)
    return UNKNOWN


_NEVER = frozenset({"boolean", "array", "map", "struct", "binary"})


def _numbers(node: exp.Expr, left: Type, right: Type) -> Type:
    if isinstance(node, exp.IntDiv):
        return BIGINT
    names = {left.name, right.name}
    if names & {"DOUBLE", "FLOAT"}:
        return DOUBLE if isinstance(node, exp.Div) else wider_number(left, right)
    if "DECIMAL" in names:
        a, b = _literal_decimal(node.this, left), _literal_decimal(node.expression, right)
        return _decimals(node, a, b)
    return DOUBLE if isinstance(node, exp.Div) else wider_number(left, right)


def _literal_decimal(node: exp.Expr, type_: Type) -> tuple[int, int]:
    """Beside a decimal a whole literal is as short as it is written."""
    if type_.name in INTEGRAL and isinstance(node, exp.Literal):
        return max(1, len(str(int(node.this)))), 0
    return as_decimal(type_)


def _decimals(node: exp.Expr, left: tuple[int, int], right: tuple[int, int]) -> Type:
    (p1, s1), (p2, s2) = left, right
    if isinstance(node, exp.Mul):
        return decimal(p1 + p2 + 1, s1 + s2)
    if isinstance(node, exp.Div):
        scale = max(6, s1 + p2 + 1)
        return decimal(p1 - s1 + s2 + scale, scale)
    scale = max(s1, s2)
    if isinstance(node, exp.Mod):
        return decimal(min(p1 - s1, p2 - s2) + scale, scale)
    return decimal(max(p1 - s1, p2 - s2) + scale + 1, scale)


def _moments(node: exp.Expr, left: Type, right: Type) -> Type | None:
    """Dates, timestamps and intervals."""
    a, b = left.family, right.family
    if isinstance(node, exp.Sub) and a == b == "datetime":
        return Type("INTERVAL DAY") if left == right == DATE else Type("INTERVAL DAY TO SECOND")
    if isinstance(node, (exp.Add, exp.Sub)):
        return _shift(node, left, right)
    if isinstance(node, (exp.Mul, exp.Div)) and "interval" in (a, b) and "datetime" not in (a, b):
        return INTERVAL
    return UNKNOWN if "string" in (a, b) and "interval" in (a, b) else None


def _shift(node: exp.Expr, left: Type, right: Type) -> Type | None:
    a, b = left.family, right.family
    if a == b == "interval":
        return INTERVAL
    if "string" in (a, b):
        return UNKNOWN
    if isinstance(node, exp.Add) and a in {"interval", "numeric"}:
        left, right, a, b = right, left, b, a
    if a == "datetime" and b == "interval":
        return left if left.name != "DATE" else UNKNOWN
    if left == DATE and right.name in {"INT", "SMALLINT", "TINYINT"}:
        return DATE
    return None


__all__ = ["BOOLEAN", "NULL", "TIMESTAMP", "arithmetic", "literal"]
