"""Common mistakes: a broken text, how it is recognised, and what to say.

The first entry whose condition holds is taken. `example` is a text that shows the mistake; the
tests check that it is recognised as itself.
"""

from __future__ import annotations

from . import malformed_queries, malformed_texts
from .mistake import Mistake

MISTAKES: tuple[Mistake, ...] = (*malformed_queries.MISTAKES, *malformed_texts.MISTAKES)

__all__ = ["MISTAKES", "Mistake"]
