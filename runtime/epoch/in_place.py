"""Files of a source that are not copied: they are read where they lie, and their rows are what
landing would have written (DESIGN section 4, LAYOUT SOURCE).
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession

from ..connect.declarations import Stream
from ..connect.sources import PLACE, frame_of_files, struct_column
from ..elements.columns import POS, VS, W, big, quote, string
from ..ledger.files import DataFile, what_changed
from ..ledger.storage import Storage


class SourceChanged(Exception):
    """A file that an archive names is not there any more, or is another one."""


def rows_in_place(
    spark: SparkSession, storage: Storage, index: int, stream: Stream, files: Sequence[DataFile]
) -> DataFrame:
    """The rows of files of a source, all of which are elements, as `landing_schema` says."""
    for file in files:
        refuse_changed(storage, stream.name, file)
    paths = [storage.spark_path(file.path) for file in files]
    frame = frame_of_files(spark, index, stream, paths)
    struct = struct_column(index)
    read = ", ".join(
        f"{struct}.{quote(name)} AS {quote(name)}" for name in stream.read_schema.names
    )
    # Where arrival stamps rows, all of a file have the same instant.
    instant = _by_file([(file.path, file.low[VS]) for file in files])
    order = VS if stream.order is not None else f"{instant} AS {VS}"
    placed = frame.selectExpr(order, f"struct({read}) AS {struct}", PLACE)
    columns = [VS, struct]
    columns += [_position(index, files)] if stream.ordered else []
    columns += [f"CAST(NULL AS BIGINT) AS {W}"] if stream.revisable else []
    return placed.selectExpr(*columns)


def refuse_changed(storage: Storage, stream: str, file: DataFile) -> None:
    """Raises SourceChanged unless the file is what the index says it is."""
    fault = what_changed(storage, file)
    if fault is not None:
        raise SourceChanged(
            f"{file.path} of `{stream}` {fault}: LAYOUT SOURCE reads a source's files where they"
            " lie for as long as ARCHIVE KEEP says; put the file back as it was, or start over"
            " with --rebuild"
        )


def _position(index: int, files: Sequence[DataFile]) -> str:
    """`_pos`, the same in every reading: by the file, and the number of a row in it."""
    epoch = _by_file([(file.path, file.epoch) for file in files])
    place = ", ".join(f"'{part}', {PLACE}.{part}" for part in ("time", "file", "block"))
    parts = f"'vs', {VS}, 'epoch', {epoch}, 'source', {index}, {place}, 'row', 0L"
    return f"named_struct({parts}) AS {POS}"


def _by_file(values: Sequence[tuple[str, int]]) -> str:
    """SQL for what belongs to the file of a row, by as few comparisons as a search takes."""
    ordered = sorted(values, key=lambda each: each[0].encode())
    return _searched(ordered)


def _searched(values: Sequence[tuple[str, int]]) -> str:
    if len({value for _, value in values}) == 1:
        return big(values[0][1])
    middle = len(values) // 2
    low, high = _searched(values[:middle]), _searched(values[middle:])
    return f"IF({PLACE}.file < {string(values[middle][0])}, {low}, {high})"
