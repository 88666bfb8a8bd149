"""Inputs of merges in a run: who asks for one to come or go, and which have lost their files."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from ..connect.declarations import Stream
from ..epoch.attaching import Already, Refused, names, sections
from ..epoch.engine import Engine
from ..ledger import requests
from ..ledger.requests import Request
from .instants import BadInstant, parse_instant

_GLOB: Final = re.compile(r"[\\*?\[\]{}]")


class Inputs:
    """The inputs of a program's merges, as one engine has them."""

    def __init__(self, program: Any, engine: Engine) -> None:
        self._program = program
        self._engine = engine

    @property
    def streams(self) -> list[Stream]:
        """Those that are read now."""
        read = self._engine.read
        return [stream for stream in self._program.streams if stream.name in read]

    def due(self) -> bool:
        """Whether somebody asks, or some input that may go has lost its files."""
        if not self._program.merges:
            return False
        return bool(requests.unanswered(self._engine.storage)) or any(self._lost())

    def settle(self) -> None:
        """The control epochs that are due: no batch may be under way."""
        if not self._program.merges:
            return
        for request in requests.unanswered(self._engine.storage):
            self._take(request)
        for section, path in list(self._lost()):
            reason = f"{path} is not there"
            self._engine.regroup("detach", section, reason)
            again = "reflow attach brings it back"
            print(f"reflow: {section} is detached: {reason}; {again}", file=sys.stderr)

    def _take(self, request: Request) -> None:
        refused, already = None, False
        try:
            section, since = self._section(request.stream), self._instant(request.since)
            self._engine.regroup(request.kind, section, "as asked", request.number, since)
        except (Refused, BadInstant) as error:
            refused = str(error)
        except Already:
            already = True
        requests.answer(self._engine.storage, request, refused, already)

    def _instant(self, text: str | None) -> int | None:
        if text is None:
            return None
        return parse_instant(text, self._program.timestamps, self._program.timezone)

    def _section(self, name: str) -> str:
        found = sections(self._program.merges, name)
        if len(found) == 1:
            return found[0]
        if found:
            raise Refused(f"{name} is an input of several merges")
        every = ", ".join(names(self._program.merges))
        raise Refused(f"{name} is no input of a merge; there are {every}")

    def _lost(self) -> Iterator[tuple[str, str]]:
        """The inputs that may go and whose files are not there, with the path."""
        for stream in self.streams:
            if is_lost(stream):
                section = self._engine.may_go(stream.name)
                if section is not None:
                    yield section, str(stream.path)


def is_lost(stream: Stream) -> bool:
    """Whether the local folder of a stream is not there. Nothing is said of other places."""
    path = (stream.path or "").removeprefix("file://")
    return bool(path) and "://" not in path and not _GLOB.search(path) and not Path(path).exists()


def uncommitted(offsets: Sequence[str], commits: Sequence[str]) -> bool:
    """Whether Spark has begun a batch and not ended it, by the names in its two logs."""
    last = [max((int(n) for n in log if n.isdigit()), default=-1) for log in (offsets, commits)]
    return last[0] > last[1]
