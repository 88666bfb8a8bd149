"""State of the keys to which something happens in an epoch: of large state nothing else is worked
on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pyspark.sql import DataFrame

from ..elements.columns import quote, same
from ..elements.context import Epoch

LARGE_STATE: Final = 200_000
"""Rows of state from which on only the touched keys are read; finding them costs a join."""


def is_large(e: Epoch, name: str) -> bool:
    """Whether it pays to find the touched keys of a state."""
    return e.state.rows(name) > LARGE_STATE


def of_touched(
    e: Epoch, name: str, known: DataFrame, keys: tuple[str, ...], changes: DataFrame
) -> DataFrame:
    """The rows of a state whose key occurs in the changes; all rows where they are few or have no
    key.
    """
    return with_keys(e, known, keys, changes) if keys and is_large(e, name) else known


def with_keys(e: Epoch, frame: DataFrame, keys: Iterable[str], among: DataFrame) -> DataFrame:
    """The rows whose `keys` (columns of both; NULLs are equal) are those of some row of `among`."""
    match = same((f"k.{quote(key)}", f"a.{quote(key)}") for key in keys)
    return e.sql(f"SELECT k.* FROM {e.view(frame)} k LEFT SEMI JOIN {e.view(among)} a ON {match}")
