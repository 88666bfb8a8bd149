"""Names: how one is looked up, and how internal names are given.

A name means the one that is spelt exactly so; else the only one that is spelt so without regard to
case.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Generic, TypeVar

from reflow.grammar.value import value

T = TypeVar("T")

ENGINE_NAMES = frozenset({"_vs", "_ve", "_t", "_w", "_pos", "_epoch"})


@value
class Match(Generic[T]):
    """The things that a name may mean: none (unknown), one (found) or several (ambiguous)."""

    found: tuple[T, ...]

    @property
    def only(self) -> T | None:
        return self.found[0] if len(self.found) == 1 else None


def lookup(name: str, things: Iterable[T], named: Callable[[T], str]) -> Match[T]:
    """All things of exactly this name; where there are none, all of this name in another case."""
    everything = tuple(things)
    exact = tuple(thing for thing in everything if named(thing) == name)
    if exact:
        return Match(exact)
    folded = name.casefold()
    return Match(tuple(thing for thing in everything if named(thing).casefold() == folded))


def nearest(name: str, known: Collection[str]) -> str | None:
    """The known name that the user most likely meant."""
    by_fold = {k.casefold(): k for k in known}
    found = difflib.get_close_matches(name.casefold(), list(by_fold), n=1, cutoff=0.6)
    return by_fold[found[0]] if found else None


def meant(name: str, known: Collection[str]) -> str:
    """A hint with the nearest name; empty when nothing is near."""
    near = nearest(name, known)
    return f"did you mean `{near}`?" if near else ""


def listing(words: Sequence[str], limit: int = 8) -> str:
    """`a`, `b` or `c`, cut after some."""
    shown = [f"`{word}`" for word in words[:limit]]
    if len(words) > limit:
        return ", ".join(shown) + ", …"
    if len(shown) < 2:
        return "".join(shown)
    return ", ".join(shown[:-1]) + " or " + shown[-1]


def one_of(words: Sequence[str]) -> str:
    """What was expected, where several names would do; empty when there are none."""
    return f"one of {listing(words)}" if len(words) > 1 else listing(words)


def fresh(wanted: Sequence[str], taken: Collection[str]) -> str:
    """The first wanted name that is free (without regard to case), else the last one with a number.

    `taken` holds casefolded names. Names that begin with `_` are left to the runtime.
    """
    for name in wanted:
        if _free(name, taken):
            return name
    base = wanted[-1].lstrip("_") or "column"
    number = 2
    while not _free(f"{base}_{number}", taken):
        number += 1
    return f"{base}_{number}"


def is_engine_name(name: str) -> bool:
    return name.casefold() in ENGINE_NAMES


def _free(name: str, taken: Collection[str]) -> bool:
    folded = name.casefold()
    return folded not in taken and not name.startswith("_")


def fresh_all(wanted: Sequence[Sequence[str]], taken: Collection[str] = ()) -> tuple[str, ...]:
    """Fresh names one after the other, each also apart from those before it."""
    used = {name.casefold() for name in taken}
    given: list[str] = []
    for names in wanted:
        name = fresh(names, used)
        used.add(name.casefold())
        given.append(name)
    return tuple(given)
