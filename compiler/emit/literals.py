"""Python literals as a formatter would leave them."""

from __future__ import annotations

import json
import unicodedata

_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def string(text: str) -> str:
    """A string literal: double quotes unless single ones need fewer escapes."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    return quote + "".join(_escaped(char, quote) for char in text) + quote


def number(value: int) -> str:
    """An integer, digits in threes from five digits on."""
    return f"{value:_}" if abs(value) >= 10_000 else str(value)


def comment(text: str) -> str:
    """Text that cannot leave its comment: one line, nothing that prints as something else."""
    return "".join(char if _plain(char) else " " for char in " ".join(text.split()))


def docstring(text: str) -> str:
    """Text that cannot leave its docstring."""
    return json.dumps(text, ensure_ascii=False)[1:-1].replace('\\"', "'")


def _escaped(char: str, quote: str) -> str:
    if char == quote:
        return "\\" + char
    if char in _ESCAPES:
        return _ESCAPES[char]
    if _plain(char):
        return char
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _plain(char: str) -> bool:
    """What shows as itself: no controls, separators, changes of direction, surrogates."""
    return char == " " or unicodedata.category(char)[0] not in "CZ"
