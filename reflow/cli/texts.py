"""Reading the user's files."""

from __future__ import annotations

from pathlib import Path

from reflow.grammar.source import Source

from .failure import UsageError


def read_source(path: str) -> Source:
    """The text of a `.cql` file; a UsageError says why there is none."""
    return decoded(path, read_file(path))


def read_file(path: str) -> bytes:
    """The bytes of a file; a UsageError says why there are none."""
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise UsageError(f"{path}: is a folder, not a .cql file") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def decoded(path: str, content: bytes) -> Source:
    """The text of a file's bytes; a UsageError if they are none."""
    try:
        return Source(path, content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text (byte {error.start})") from None


def write_text(path: str, text: str) -> None:
    """Writes a file the user named; a UsageError says why it could not be."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def replace_file(path: str, content: bytes) -> None:
    """Puts new content in place of a file at once: a reader, or a crash, sees the old or the new.

    A link stays one, and the file keeps its permissions.
    """
    import shutil  # these two would take a twentieth of the time of a short command
    import tempfile

    target = Path(path).resolve()
    temporary = ""
    try:
        with tempfile.NamedTemporaryFile(
            dir=target.parent, prefix=f".{target.name}.", delete=False
        ) as file:
            temporary = file.name
            file.write(content)
        shutil.copymode(target, temporary)
        Path(temporary).replace(target)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        raise UsageError(f"{path}: {error.strerror}") from None
