"""SUM and AVG of doubles, the same to the last bit in whatever order rows come and leave.

A double of less than 2^80 is cut into five limbs of 32 bits, the lowest with the unit 2^-80, and
the limbs are summed as integers. What is smaller than a unit is cut off, always alike. Infinities
and NaN are counted. Larger numbers are summed as doubles, beside, and their sum counts only while
one of them is there.
"""

from __future__ import annotations

from typing import Final

from .measures import Aggregate, Measure, Measured, Text, weighted

_LIMBS: Final = 5
_BITS: Final = 32
_LOWEST: Final = -80
_INFINITY: Final = "CAST('Infinity' AS DOUBLE)"
_BOUND: Final = 2.0 ** (_LOWEST + _BITS * _LIMBS)


def sum_of_doubles(name: str, spec: Aggregate, argument: str, count: Measure) -> Measured:
    """The measures of a SUM or AVG over DOUBLE or FLOAT: its limbs, lowest first, and the rest."""
    value = f"CAST({argument} AS DOUBLE)"
    fits = f"abs({value}) < {_literal(_BOUND)}"
    limbs = [
        weighted(f"{name}__{i}", True, f"CASE WHEN {fits} THEN {_limb(value, i)} ELSE 0L END")
        for i in range(_LIMBS)
    ]
    up = weighted(f"{name}__p", True, _flag(f"{value} = {_INFINITY} OR isnan({value})"))
    down = weighted(f"{name}__m", True, _flag(f"{value} = -{_INFINITY} OR isnan({value})"))
    large = f"NOT {fits} AND abs({value}) < {_INFINITY}"
    many = weighted(f"{name}__h", True, _flag(large))
    rest = weighted(f"{name}__r", True, f"CASE WHEN {large} THEN {value} ELSE 0D END")

    def answer(of: Text) -> str:
        beside = f"CASE WHEN {of(many.name)} > 0 THEN {of(rest.name)} ELSE 0D END"
        total = f"{_joined([of(limb.name) for limb in limbs])} + {beside}"
        total = _special(of(up.name), of(down.name), total)
        n = of(count.name)
        total = f"({total}) / {n}" if spec.averages else total
        return f"CAST(CASE WHEN {n} > 0 THEN {total} END AS {spec.type or 'DOUBLE'})"

    return Measured((count, *limbs, up, down, many, rest), answer)


def _flag(condition: str) -> str:
    return f"CASE WHEN {condition} THEN 1L ELSE 0L END"


def _special(up: str, down: str, total: str) -> str:
    """The sum where infinities or NaN, which counts as both, are in it."""
    cases = (
        f"WHEN {up} > 0 AND {down} > 0 THEN CAST('NaN' AS DOUBLE)"
        f" WHEN {up} > 0 THEN {_INFINITY} WHEN {down} > 0 THEN -{_INFINITY}"
    )
    return f"CASE {cases} ELSE {total} END"


def _limb(value: str, i: int) -> str:
    """Bits of a limb, with the value's sign. Division and remainder by powers of two are exact."""
    unit = 2.0 ** (_LOWEST + _BITS * i)
    above = "" if i == _LIMBS - 1 else f" % {_literal(unit * 2**_BITS)}"
    return f"CAST(({value}{above}) / {_literal(unit)} AS BIGINT)"


def _joined(limbs: list[str]) -> str:
    """The sum as a double. The limbs are first joined as integers, as far as a DECIMAL holds them:
    what cancels out between them must not cost digits.
    """
    high = " + ".join(
        f"CAST({limb} AS DECIMAL(20,0)) * {2 ** (_BITS * i)}BD" for i, limb in enumerate(limbs[2:])
    )
    low = f"CAST({limbs[1]} AS DECIMAL(20,0)) * {2**_BITS}BD + CAST({limbs[0]} AS DECIMAL(20,0))"
    units = [_literal(2.0 ** (_LOWEST + 2 * _BITS)), _literal(2.0**_LOWEST)]
    return f"CAST({high} AS DOUBLE) * {units[0]} + CAST({low} AS DOUBLE) * {units[1]}"


def _literal(value: float) -> str:
    return f"{value!r}D"
