"""The Lark parser for the grammar files, loaded from a cache where there is one.

Building the tables takes about a second, loading them a tenth of that. The cache is a pickle, so it
is read and written only in a directory that belongs to the user and that nobody else can write.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
from functools import cache
from pathlib import Path

import lark

from .lexer import CqlLexer

_HERE = Path(__file__).parent


def grammar_text() -> str:
    """The whole grammar: rules, then words."""
    parts = (_HERE / "cql.lark", _HERE / "lexical.lark")
    return "\n".join(part.read_text(encoding="utf-8") for part in parts)


@cache
def parser() -> lark.Lark:
    """The parser; one for each process."""
    text = grammar_text()
    file = _cache_file(text)
    if file is None:
        return _built(text)
    loaded = _loaded(file)
    if loaded is not None:
        return loaded
    built = _built(text)
    _saved(built, file)
    return built


def _built(text: str) -> lark.Lark:
    return lark.Lark(
        text,
        parser="lalr",
        lexer=CqlLexer,
        start="script",
        propagate_positions=True,
        maybe_placeholders=False,
    )


def _cache_file(text: str) -> Path | None:
    """Where the tables of this grammar belong; None without a private directory."""
    version = f"{lark.__version__} {CqlLexer.__qualname__} {sys.version}"
    key = hashlib.sha256(f"{version}\n{text}".encode()).hexdigest()[:32]
    try:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        folder = Path(base) / "reflow"
        if not folder.is_absolute():
            return None
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder / f"grammar-{key}.pickle" if _is_private(folder) else None
    except (OSError, RuntimeError):
        return None


def _is_private(folder: Path) -> bool:
    """Whether the directory is the user's own and closed to everybody else."""
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return False
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _loaded(file: Path) -> lark.Lark | None:
    try:
        with file.open("rb") as stream:
            return lark.Lark.load(stream)
    except (
        Exception
    ):  # an unreadable cache is no cache, whatever the reason: unpickling raises anything
        return None


def _saved(built: lark.Lark, file: Path) -> None:
    """Writes the tables aside and moves them into place: no reader sees half a file."""
    import tempfile  # rarely needed, and slow to load

    with contextlib.suppress(OSError):
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=".grammar-")
        try:
            with os.fdopen(handle, "wb") as stream:
                built.save(stream)
            Path(name).replace(file)
        except BaseException:
            Path(name).unlink()
            raise
