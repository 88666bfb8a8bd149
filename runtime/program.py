"""Every name that emitted code may use, and no other: the contract between compiler and runtime."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from pyspark.sql.streaming.readwriter import DataStreamWriter

from .connect.declarations import Merge, Nrr, Query, Replay, Stream
from .connect.relations import RelationError
from .connect.sinks.existing import OutputExists
from .deltas.aggregates import aggregate
from .deltas.distinct import distinct, distinct_stored
from .deltas.except_by import except_all_by
from .deltas.group import distinct_points, group
from .deltas.hold import hold
from .deltas.join import join, join_points
from .deltas.join_asof import join_asof
from .deltas.keep import keep_rows
from .deltas.linear import select, union_all, where
from .deltas.merged import merged
from .deltas.nrr_join import nrr_join
from .deltas.once import computed, shared
from .deltas.points import to_points
from .deltas.reconstitute import reconstitute, unjudged
from .deltas.relation import relation
from .deltas.reports import as_stream, dstream, istream, rstream
from .deltas.rows_window import rows_window
from .deltas.semi_join import anti_join, semi_join
from .deltas.session import session_window
from .deltas.set_operations import except_, except_all, intersect, intersect_all
from .deltas.sink import sink
from .deltas.windows import window_now, window_range, window_unbounded
from .elements.context import Epoch
from .epoch.engine import CheckpointError
from .epoch.promises import BrokenPromise
from .epoch.revising import Anomaly
from .ledger.progress import Progress, Summary
from .run.instants import BadInstant
from .run.options import RunOptions, parse_arguments
from .run.plain import PlainReader, run_plain
from .run.runner import RunError, run
from .state.expiration import Expiration
from .state.store import AS_A_RULE

RUN_ERRORS = (RunError, CheckpointError, OutputExists, RelationError, Anomaly, BrokenPromise)
"""What a failed run raises, with a message for the user; `BadInstant` is wrong usage."""

Function = TypeVar("Function", bound=Callable[..., object])


class _Runnable:
    """What plain programs and delta programs share."""

    def __init__(
        self,
        name: str,
        streams: Sequence[Stream],
        queries: Sequence[Query],
        nrrs: Sequence[Nrr] = (),
        settings: Mapping[str, str] | None = None,
        timezone: str = "UTC",
        fingerprint: str = "",
        expiration: Expiration = AS_A_RULE,
        fail_on_anomaly: bool = False,
        defers: bool = False,
        replay: Replay | None = None,
        merges: Sequence[Merge] = (),
        degrades: bool = False,
    ) -> None:
        self.name = name
        self.streams = tuple(streams)
        self.queries = tuple(queries)
        self.nrrs = tuple(nrrs)
        self.settings = dict(settings or {})
        self.timezone = timezone
        self.fingerprint = fingerprint
        self.expiration = expiration
        self.fail_on_anomaly = fail_on_anomaly
        self.defers = defers
        self.replay = replay
        self.merges = tuple(merges)
        self.degrades = degrades

    @property
    def timestamps(self) -> bool:
        """Whether order values are timestamps (else ticks)."""
        return all(stream.timestamps for stream in self.streams)

    def run(self, options: RunOptions) -> Summary:
        """Run until drained or stopped; raises one of RUN_ERRORS, or BadInstant."""
        raise RunError(f"{self.name} has no query")

    def main(self, arguments: list[str] | None = None) -> None:
        """The command line of an emitted program: exit status 0 good, 1 run failed, 2 usage."""
        options = parse_arguments(self.name, arguments)
        try:
            print(self.run(options).to_json())
        except BadInstant as error:
            sys.exit(_complain(error, 2))
        except RUN_ERRORS as error:
            sys.exit(_complain(error, 1))


def _complain(error: Exception, status: int) -> int:
    print(f"error: {error}", file=sys.stderr)
    return status


class Program(_Runnable):
    """A delta program: one function of an epoch, run for every batch."""

    _function: Callable[[Epoch], None] | None = None

    def epoch(self, function: Callable[[Epoch], None]) -> Callable[[Epoch], None]:
        """Decorator: the function that computes one epoch."""
        self._function = function
        return function

    def evaluate(self, context: Epoch) -> None:
        """Build one epoch's deltas and register its outputs and state."""
        assert self._function is not None, "a program needs an @program.epoch function"
        self._function(context)

    def run(self, options: RunOptions) -> Summary:
        return run(self, options)


class PlainProgram(_Runnable):
    """A stateless program: a plain Spark streaming query each."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self._builders: dict[str, Callable[[PlainReader], DataStreamWriter]] = {}

    def query(
        self, name: str
    ) -> Callable[
        [Callable[[PlainReader], DataStreamWriter]], Callable[[PlainReader], DataStreamWriter]
    ]:
        """Decorator: the function that builds one query's writer."""

        def register(
            build: Callable[[PlainReader], DataStreamWriter],
        ) -> Callable[[PlainReader], DataStreamWriter]:
            self._builders[name] = build
            return build

        return register

    def run(self, options: RunOptions) -> Summary:
        return run_plain(self, self._builders, options)


__all__ = [
    "RUN_ERRORS",
    "BadInstant",
    "CheckpointError",
    "Epoch",
    "Expiration",
    "Merge",
    "Nrr",
    "PlainProgram",
    "PlainReader",
    "Program",
    "Progress",
    "Query",
    "Replay",
    "RunError",
    "RunOptions",
    "Stream",
    "Summary",
    "aggregate",
    "anti_join",
    "as_stream",
    "computed",
    "distinct",
    "distinct_points",
    "distinct_stored",
    "dstream",
    "except_",
    "except_all",
    "except_all_by",
    "group",
    "hold",
    "intersect",
    "intersect_all",
    "istream",
    "join",
    "join_asof",
    "join_points",
    "keep_rows",
    "merged",
    "nrr_join",
    "reconstitute",
    "relation",
    "rows_window",
    "rstream",
    "select",
    "semi_join",
    "session_window",
    "shared",
    "sink",
    "to_points",
    "union_all",
    "unjudged",
    "where",
    "window_now",
    "window_range",
    "window_unbounded",
]
