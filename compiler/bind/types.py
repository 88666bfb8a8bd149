"""Spark's types as values: read from DDL text, written back to it, and compared."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from reflow.grammar.value import value

from ..plan.schema import UNKNOWN as UNKNOWN_TEXT


@value
class Type:
    """A type. `of` are the types inside (element; key and value; fields), `fields` the names of
    fields.
    """

    name: str
    numbers: tuple[int, ...] = ()
    of: tuple[Type, ...] = ()
    fields: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.name == "STRUCT":
            pairs = zip(self.fields, self.of, strict=True)
            return f"STRUCT<{', '.join(f'{_quoted(n)}: {t}' for n, t in pairs)}>"
        if self.of:
            return f"{self.name}<{', '.join(map(str, self.of))}>"
        if self.numbers:
            return f"{self.name}({','.join(map(str, self.numbers))})"
        return self.name

    @property
    def ddl(self) -> str:
        """The text for a plan: UNKNOWN unless every part is known."""
        return str(self) if self.known else UNKNOWN_TEXT

    @property
    def known(self) -> bool:
        return self.name not in {UNKNOWN_TEXT, "NULL", "INTERVAL"} and all(t.known for t in self.of)

    @property
    def family(self) -> str:
        """numeric, string, datetime, or the type's own name in lower case; empty when anything
        fits.
        """
        if self.name in {UNKNOWN_TEXT, "NULL", "VARIANT"}:
            return ""
        return _FAMILIES.get(self.name, self.name.lower())


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[^\W\d]\w*", name) else "`" + name.replace("`", "``") + "`"


INTEGRAL = ("TINYINT", "SMALLINT", "INT", "BIGINT")
_NUMERIC = (*INTEGRAL, "DECIMAL", "FLOAT", "DOUBLE")
_FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(_NUMERIC, "numeric"),
        **dict.fromkeys(("DATE", "TIMESTAMP", "TIMESTAMP_NTZ"), "datetime"),
        **dict.fromkeys(("INTERVAL", "INTERVAL DAY TO SECOND", "INTERVAL DAY"), "interval"),
        **dict.fromkeys(("INTERVAL YEAR TO MONTH",), "interval"),
    }
)

UNKNOWN = Type(UNKNOWN_TEXT)
NULL = Type("NULL")
BOOLEAN = Type("BOOLEAN")
INT = Type("INT")
BIGINT = Type("BIGINT")
FLOAT = Type("FLOAT")
DOUBLE = Type("DOUBLE")
STRING = Type("STRING")
BINARY = Type("BINARY")
DATE = Type("DATE")
TIMESTAMP = Type("TIMESTAMP")
INTERVAL = Type("INTERVAL")

_DIGITS: Mapping[str, int] = MappingProxyType(
    {"TINYINT": 3, "SMALLINT": 5, "INT": 10, "BIGINT": 20}
)


def array(element: Type) -> Type:
    return Type("ARRAY", of=(element,))


def map_of(key: Type, value: Type) -> Type:
    return Type("MAP", of=(key, value))


def decimal(precision: int, scale: int) -> Type:
    """A DECIMAL, cut to 38 digits as Spark does it: those before the point are kept first."""
    if precision <= 38:
        return Type("DECIMAL", (precision, scale))
    kept = max(38 - (precision - scale), min(scale, 6))
    return Type("DECIMAL", (38, kept))


def bounded_decimal(precision: int, scale: int) -> Type:
    return Type("DECIMAL", (min(38, precision), min(38, scale)))


def as_decimal(type_: Type) -> tuple[int, int]:
    """Precision and scale of a decimal or integral type."""
    if type_.name == "DECIMAL":
        return type_.numbers[0], type_.numbers[1]
    return _DIGITS[type_.name], 0


def comparable(left: Type, right: Type) -> bool:
    """False only where Spark (ANSI) surely refuses to compare the two."""
    a, b = left.family, right.family
    if not a or not b or a == b:
        return a != "map"
    atomic = {"numeric", "string", "datetime", "boolean", "binary", "interval"}
    return "string" in (a, b) and a in atomic and b in atomic


def common(left: Type, right: Type) -> Type | None:
    """The type that holds both; None where there surely is none; UNKNOWN where it is Spark's to
    say.
    """
    if left == right or right == NULL:
        return left
    if left == NULL:
        return right
    a, b = left.family, right.family
    if not a or not b:
        return UNKNOWN
    if a == b == "numeric":
        return wider_number(left, right)
    if a == b == "datetime":
        return TIMESTAMP if "TIMESTAMP" in (left.name, right.name) else UNKNOWN
    if a == b == "array":
        element = common(left.of[0], right.of[0])
        return None if element is None else array(element)
    if a == b:
        return UNKNOWN
    return UNKNOWN if comparable(left, right) else None


def wider_number(left: Type, right: Type) -> Type:
    names = {left.name, right.name}
    if "DOUBLE" in names or "FLOAT" in names:
        # ANSI Spark widens FLOAT beside anything else, so that no digits are lost.
        return FLOAT if names == {"FLOAT"} else DOUBLE
    if "DECIMAL" in names:
        (p1, s1), (p2, s2) = as_decimal(left), as_decimal(right)
        scale = max(s1, s2)
        return decimal(max(p1 - s1, p2 - s2) + scale, scale)
    return left if INTEGRAL.index(left.name) >= INTEGRAL.index(right.name) else right


def branch_type(left: Type, right: Type) -> Type | None:
    """The type of a column of two branches: numbers widen, other types must be the same."""
    if not left.family or not right.family:
        return right if not left.family else left
    if left == right or left.family == right.family:
        return common(left, right)
    return None


def common_of(types: tuple[Type, ...]) -> Type | None:
    """The type that holds all of them, as `common` says."""
    found: Type | None = NULL
    for type_ in types:
        found = None if found is None else common(found, type_)
    return found


def with_article(type_: Type) -> str:
    """`an INT`, `a STRING`."""
    return f"{'an' if str(type_)[0] in 'AEIO' else 'a'} {type_}"
