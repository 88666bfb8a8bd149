"""Non-retroactive relations: a snapshot in the checkpoint of every version that epochs pinned."""

from __future__ import annotations

import glob
import hashlib
from pathlib import Path

import pyarrow.fs as pafs
from pyspark.sql import DataFrame, SparkSession

from ..ledger.storage import Storage
from .declarations import Nrr, declared_columns
from .sources import reader_options

_CAN_FAIL = frozenset({"csv", "json"})


class RelationError(Exception):
    """A relation's source is missing or cannot be read."""


def current_version(nrr: Nrr, epoch: int) -> str:
    """A name for what the relation's source holds now: it changes when a file comes, goes or is
    rewritten.

    A source without files is taken anew in every epoch.
    """
    if nrr.path is None:
        return f"epoch-{epoch:08d}"
    listing = "\n".join(sorted(_listing(nrr.path)))
    return hashlib.sha256(listing.encode()).hexdigest()[:16]


def snapshot_directory(nrr: Nrr, version: str) -> str:
    return version_directory(nrr.name, version)


def version_directory(name: str, version: str) -> str:
    """Where a version of the relation of that name is kept."""
    safe = "".join(char if char.isalnum() else "_" for char in name)
    return f"nrr/{safe}/{version}"


def take_snapshot(spark: SparkSession, storage: Storage, nrr: Nrr, version: str) -> None:
    """Copy the relation's rows into the checkpoint, unless that version is there already.

    Raises the reader's error where a row cannot be parsed: a relation with holes would give wrong
    answers for ever.
    """
    directory = snapshot_directory(nrr, version)
    if storage.exists(f"{directory}/_SUCCESS"):
        return
    frame = _read(spark, nrr)
    frame.coalesce(1).write.mode("overwrite").parquet(storage.spark_path(directory))


def read_snapshot(spark: SparkSession, storage: Storage, nrr: Nrr, version: str) -> DataFrame:
    """The rows of a pinned version: all declared columns."""
    path = storage.spark_path(snapshot_directory(nrr, version))
    return spark.read.schema(declared_columns(nrr.schema)).parquet(path)


def _read(spark: SparkSession, nrr: Nrr) -> DataFrame:
    schema = declared_columns(nrr.schema)
    options = reader_options(nrr.format, dict(nrr.options))
    if nrr.format in _CAN_FAIL:
        options = {**options, "mode": "FAILFAST"}
        options.pop("columnNameOfCorruptRecord", None)
    reader = spark.read.format(nrr.format).schema(schema).options(**options)
    return reader.load(nrr.path) if nrr.path is not None else reader.load()


def _listing(path: str) -> list[str]:
    if "://" in path:
        filesystem, base = pafs.FileSystem.from_uri(path)
        found = [base]
    else:
        filesystem = pafs.LocalFileSystem()
        found = glob.glob(path) or [path]  # noqa: PTH207 - the pattern may be absolute
    return [line for each in found for line in _files(filesystem, str(Path(each).resolve()))]


def _files(filesystem: pafs.FileSystem, path: str) -> list[str]:
    info = filesystem.get_file_info(path)
    if info.type == pafs.FileType.NotFound:
        raise RelationError(f"the relation's file {path} is not there")
    inside = [info]
    if info.type == pafs.FileType.Directory:
        inside = filesystem.get_file_info(pafs.FileSelector(path, recursive=True))
    return [f"{i.path} {i.size} {i.mtime_ns}" for i in inside if i.is_file]
