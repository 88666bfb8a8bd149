"""The clauses that end a query."""

from __future__ import annotations

from typing import Literal

from reflow.grammar.source import Span
from reflow.grammar.value import value

from .basic import Length, Name


@value
class Revise:
    """`technique`: ignore, archive, direct, replay all, replay minimal, auto, approximate."""

    technique: str
    percent: float | None
    span: Span


@value
class Emit:
    when: Literal["changes", "final", "frozen"]
    span: Span


@value
class Every:
    interval: Length
    span: Span


@value
class Option:
    name: str
    value: str | int | float | bool
    span: Span


@value
class Into:
    """`format` and `mode` in lower case (None: none is written); `key` from UPSERT BY."""

    format: str
    path: str | None
    mode: Literal["changelog", "upsert", "append", "elements"] | None
    key: tuple[Name, ...]
    options: tuple[Option, ...]
    span: Span
