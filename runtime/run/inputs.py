"""Inputs of merges in a run: who asks for one to come or go, and which have lost their files."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from ..connect.declarations import Stream
from ..connect.sources import is_lost, read_stream
from ..epoch.attaching import Already, Refused, names, sections
from ..epoch.engine import Engine
from ..ledger import requests
from ..ledger.requests import Request
from .instants import BadInstant, parse_instant

_UNREADABLE: Final = re.compile(r"\[FAILED_READ_FILE[.\w]*\].*?file:/*(/[^\s]*?)\.?(?:\s|$)")


class Inputs:
    """The inputs of a program's merges, as one engine has them."""

    def __init__(self, program: Any, engine: Engine) -> None:
        self._program = program
        self._engine = engine

        self._failing: dict[str, str] = {}

    @property
    def lost(self) -> frozenset[str]:
        """The streams of inputs that are about to go, since they cannot be read."""
        going = [*self._failing, *(section for section, _ in self._lost())]
        return self._engine.streams_of(going)

    @property
    def streams(self) -> list[Stream]:
        """Those that are read now."""
        read = self._engine.read
        return [stream for stream in self._program.streams if stream.name in read]

    def due(self) -> bool:
        """Whether somebody asks, or some input that may go has lost its files."""
        if not self._program.merges:
            return False
        asked = bool(self._failing or requests.unanswered(self._engine.storage))
        return asked or any(self._lost())

    def blame(self, spark: SparkSession, error: BaseException) -> bool:
        """Whether a run failed because of sources of inputs that may go, which then are due."""
        if any(self._lost()):
            return True
        for stream in self.streams:
            section, reason = self._engine.may_go(stream.name), None
            if section is not None and section not in self._failing:
                reason = failure(spark, stream, str(error))
            if section is not None and reason is not None:
                self._failing[section] = reason
        return bool(self._failing)

    def settle(self) -> None:
        """The control epochs that are due: no batch may be under way."""
        if not self._program.merges:
            return
        for request in requests.unanswered(self._engine.storage):
            self._take(request)
        missing = {section: f"{path} is not there" for section, path in self._lost()}
        failing, self._failing = self._failing, {}
        for section, reason in {**failing, **missing}.items():
            self._detach(section, reason)

    def _detach(self, section: str, reason: str) -> None:
        try:
            self._engine.regroup("detach", section, reason)
        except (Already, Refused):
            # It went with another, or has become the last: who needs it finds it missing.
            return
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


def failure(spark: SparkSession, stream: Stream, error: str) -> str | None:
    """Why a source cannot be read, where an error names a file of it or it does not open; None: it
    is not to blame.
    """
    named = unreadable(error)
    if named is not None:
        path = (stream.path or "").removeprefix("file://")
        below = bool(path) and Path(named).is_relative_to(Path(path).absolute())
        return f"{named} cannot be read" if below else None
    try:
        read_stream(spark, 0, stream)
    except PySparkException as refused:
        return str(refused).strip().splitlines()[0]
    return None


def unreadable(error: str) -> str | None:
    """The local file that Spark could not read, by its message."""
    found = _UNREADABLE.search(error)
    return None if found is None else unquote(found[1])


def uncommitted(offsets: Sequence[str], commits: Sequence[str]) -> bool:
    """Whether Spark has begun a batch and not ended it, by the names in its two logs."""
    last = [max((int(n) for n in log if n.isdigit()), default=-1) for log in (offsets, commits)]
    return last[0] > last[1]
