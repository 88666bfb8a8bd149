"""Spark SQL's aggregates by name: which function of the plan each is, what it takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, cast

from reflow.grammar.value import value

from ..plan.aggregates import Function

Takes = Literal["any", "ordered", "number", "whole", "boolean", "pair"]
Gives = Literal["BIGINT", "DOUBLE", "BOOLEAN", "argument", "sum", "average", "array", "share"]


@value
class AggregateFunction:
    """An aggregate as it is called. `most` is None where there is no limit."""

    name: str
    function: Function
    least: int
    most: int | None
    takes: Takes
    gives: Gives

    @property
    def wanted(self) -> str:
        """How many arguments, for a message."""
        if self.most is None:
            return f"{self.least} or more arguments"
        if self.least == self.most:
            return f"{self.least} argument{'' if self.least == 1 else 's'}"
        return f"{self.least} or {self.most} arguments"


# What is taken, what is given, and `name:arguments[=function of the plan]`.
_TABLE: tuple[tuple[Takes, Gives, str], ...] = (
    ("any", "BIGINT", "count:0+ approx_count_distinct:1-2=count"),
    ("boolean", "BIGINT", "count_if:1=count"),
    ("number", "sum", "sum:1 try_sum:1"),
    ("number", "average", "avg:1 mean:1=avg try_avg:1"),
    ("ordered", "argument", "min:1 max:1 min_by:2 max_by:2 mode:1-2 first:1-2 last:1-2"),
    ("ordered", "argument", "first_value:1-2=first last_value:1-2=last"),
    ("boolean", "BOOLEAN", "bool_and:1 every:1=bool_and bool_or:1 any:1=bool_or some:1=bool_or"),
    ("ordered", "array", "collect_set:1 collect_list:1 array_agg:1=collect_list"),
    ("whole", "argument", "bit_and:1 bit_or:1 bit_xor:1"),
    ("number", "DOUBLE", "median:1=percentile skewness:1 kurtosis:1"),
    ("number", "DOUBLE", "stddev:1=stddev_samp std:1=stddev_samp stddev_samp:1 stddev_pop:1"),
    ("number", "DOUBLE", "variance:1=var_samp var_samp:1 var_pop:1"),
    ("number", "share", "percentile:2"),
    ("ordered", "share", "percentile_approx:2-3 approx_percentile:2-3=percentile_approx"),
    ("pair", "DOUBLE", "corr:2 covar_pop:2 covar_samp:2 regr_avgx:2 regr_avgy:2 regr_sxx:2"),
    ("pair", "DOUBLE", "regr_syy:2 regr_sxy:2 regr_slope:2 regr_intercept:2 regr_r2:2"),
    ("pair", "BIGINT", "regr_count:2"),
)


def _entry(text: str, takes: Takes, gives: Gives) -> AggregateFunction:
    head, _, function = text.partition("=")
    name, _, count = head.partition(":")
    least, _, most = count.removesuffix("+").partition("-")
    limit = None if count.endswith("+") else int(most or least)
    kept = cast(Function, function or name)
    return AggregateFunction(name, kept, int(least), limit, takes, gives)


AGGREGATES: Mapping[str, AggregateFunction] = MappingProxyType(
    {
        entry.name: entry
        for takes, gives, texts in _TABLE
        for entry in (_entry(text, takes, gives) for text in texts.split())
    }
)

_SKETCH = "a sketch depends on the order of the rows"
_NO_SETS = "write one query for each grouping and UNION ALL"

REFUSED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "any_value": ("any of the values may be it", "MIN(x), or FIRST(x), is one of them"),
        "histogram_numeric": (
            "its bins depend on the order of the rows",
            "PERCENTILE(x, array(…))",
        ),
        "listagg": (
            "the order of the values is not said",
            "array_join(COLLECT_LIST(x), ',') is in order of time,"
            " array_join(COLLECT_SET(x), ',') in order of value",
        ),
        "string_agg": (
            "the order of the values is not said",
            "array_join(COLLECT_LIST(x), ',') is in order of time,"
            " array_join(COLLECT_SET(x), ',') in order of value",
        ),
        "hll_sketch_agg": (_SKETCH, "APPROX_COUNT_DISTINCT(x)"),
        "hll_union_agg": (_SKETCH, "APPROX_COUNT_DISTINCT(x)"),
        "count_min_sketch": (_SKETCH, "GROUP BY the value, and COUNT(*)"),
        "grouping": ("there are no grouping sets in the language", _NO_SETS),
        "grouping_id": ("there are no grouping sets in the language", _NO_SETS),
        "percentile_cont": ("WITHIN GROUP is not part of the language", "PERCENTILE(x, share)"),
        "percentile_disc": (
            "WITHIN GROUP is not part of the language",
            "PERCENTILE_APPROX(x, share) is a value that occurs",
        ),
        "bitmap_construct_agg": ("bitmaps are kept by no query", "COUNT(DISTINCT x)"),
        "bitmap_or_agg": ("bitmaps are kept by no query", "COUNT(DISTINCT x)"),
    }
)
"""Aggregates of Spark that a query may not have: why, and what to write."""
