"""Files of the checkpoint, through pyarrow.fs, so that local paths, HDFS and object stores work
alike.
"""

from __future__ import annotations

import json
import os
import re
import uuid
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import pyarrow.fs as pafs


def lies_outside(path: str) -> bool:
    """Whether a path is a URI, as of a source's file that an archive names, and not below a
    checkpoint.
    """
    return _URI.match(path) is not None


class Storage:
    """A directory on some file system. Paths given and returned are relative to it; those of
    files elsewhere are URIs as Spark gives them, with its escapes, and only read.
    """

    def __init__(self, root: str) -> None:
        local = "://" not in root
        self.uri = str(Path(root).resolve()) if local else root.rstrip("/")
        self._fs, self._base = pafs.FileSystem.from_uri(
            Path(self.uri).as_uri() if local else self.uri
        )
        self._local = isinstance(self._fs, pafs.LocalFileSystem)
        if self._local:
            self._base = self.uri.removeprefix("file://")

    @property
    def is_local(self) -> bool:
        return self._local

    @property
    def filesystem(self) -> pafs.FileSystem:
        return self._fs

    def spark_path(self, path: str) -> str:
        """The path as Spark reads it: it takes names for patterns, and escapes for names."""
        if lies_outside(path):
            return _PATTERN.sub(r"\\\1", unquote(path))
        return f"{self.uri}/{path}"

    def full(self, path: str) -> str:
        """The path as pyarrow reads it. Raises ValueError for one outside of the directory, which
        nobody may write or delete.
        """
        if lies_outside(path):
            raise ValueError(f"{path} is none of the checkpoint's files")
        return f"{self._base}/{path}"

    def located(self, path: str) -> tuple[pafs.FileSystem, str]:
        """The file system of a file, and its path there, as pyarrow reads it."""
        if lies_outside(path):
            found: tuple[pafs.FileSystem, str] = pafs.FileSystem.from_uri(path)
            return found
        return self._fs, self.full(path)

    def looked_at(self, path: str) -> tuple[int, int] | None:
        """Bytes of a file and when it was changed last, in microseconds; None: it is not there."""
        filesystem, where = self.located(path)
        info = filesystem.get_file_info(where)
        return (info.size, (info.mtime_ns or 0) // 1000) if info.is_file else None

    def exists(self, path: str) -> bool:
        return bool(self._fs.get_file_info(self.full(path)).type != pafs.FileType.NotFound)

    def names(self, directory: str) -> list[str]:
        """The names of the files and folders in a directory; none if it is not there."""
        selector = pafs.FileSelector(self.full(directory), allow_not_found=True)
        return sorted(info.base_name for info in self._fs.get_file_info(selector))

    def files(self, directory: str, suffix: str) -> list[tuple[str, int]]:
        """All files below a directory with that ending: (path, bytes)."""
        selector = pafs.FileSelector(self.full(directory), allow_not_found=True, recursive=True)
        found = self._fs.get_file_info(selector)
        return sorted(
            (info.path[len(self._base) + 1 :], info.size)
            for info in found
            if info.is_file and info.base_name.endswith(suffix)
        )

    def read_json(self, path: str) -> dict[str, Any]:
        with self._fs.open_input_stream(self.full(path)) as stream:
            loaded: dict[str, Any] = json.loads(stream.read())
            return loaded

    def read_text(self, path: str) -> str:
        with self._fs.open_input_stream(self.full(path)) as stream:
            text: str = stream.read().decode()
            return text

    def create(self, path: str, document: dict[str, Any]) -> None:
        """Write a document that must not be there yet, whole or not at all.

        Raises FileExistsError if another writer was first.
        """
        if not self._local and self.exists(path):
            raise FileExistsError(path)
        self._place(self._staged(path, document), self.full(path))

    def _staged(self, path: str, document: dict[str, Any]) -> str:
        """A document, whole, beside where it will lie."""
        target = self.full(path)
        temporary = f"{target}.{uuid.uuid4().hex}.tmp"
        self._fs.create_dir(target.rpartition("/")[0], recursive=True)
        with self._fs.open_output_stream(temporary) as stream:
            stream.write(json.dumps(document, separators=(",", ":")).encode())
        return temporary

    def _place(self, temporary: str, target: str) -> None:
        if not self._local:
            self._fs.move(temporary, target)
            return
        try:
            _sync(temporary)
            os.link(temporary, target)  # fails if the target is there; a rename would not
        finally:
            Path(temporary).unlink()

    def move(self, path: str, to: str) -> None:
        """Give a file or a directory another name, under which nothing lies yet."""
        self._fs.move(self.full(path), self.full(to))

    def replace(self, path: str, document: dict[str, Any]) -> None:
        """Write a document in place of one that may be there; who reads finds the one or the
        other.
        """
        self._fs.move(self._staged(path, document), self.full(path))

    def delete(self, path: str) -> None:
        """Delete a file or a whole directory; nothing happens if it is not there."""
        kind = self._fs.get_file_info(self.full(path)).type
        if kind == pafs.FileType.Directory:
            self._fs.delete_dir(self.full(path))
        elif kind != pafs.FileType.NotFound:
            self._fs.delete_file(self.full(path))


_URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")
_PATTERN: Final = re.compile(r"([\\*?\[\]{}])")


def _sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
