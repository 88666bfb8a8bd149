"""What the footer of a Parquet file, whoever has written it, says about all rows of a column."""

from __future__ import annotations

import json
from typing import Any, Final

import pyarrow.parquet as pq

ANCIENT: Final = -2_208_988_800_000_000
"""1900, in microseconds: of older times it depends on the writer's calendar which they are."""

_PER_UNIT: Final = {"milliseconds": 1000, "microseconds": 1}


def extent(footer: pq.FileMetaData, column: str, timestamps: bool) -> tuple[int, int, int] | None:
    """Least and largest value, in microseconds or ticks, and the number of NULLs. None where the
    footer does not tell it exactly (INT96 has no statistics), or the values are not of that kind.
    """
    found = _chunks(footer, column)
    if not found:
        return None
    factor = _factor(found[0], timestamps)
    statistics = [chunk.statistics for chunk in found]
    if factor is None or not all(map(_is_exact, statistics)):
        return None
    dated = [each for each in statistics if each.has_min_max]
    low = min((each.min_raw * factor for each in dated), default=0)
    high = max((each.max_raw * factor for each in dated), default=0)
    if timestamps and low < ANCIENT:
        return None
    return low, high, sum(each.null_count for each in statistics)


def constant(footer: pq.FileMetaData, column: str) -> str | None:
    """The value that a column has in all rows, as text; None: it has others, or is not told."""
    values = set()
    for chunk in _chunks(footer, column):
        statistics = chunk.statistics
        if statistics is None or not statistics.has_min_max or not statistics.has_null_count:
            return None
        values |= {statistics.min, statistics.max, *([None] if statistics.null_count else [])}
    only = values.pop() if len(values) == 1 else None
    return str(only) if isinstance(only, str | int) and not isinstance(only, bool) else None


def _is_exact(statistics: Any) -> bool:
    """Whether NULLs are counted, and there is a range if any value is none."""
    if statistics is None or not statistics.has_null_count:
        return False
    return bool(statistics.has_min_max or statistics.num_values == 0)


def _chunks(footer: pq.FileMetaData, column: str) -> list[Any]:
    """The column in each row group; none where no column has just that name."""
    names = [footer.schema.column(index).path for index in range(footer.num_columns)]
    if names.count(column) != 1:
        return []
    index = names.index(column)
    groups = [footer.row_group(group) for group in range(footer.num_row_groups)]
    return [group.column(index) for group in groups if group.num_rows] if groups else []


def _factor(chunk: Any, timestamps: bool) -> int | None:
    """What a stored value is multiplied by; None where it is something else."""
    kind = json.loads(chunk.statistics.logical_type.to_json()) if chunk.statistics else {}
    stored = chunk.physical_type
    if timestamps:
        if stored != "INT64" or not kind.get("isAdjustedToUTC"):
            return None
        return _PER_UNIT.get(kind.get("timeUnit", ""))
    plain = kind.get("Type") in ("None", None) or kind.get("isSigned") is True
    return 1 if stored in ("INT64", "INT32") and plain else None
