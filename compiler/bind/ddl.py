"""Type texts: from DDL to Type, with the place of a mistake."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from ..plan.schema import UNKNOWN as UNKNOWN_TEXT
from .names import nearest
from .types import STRING, UNKNOWN, Type, array, map_of

_SIMPLE: Mapping[str, str] = MappingProxyType(
    {
        "BOOLEAN": "BOOLEAN",
        "TINYINT": "TINYINT",
        "BYTE": "TINYINT",
        "SMALLINT": "SMALLINT",
        "SHORT": "SMALLINT",
        "INT": "INT",
        "INTEGER": "INT",
        "BIGINT": "BIGINT",
        "LONG": "BIGINT",
        "FLOAT": "FLOAT",
        "REAL": "FLOAT",
        "DOUBLE": "DOUBLE",
        "DATE": "DATE",
        "TIMESTAMP": "TIMESTAMP",
        "TIMESTAMP_LTZ": "TIMESTAMP",
        "TIMESTAMP_NTZ": "TIMESTAMP_NTZ",
        "STRING": "STRING",
        "BINARY": "BINARY",
        "VARIANT": "VARIANT",
    }
)
_DECIMALS = frozenset({"DECIMAL", "DEC", "NUMERIC"})
_TEXTS = frozenset({"CHAR", "CHARACTER", "VARCHAR"})
TYPE_NAMES = (*_SIMPLE, *sorted(_DECIMALS), *sorted(_TEXTS), "ARRAY", "MAP", "STRUCT")
_TOKEN = re.compile(r"\s*(?:(?P<quoted>`(?:[^`]|``)*`)|(?P<word>\w+)|(?P<sign>[<>(),:]))")


class DdlError(Exception):
    """A type text is wrong. `word` is the part of it that is."""

    def __init__(self, message: str, word: str) -> None:
        super().__init__(message)
        self.word = word


def read_type(text: str) -> Type:
    """The type that a DDL text means. Raises DdlError."""
    if text.upper() in {UNKNOWN_TEXT, "NULL", "VOID"} or text.upper().startswith("INTERVAL"):
        return UNKNOWN if text.upper() == UNKNOWN_TEXT else Type(text.upper())
    reader = _Reader(text)
    type_ = reader.type()
    if reader.peek():
        raise DdlError(f"`{reader.peek()}` does not belong to the type", reader.peek())
    return type_


class _Reader:
    """Recursive descent over the tokens of one type."""

    def __init__(self, text: str) -> None:
        self._tokens = [match.group().strip() for match in _TOKEN.finditer(text)]
        self._at = 0

    def peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self._at += 1
        return token

    def want(self, sign: str) -> None:
        if self.peek() != sign:
            found = f"`{self.peek()}`" if self.peek() else "the end"
            raise DdlError(f"`{sign}` was expected in the type, found {found}", self.peek())
        self.take()

    def type(self) -> Type:
        word = self.take()
        name = word.upper()
        if name in _SIMPLE:
            return Type(_SIMPLE[name])
        if name in _DECIMALS:
            return self._decimal(word)
        if name in _TEXTS:
            self._numbers()
            return STRING
        if name == "ARRAY":
            self.want("<")
            element = self.type()
            self.want(">")
            return array(element)
        if name == "MAP":
            return self._map()
        if name == "STRUCT":
            return self._struct()
        raise DdlError(f"there is no type `{word}`", word)

    def _numbers(self) -> tuple[int, ...]:
        if self.peek() != "(":
            return ()
        self.take()
        found = [self._number()]
        while self.peek() == ",":
            self.take()
            found.append(self._number())
        self.want(")")
        return tuple(found)

    def _number(self) -> int:
        word = self.take()
        if not word.isdecimal():
            raise DdlError(f"a whole number was expected in the type, found `{word}`", word)
        return int(word)

    def _decimal(self, word: str) -> Type:
        numbers = self._numbers()
        precision = numbers[0] if numbers else 10
        scale = numbers[1] if len(numbers) > 1 else 0
        if not 1 <= precision <= 38 or scale > precision or len(numbers) > 2:
            raise DdlError("DECIMAL(p,s) needs 1 <= p <= 38 and s <= p", word)
        return Type("DECIMAL", (precision, scale))

    def _map(self) -> Type:
        self.want("<")
        key = self.type()
        self.want(",")
        value = self.type()
        self.want(">")
        return map_of(key, value)

    def _struct(self) -> Type:
        self.want("<")
        names: list[str] = []
        types: list[Type] = []
        while True:
            name = self.take()
            names.append(name[1:-1].replace("``", "`") if name.startswith("`") else name)
            if self.peek() == ":":
                self.take()
            types.append(self.type())
            if self.peek() != ",":
                break
            self.take()
        self.want(">")
        return Type("STRUCT", of=tuple(types), fields=tuple(names))


def nearest_type(word: str) -> str:
    near = nearest(word, TYPE_NAMES)
    return f"did you mean `{near}`?" if near else ""
