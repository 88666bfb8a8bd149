"""SUM and AVG of decimals: exact, whatever the order, and only the answer can overflow.

A decimal of up to 18 digits is summed as a whole number in two limbs of 32 bits; a longer one in
limbs of nine decimal digits. Spark's own arithmetic of decimals cuts digits off where 38 do not
hold both ends, so each step here is one whose result has few digits. A result that does not fit its
type is Spark's error; without ANSI, or with TRY_SUM and TRY_AVG, NULL. It is never a wrong number.
"""

from __future__ import annotations

import re
from typing import Final

from .measures import Aggregate, Measure, Measured, Text, weighted

_SHORT: Final = 18
"""Digits that a BIGINT holds."""
_DIGITS: Final = 9
_MOST: Final = 38
_TYPE: Final = re.compile(r"\w+ *\( *(\d+) *(?:, *(\d+) *)?\)")


def sum_of_decimals(name: str, spec: Aggregate, argument: str, count: Measure) -> Measured:
    """The measures of a SUM or AVG over DECIMAL(p, s): limbs in units of 10^-s, lowest first."""
    precision, scale = _digits(spec.of or "")
    if precision <= _SHORT:
        units = f"CAST({argument} * {_power(scale)} AS BIGINT)"
        values, base = [f"({units} & {2**32 - 1}L)", f"shiftright({units}, 32)"], 2**32
    else:
        values, base = _nines(argument, precision, scale), 10**_DIGITS
    limbs = [weighted(f"{name}__{i}", True, value) for i, value in enumerate(values)]

    def answer(of: Text) -> str:
        total = _joined([of(limb.name) for limb in limbs], base, spec)
        value = _average(total, of(count.name), scale, spec) if spec.averages else total
        shift = _digits(spec.type or "")[1] if spec.averages else scale
        text = f"{spec.cast}(concat({value}, 'E-{shift}') AS {spec.type})"
        return f"CASE WHEN {of(count.name)} > 0 THEN {text} END"

    return Measured((count, *limbs), answer)


def _digits(type_: str) -> tuple[int, int]:
    """Precision and scale of a DECIMAL as DDL; Spark's default where there are none."""
    found = _TYPE.search(type_)
    return (10, 0) if found is None else (int(found[1]), int(found[2] or 0))


def _nines(argument: str, precision: int, scale: int) -> list[str]:
    """Whole numbers of nine digits, with the value's sign: what each power of ten leaves over."""
    count = -(-precision // _DIGITS)
    left = [f"({argument} % {_power(_DIGITS * i - scale)})" for i in range(1, count)]
    upper, lower = [*left, argument], ["", *left]
    return [
        f"CAST(({high}{f' - {low}' if low else ''}) * {_power(scale - _DIGITS * i)} AS BIGINT)"
        for i, (high, low) in enumerate(zip(upper, lower, strict=True))
    ]


def _power(exponent: int) -> str:
    """10 to a power as a DECIMAL literal."""
    return f"{10**exponent}BD" if exponent >= 0 else f"0.{'0' * (-exponent - 1)}1BD"


def _joined(limbs: list[str], base: int, spec: Aggregate) -> str:
    """The sum as DECIMAL(38,0)."""
    trying = spec.cast == "try_cast"
    parts = [f"CAST({limb} AS DECIMAL(20,0))" for limb in limbs]
    units = [f"{base**i}BD" for i in range(len(limbs))]
    pairs = list(zip(parts, units, strict=True))
    total = parts[0]
    for part, unit in pairs[1:]:
        if trying:
            total = f"try_add({total}, try_multiply({part}, {unit}))"
        else:
            total = f"{total} + {part} * {unit}"
    return f"{spec.cast}({total} AS DECIMAL({_MOST},0))"


def _average(total: str, count: str, scale: int, spec: Aggregate) -> str:
    """The sum divided, rounded half up to the scale of the result; in its units."""
    more = _digits(spec.type or "")[1] - scale
    parts = f"named_struct('t', {total}, 'n', CAST({count} AS DECIMAL(20,0)))"
    whole = "CAST((a.t - a.t % a.n) / a.n AS DECIMAL(38,0))"
    rest = f"CAST(round((a.t % a.n) * {_power(more)} / a.n, 0) AS DECIMAL(38,0))"
    value = f"CAST({whole} * {_power(more)} + {rest} AS DECIMAL(38,0))"
    return f"get(transform(array({parts}), a -> {value}), 0)"
