"""Reading the user's files."""

from __future__ import annotations

from pathlib import Path

from reflow.grammar.source import Source

from .failure import UsageError


def read_source(path: str) -> Source:
    """The text of a `.cql` file; a UsageError says why there is none."""
    try:
        return Source(path, Path(path).read_bytes().decode("utf-8"))
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise UsageError(f"{path}: is a folder, not a .cql file") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def write_text(path: str, text: str) -> None:
    """Writes a file the user named; a UsageError says why it could not be."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
