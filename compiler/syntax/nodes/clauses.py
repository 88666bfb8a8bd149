"""The clauses that end a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reflow.grammar.source import Span

from .basic import Length, Name


@dataclass(frozen=True)
class Revise:
    """`technique`: ignore, archive, direct, replay all, replay minimal, auto, approximate."""

    technique: str
    percent: float | None
    span: Span


@dataclass(frozen=True)
class Emit:
    when: Literal["changes", "final", "frozen"]
    span: Span


@dataclass(frozen=True)
class Every:
    interval: Length
    span: Span


@dataclass(frozen=True)
class Option:
    name: str
    value: str | int | float | bool
    span: Span


@dataclass(frozen=True)
class Into:
    """`format` in lower case; `mode` changelog, upsert, append or None; `key` from UPSERT BY."""

    format: str
    path: str | None
    mode: Literal["changelog", "upsert", "append"] | None
    key: tuple[Name, ...]
    options: tuple[Option, ...]
    span: Span
