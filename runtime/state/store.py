"""The store of a program's state: per operator a base and delta files, summed on read.

Each epoch may add one frame to a piece of state. When the added files become many, the epoch folds
them: the operator's `fold` rewrites everything as a new base.
"""

from __future__ import annotations

import json
from copy import copy
from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from ..elements.columns import VE, VS
from ..elements.context import Dead, Fold
from ..elements.deltas import Slice, union
from ..ledger.files import DataFile, writer, written_files
from ..ledger.manifest import StateFiles
from ..ledger.storage import Storage
from .expiration import Expiration

AS_A_RULE: Final = Expiration()

FOLD_AFTER: Final = 16
"""Added files after which state is folded into a new base."""

SMALL: Final = 20_000
"""Rows up to which state is one file, rewritten every epoch: opening many files costs more."""


@dataclass(frozen=True)
class Addition:
    """One epoch's write to a piece of state. `whole`: it replaces all earlier files."""

    name: str
    frame: DataFrame
    whole: bool
    directory: str


def overlaps(file: DataFile, wanted: Slice) -> bool:
    """Whether a file may hold rows of the slice, judged by its ranges."""
    bounds = ((VS, wanted.vs_after, wanted.vs_upto), (VE, wanted.ve_after, wanted.ve_upto))
    for column, after, upto in bounds:
        if after is not None and file.high.get(column, after + 1) <= after:
            return False
        if upto is not None and file.low.get(column, upto) > upto:
            return False
    return True


class StateStore:
    """The state of one epoch: what the parent left, and what this epoch adds."""

    def __init__(
        self,
        spark: SparkSession,
        storage: Storage,
        epoch: int,
        files: dict[str, StateFiles],
        few: bool,
        single: bool = False,
        expiration: Expiration = AS_A_RULE,
    ) -> None:
        """`few`: the epoch has so few rows that one file holds what an operator adds;
        `single`: state is read as one partition.
        """
        self._few = few
        self._single = single
        self._expiration = expiration
        self._spark = spark
        self._storage = storage
        self._epoch = epoch
        self._files = files
        self._dead: dict[str, Dead] = {}
        self.additions: list[Addition] = []
        self.written: set[str] = set()
        self.owners: dict[str, str] = {}
        self._owner: str | None = None

    def of(self, section: str) -> StateStore:
        """The same store as an input of a merge sees it: what is kept is that input's."""
        seen = copy(self)
        seen._owner = section
        return seen

    def read(self, name: str, wanted: Slice | None = None) -> DataFrame | None:
        """What earlier epochs added under that name; with a slice, only rows within it."""
        known = self._files.get(name)
        if known is None:
            return None
        files = known.files
        if wanted is not None and not self.scans:
            files = tuple(file for file in known.files if overlaps(file, wanted))
        frame = read_files(self._spark, self._storage, known.schema, files)
        if frame is not None and self._single:
            frame = frame.coalesce(1)
        condition = None if wanted is None else wanted.condition()
        return frame if frame is None or condition is None else frame.where(condition)

    @property
    def scans(self) -> bool:
        """Whether ranges of files are of no account: all of them are read."""
        return self._expiration.scans

    def rows(self, name: str) -> int:
        """Rows under that name, before summing; known from the manifest, costs no job."""
        known = self._files.get(name)
        return known.rows if known else 0

    def add(
        self,
        name: str,
        frame: DataFrame | None,
        fold: Fold,
        dead: Dead | None = None,
        raw: bool = False,
    ) -> None:
        """Keep a frame for later epochs. `dead` tells which earlier files hold nothing any more;
        `raw`: a single addition must be folded too.
        """
        if dead is not None and not self.scans:
            self._dead[name] = dead
        if frame is None:
            return
        whole = self._is_due(name)
        merged = union(self.read(name), frame) if whole else frame
        assert merged is not None
        self._append(name, fold(merged) if whole or raw else merged, whole)

    def let_go(self, complete: int, lazily: bool = False) -> int:
        """The instant by which rows must have ended to be dropped now."""
        return self._expiration.frontier(complete, lazily)

    def is_small(self, name: str) -> bool:
        """Whether what is known is so little that it is written anew every epoch."""
        return self.rows(name) <= SMALL

    def replace(self, name: str, frame: DataFrame) -> None:
        """All that later epochs need, instead of what is known under that name."""
        self._append(name, frame, whole=True)

    def _append(self, name: str, frame: DataFrame, whole: bool) -> None:
        if self._few and self.is_small(name):
            frame = frame.coalesce(1)
        if self._owner is not None:
            self.owners[name] = self._owner
        directory = f"state/{name}/{self._epoch:08d}"
        self.additions.append(Addition(name, frame, whole, directory))

    def _is_due(self, name: str) -> bool:
        known = self._files.get(name)
        if known is None:
            return False
        if self.is_small(name):
            return True
        added = {file.epoch for file in known.files}
        deltas = sum(file.rows for file in known.files if file.epoch != min(added))
        return len(added) >= FOLD_AFTER or (deltas > SMALL and deltas * 4 > known.rows)

    def write(self, addition: Addition) -> None:
        """Write one addition. One Spark job; the files count only once a manifest names them.
        `written` has its name then.
        """
        path = self._storage.spark_path(addition.directory)
        writer(self._expiration.laid_out(addition.frame)).parquet(path)
        self.written.add(addition.name)

    def result(self) -> dict[str, StateFiles]:
        """The files that the next epoch will find."""
        files = {name: self._alive(name, known) for name, known in self._files.items()}
        for addition in self.additions:
            written = written_files(self._storage, addition.directory, self._epoch)
            before = () if addition.whole else files.get(addition.name, StateFiles("", ())).files
            schema = addition.frame.schema.json()
            files[addition.name] = StateFiles(schema, (*before, *written))
        return {name: known for name, known in files.items() if known.files}

    def _alive(self, name: str, known: StateFiles) -> StateFiles:
        dead = self._dead.get(name)
        if dead is None:
            return known
        return StateFiles(known.schema, tuple(file for file in known.files if not dead(file)))


def read_files(
    spark: SparkSession, storage: Storage, schema: str, files: tuple[DataFile, ...] | list[DataFile]
) -> DataFrame | None:
    """The rows of explicit files: naming them and their schema costs no listing and no job."""
    if not files:
        return None
    paths = [storage.spark_path(file.path) for file in files]
    return spark.read.schema(StructType.fromJson(json.loads(schema))).parquet(*paths)
