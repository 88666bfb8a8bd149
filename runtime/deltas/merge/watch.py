"""What is asked of the rows of a merge while they are written: whether inputs keep what they have
promised, and the run-time properties of the merge (LMERGE IV-F).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame

from ...elements.columns import VS

BAD: Final = "_bad"
"""Begins the columns of rows that break the promise of the input at a place."""


def _nothing(frame: DataFrame, asked: Mapping[str, str]) -> DataFrame:
    return frame


@dataclass(frozen=True)
class Watch:
    """`observe` gives a frame that tells aggregates (name -> SQL) when it is written, in the job
    that writes it; `inputs`: those whose promises are declared and needed.
    """

    observe: Callable[[DataFrame, Mapping[str, str]], DataFrame] = _nothing
    inputs: tuple[str, ...] = ()


UNWATCHED: Final = Watch()


def broken(watch: Watch, where: Mapping[str, str]) -> dict[str, str]:
    """The aggregates that tell of broken promises; `where`: input -> SQL of its rows that do."""
    asked = {}
    for name in watch.inputs:
        if name in where:
            asked[f"broken {name}"] = f"count_if({where[name]})"
            asked[f"since {name}"] = f"min(CASE WHEN {where[name]} THEN {VS} END)"
    return asked


def found(told: Mapping[str, int | None], inputs: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Of each input that has broken its promise how many rows do, and from when on."""
    result = {}
    for name in inputs:
        rows, since = told.get(f"broken {name}"), told.get(f"since {name}")
        if rows and since is not None:
            result[name] = (rows, since)
    return result
