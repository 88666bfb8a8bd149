"""The aggregates by how they are kept.

*Sums* can be subtracted again: what leaves is taken off. *Extremes* merge, but what leaves cannot
be taken off. All others read every value, and so does each over different values only.
"""

from __future__ import annotations

from typing import Literal, get_args

Sums = Literal["count", "sum", "avg", "try_sum", "try_avg", "bool_and", "bool_or"]
Extremes = Literal["min", "max", "min_by", "max_by", "first", "last"]
Values = Literal[
    "percentile",
    "percentile_approx",
    "mode",
    "collect_set",
    "collect_list",
    "bit_and",
    "bit_or",
    "bit_xor",
    "var_pop",
    "var_samp",
    "stddev_pop",
    "stddev_samp",
    "skewness",
    "kurtosis",
    "covar_pop",
    "covar_samp",
    "corr",
    "regr_count",
    "regr_avgx",
    "regr_avgy",
    "regr_sxx",
    "regr_syy",
    "regr_sxy",
    "regr_slope",
    "regr_intercept",
    "regr_r2",
]
Function = Sums | Extremes | Values

SUMS: frozenset[str] = frozenset(get_args(Sums))
EXTREMES: frozenset[str] = frozenset(get_args(Extremes))
IN_ORDER: frozenset[str] = frozenset({"first", "last", "collect_list"})
"""Those that ask in which order the rows stand."""
