"""Spark SQL text of scalar expressions to sqlglot trees that print as they were written."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, cast

from sqlglot import exp, parse_one


@lru_cache(maxsize=4096)
def tree(sql: str) -> exp.Expression:
    """The tree of an expression, shared by all who ask: nobody may change it."""
    return cast(exp.Expression, parse_one(sql, dialect=_dialect()))


@cache
def _dialect() -> Any:
    """Spark's dialect with calls left as they stand: a function that sqlglot knows under another
    name, or as one of nearly the same meaning, would come out as that (LOG10, TO_CHAR, TO_DATE with
    a format).
    """
    from sqlglot.dialects.spark import Spark

    spark: Any = Spark.Parser

    class Parser(spark):  # type: ignore[misc]
        # A bracket behind ARRAY would be taken for a literal, were it any function.
        FUNCTIONS = {"ARRAY": spark.FUNCTIONS["ARRAY"]}  # noqa: RUF012
        FUNCTION_PARSERS = {  # noqa: RUF012
            name: spark.FUNCTION_PARSERS[name] for name in ("CAST", "TRY_CAST", "EXTRACT")
        }

    return type("Verbatim", (Spark,), {"Parser": Parser})
