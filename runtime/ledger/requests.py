"""What people ask of a run at work: files in its checkpoint, numbered, each answered once.

A request is taken by an epoch, whose manifest has its number; the answer is only for who waits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from .storage import Storage

_DIRECTORY: Final = "requests"
_ANSWER: Final = ".answer.json"


@dataclass(frozen=True)
class Request:
    """`kind`: attach or detach; `stream`: what the input is called; `since`: the instant, as it was
    written, from which a new copy is complete.
    """

    number: int
    kind: str
    stream: str
    since: str | None = None


def ask(storage: Storage, kind: str, stream: str, since: str | None = None) -> Request:
    """Leave a request for the run that is at work, or for the next."""
    asked = {"kind": kind, "stream": stream} | ({} if since is None else {"since": since})
    while True:
        number = max(_numbers(storage), default=0) + 1
        try:
            storage.create(_path(number), asked)
            return Request(number, kind, stream, since)
        except FileExistsError:
            continue


def unanswered(storage: Storage) -> list[Request]:
    """In the order in which they were asked."""
    names = set(storage.names(_DIRECTORY))
    open_ = [n for n in _numbers(storage) if f"{n:08d}{_ANSWER}" not in names]
    return [Request(n, **storage.read_json(_path(n))) for n in sorted(open_)]


def answer(
    storage: Storage, request: Request, refused: str | None = None, already: bool = False
) -> None:
    """Tell that a request was taken, that it was so `already`, or why it was not taken."""
    answer = {"refused": refused, "already": already}
    try:
        storage.create(f"{_DIRECTORY}/{request.number:08d}{_ANSWER}", answer)
    except FileExistsError:
        return


def answered(storage: Storage, request: Request) -> dict[str, Any] | None:
    """`{"refused": why or None, "already": bool}`; None while nobody has taken it."""
    path = f"{_DIRECTORY}/{request.number:08d}{_ANSWER}"
    return storage.read_json(path) if storage.exists(path) else None


def _numbers(storage: Storage) -> list[int]:
    names = storage.names(_DIRECTORY)
    own = (name.removesuffix(".json") for name in names if name.endswith(".json"))
    return [int(name) for name in own if name.isdigit()]


def _path(number: int) -> str:
    return f"{_DIRECTORY}/{number:08d}.json"
