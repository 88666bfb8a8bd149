"""Binding: from what the user wrote to what it means.

In: a Source and its Script (compiler/syntax). Out: a Plan (compiler/plan) and the warnings about
it. A file with mistakes gives one CqlError that holds all of them. Nothing here reads facts of
`analyse`: the few that binding needs (what is a stream, what may retract, what grows) are in
`shape.py`.
"""

from .script import bind
from .settings import BadSetting, is_of_spark

__all__ = ["BadSetting", "bind", "is_of_spark"]
