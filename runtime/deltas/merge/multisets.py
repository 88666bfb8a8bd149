"""Multisets of ends as SQL: arrays of (ve, n) in order of `ve`, each with `n > 0` copies."""

from __future__ import annotations

from typing import Final

TYPE: Final = "ARRAY<STRUCT<ve: BIGINT, n: BIGINT>>"
NONE: Final = f"CAST(array() AS {TYPE})"


def let(name: str, value: str, body: str) -> str:
    """`body` with a value by a name. Spark would put a column's text where it is read, inside a
    lambda too, and compute it for each member of an array.
    """
    return f"transform(array({value}), {name} -> {body})[0]"


def copies_of(end: str, count: str) -> str:
    """So many copies, of which there may be none."""
    one = f"array(named_struct('ve', {end}, 'n', CAST({count} AS BIGINT)))"
    return f"filter({one}, v -> v.n > 0)"


def one_or_none(end: str) -> str:
    """One copy that ends then; none where that is NULL."""
    one = f"array(named_struct('ve', {end}, 'n', 1L))"
    return f"CASE WHEN {end} IS NULL THEN {NONE} ELSE {one} END"


def total(ends: str) -> str:
    return f"aggregate({ends}, 0L, (s, v) -> s + v.n)"


def count(ends: str, end: str) -> str:
    """How many copies end then; `end` is read inside a lambda."""
    return f"coalesce(get(filter({ends}, y -> y.ve = {end}), 0).n, 0L)"


def before(ends: str, t: str) -> str:
    return f"filter({ends}, v -> v.ve < {t})"


def since(ends: str, t: str) -> str:
    return f"filter({ends}, v -> v.ve >= {t})"


def minus(some: str, others: str) -> str:
    left = f"named_struct('ve', v.ve, 'n', v.n - {count('m.others', 'v.ve')})"
    both = f"named_struct('some', {some}, 'others', {others})"
    return let("m", both, f"filter(transform(m.some, v -> {left}), v -> v.n > 0)")


def plus(some: str, others: str) -> str:
    ends = "array_distinct(transform(concat(p.some, p.others), v -> v.ve))"
    of_both = f"{count('p.some', 'v')} + {count('p.others', 'v')}"
    summed = f"transform(array_sort({ends}), v -> named_struct('ve', v, 'n', {of_both}))"
    return let("p", f"named_struct('some', {some}, 'others', {others})", summed)


def first(ends: str, number: str) -> str:
    """So many copies that end first; all if there are fewer, none if the number is negative."""
    part = "array(named_struct('ve', v.ve, 'n', least(v.n, f.left)))"
    taken = f"CASE WHEN f.left > 0 THEN concat(f.taken, {part}) ELSE f.taken END"
    step = f"named_struct('left', f.left - v.n, 'taken', {taken})"
    start = f"named_struct('left', CAST({number} AS BIGINT), 'taken', {NONE})"
    return f"aggregate({ends}, {start}, (f, v) -> {step}).taken"


def listed(ends: str) -> str:
    """The end of each copy."""
    return f"flatten(transform({ends}, v -> array_repeat(v.ve, CAST(v.n AS INT))))"
