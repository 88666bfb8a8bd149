"""A lookup knows its key by every name that a projection gives it."""

from __future__ import annotations

from reflow.runtime.deltas.join_asof import _looked_for
from reflow.runtime.elements.deltas import Lookup

FOUND = Lookup((("k",), ("g",)), lambda asking: asking)


def test_a_key_of_two_names_is_looked_for_by_either() -> None:
    renamed = FOUND.map(lambda frame: frame, [("k", "l"), ("k", "j"), ("g", "g"), ("n", "n")])
    assert renamed is not None
    assert renamed.keys == (("l", "j"), ("g",))
    assert _looked_for(renamed, [("a", "g"), ("b", "j")]) == [("b", "j"), ("a", "g")]
    assert _looked_for(renamed, [("a", "g"), ("b", "l"), ("c", "j")]) == [("b", "l"), ("a", "g")]


def test_a_key_that_is_gone_or_not_compared_cannot_be_looked_for() -> None:
    assert FOUND.map(lambda frame: frame, [("k", "k")]) is None
    assert _looked_for(FOUND, [("a", "k")]) is None
