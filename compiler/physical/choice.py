"""A choice of the planner with its reason."""

from __future__ import annotations

from typing import Generic, TypeVar

from reflow.grammar.value import value

T = TypeVar("T")


@value
class Choice(Generic[T]):
    value: T
    reason: str
