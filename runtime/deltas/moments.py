"""Variance and its kin over a sorted array of values, or of pairs `(x, y)`, as SQL text.

Two passes: the mean as the distance from the first value, then powers of the distance from it. A
column of equal values has a variance of exactly 0. What Spark leaves undefined is NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

Text = Callable[[str], str]


def _let(value: str, name: str, body: str) -> str:
    """`body` with `name` standing for the value, which is computed once."""
    return f"get(transform(array({value}), {name} -> {body}), 0)"


def _sum(bag: str, of: str) -> str:
    """The sum over the array of an expression over its element `s`."""
    return f"aggregate({bag}, 0D, (t, s) -> t + {of})"


def _mean(bag: str, part: str) -> str:
    value, first = f"CAST(s{part} AS DOUBLE)", f"CAST(get({bag}, 0){part} AS DOUBLE)"
    return f"({first} + {_sum(bag, f'({value} - {first})')} / greatest(size({bag}), 1))"


def _central(bag: str, body: str) -> str:
    """`body` over `m2`, `m3`, `m4`: sums of powers of the distance from the mean, and `n`."""
    far = "(CAST(s AS DOUBLE) - m)"
    powers = ", ".join(f"'m{power}', {_sum(bag, ' * '.join([far] * power))}" for power in (2, 3, 4))
    sums = f"named_struct('n', CAST(size({bag}) AS DOUBLE), {powers})"
    inner = _let(sums, "q", f"CASE WHEN q.m2 <> 0 THEN {body} END")
    return _let(_mean(bag, ""), "m", inner)


def _squares(bag: str) -> str:
    far = "(CAST(s AS DOUBLE) - m)"
    return _let(_mean(bag, ""), "m", _sum(bag, f"{far} * {far}"))


def _variance(sample: bool, root: bool) -> Text:
    def text(bag: str) -> str:
        least, count = (1, f"(size({bag}) - 1)") if sample else (0, f"size({bag})")
        value = f"{_squares(bag)} / {count}"
        return f"CASE WHEN size({bag}) > {least} THEN {f'sqrt({value})' if root else value} END"

    return text


def _of_pairs(body: str, least: int = 0) -> Text:
    """A body over `n`, the means `x` and `y`, and the sums `xx`, `yy`, `xy` of products of the
    distances from them; NULL for no more than `least` pairs.
    """

    def text(bag: str) -> str:
        dx, dy = "(s.x - m.x)", "(s.y - m.y)"
        sums = (
            f"named_struct('n', size({bag}), 'x', m.x, 'y', m.y, 'xx', {_sum(bag, f'{dx} * {dx}')},"
            f" 'yy', {_sum(bag, f'{dy} * {dy}')}, 'xy', {_sum(bag, f'{dx} * {dy}')})"
        )
        means = f"named_struct('x', {_mean(bag, '.x')}, 'y', {_mean(bag, '.y')})"
        whole = _let(means, "m", _let(sums, "q", body))
        return f"CASE WHEN size({bag}) > {least} THEN {whole} END"

    return text


def _regression(body: str) -> Text:
    """A body that needs two different values of x."""
    return _of_pairs(f"CASE WHEN q.xx <> 0 THEN {body} END")


MOMENTS: Mapping[str, Text] = MappingProxyType(
    {
        "var_pop": _variance(sample=False, root=False),
        "var_samp": _variance(sample=True, root=False),
        "stddev_pop": _variance(sample=False, root=True),
        "stddev_samp": _variance(sample=True, root=True),
        "skewness": lambda bag: _central(bag, "sqrt(q.n) * q.m3 / sqrt(q.m2 * q.m2 * q.m2)"),
        "kurtosis": lambda bag: _central(bag, "q.n * q.m4 / (q.m2 * q.m2) - 3D"),
        "covar_pop": _of_pairs("q.xy / q.n"),
        "covar_samp": _of_pairs("q.xy / (q.n - 1)", least=1),
        "corr": _of_pairs("CASE WHEN q.xx <> 0 AND q.yy <> 0 THEN q.xy / sqrt(q.xx * q.yy) END"),
        "regr_count": lambda bag: f"CAST(coalesce(size({bag}), 0) AS BIGINT)",
        "regr_avgx": _of_pairs("q.x"),
        "regr_avgy": _of_pairs("q.y"),
        "regr_sxx": _of_pairs("q.xx"),
        "regr_syy": _of_pairs("q.yy"),
        "regr_sxy": _of_pairs("q.xy"),
        "regr_slope": _regression("q.xy / q.xx"),
        "regr_intercept": _regression("q.y - q.xy / q.xx * q.x"),
        "regr_r2": _regression("CASE WHEN q.yy = 0 THEN 1D ELSE q.xy * q.xy / (q.xx * q.yy) END"),
    }
)
