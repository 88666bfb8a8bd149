"""SUM and AVG of doubles, the same to the last bit in whatever order rows come.

A double of less than 2^80 is cut into five limbs of 32 bits, the lowest with the unit 2^-80, and
the limbs are summed as integers. What is smaller than a unit is cut off, always alike. Infinities,
NaN and larger numbers are summed as doubles, beside.
"""

from __future__ import annotations

from typing import Final

from .measures import Aggregate, Measure, Measured, Text, weighted

_LIMBS: Final = 5
_BITS: Final = 32
_LOWEST: Final = -80
_BOUND: Final = 2.0 ** (_LOWEST + _BITS * _LIMBS)


def sum_of_doubles(name: str, spec: Aggregate, argument: str, count: Measure) -> Measured:
    """The measures of a SUM or AVG over DOUBLE or FLOAT: its limbs, lowest first, and the rest."""
    value = f"CAST({argument} AS DOUBLE)"
    fits = f"abs({value}) < {_literal(_BOUND)}"
    limbs = [
        weighted(f"{name}__{i}", True, f"CASE WHEN {fits} THEN {_limb(value, i)} ELSE 0L END")
        for i in range(_LIMBS)
    ]
    rest = weighted(f"{name}__r", False, f"CASE WHEN {fits} THEN 0D ELSE {value} END")

    def answer(of: Text) -> str:
        total = f"{_joined([of(limb.name) for limb in limbs])} + {of(rest.name)}"
        n = of(count.name)
        total = f"({total}) / {n}" if spec.function == "avg" else total
        return f"CAST(CASE WHEN {n} > 0 THEN {total} END AS {spec.type or 'DOUBLE'})"

    return Measured((count, *limbs, rest), answer)


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
