"""Lengths of time (`5 MINUTES`, `1 HOUR 30 MINUTES`, `INTERVAL '5' MINUTE`) and of ticks."""

from __future__ import annotations

from decimal import Decimal

from lark import Token

from reflow.grammar.source import Span

from .fold import Node, token_span
from .nodes import Length
from .words import Words, unquoted

MICROSECONDS = {
    "MICROSECOND": 1,
    "MILLISECOND": 1_000,
    "SECOND": 1_000_000,
    "MINUTE": 60_000_000,
    "HOUR": 3_600_000_000,
    "DAY": 86_400_000_000,
    "WEEK": 604_800_000_000,
}
MONTHS = {"MONTH": 1, "YEAR": 12}


def singular(unit: str) -> str:
    """The unit in upper case and singular."""
    return unit.upper().removesuffix("S")


class Lengths(Words):
    """The handler of `length`."""

    def length(self, node: Node) -> Length:
        if len(node.children) == 1:
            ticks = self.whole(node.children[0])
            return Length(None, ticks, self.text(node.span), node.span)
        microseconds, months = Decimal(0), 0
        for number, unit in zip(node.children[::2], node.children[1::2], strict=True):
            amount, name = self._amount(number), singular(unit)
            if name in MONTHS:
                months += int(amount) * MONTHS[name]
            else:
                microseconds += amount * MICROSECONDS[name]
        return self._length(microseconds, months, node.span)

    def _amount(self, token: Token) -> Decimal:
        """The number before a unit, a string after INTERVAL included."""
        if token.type == "NUMBER":
            self.decimal(token)
            return Decimal(str(token)) if _plain(token) else Decimal(1)
        text = unquoted(token).strip()
        if _plain(text):
            return Decimal(text)
        self.refuse("RF1013", f"'{text}' is not a number without sign", token_span(token))
        return Decimal(1)

    def _length(self, microseconds: Decimal, months: int, span: Span) -> Length:
        if microseconds != int(microseconds):
            self.refuse("RF1013", "a length is at least one microsecond exact", span)
        return Length(int(microseconds), None, self.text(span), span, months)


def _plain(text: str) -> bool:
    """Digits with at most one point among them."""
    return text.isascii() and text.replace(".", "", 1).isdigit()
