"""What an operator may ask of the epoch it runs in. The epoch itself is made in `runtime.epoch`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from pyspark.sql import DataFrame

from .deltas import AnyDelta, Intervals, Slice

RECORD: Final = ".ended"
"""Ends the names of what is recorded of windows by count (`deltas.recorded_rows`)."""

Fold = Callable[[DataFrame], DataFrame]


class Ranged(Protocol):
    """A file of state, with the range of its engine columns."""

    @property
    def low(self) -> dict[str, int]: ...

    @property
    def high(self) -> dict[str, int]: ...


Dead = Callable[[Ranged], bool]


class State(Protocol):
    """The state of one epoch: what the parent left, and what this epoch adds."""

    def read(self, name: str, wanted: Slice | None = None) -> DataFrame | None:
        """What earlier epochs added under that name; with a slice, only rows within it."""

    def rows(self, name: str) -> int:
        """Rows under that name, before summing."""

    def let_go(self, complete: int, lazily: bool = False) -> int:
        """The instant by which rows must have ended to be dropped now."""

    def is_small(self, name: str) -> bool:
        """Whether what is known is so little that it is written anew every epoch."""

    def replace(self, name: str, frame: DataFrame) -> None:
        """All that later epochs need, instead of what is known under that name."""

    def add(
        self,
        name: str,
        frame: DataFrame | None,
        fold: Fold,
        dead: Dead | None = None,
        raw: bool = False,
    ) -> None:
        """Keep a frame for later epochs. `fold` makes one base of many additions; `dead` tells
        which earlier files hold nothing any more; `raw`: a single addition must be folded too.
        """


class Frontiers(Protocol):
    """The instants of a clock that `hold` waits for."""

    @property
    def now(self) -> int: ...

    @property
    def closed(self) -> int: ...

    @property
    def frozen(self) -> int: ...


class Epoch(Protocol):
    """One epoch. `before` is the parent's `now`, `since` its `complete`; answers change only from
    `start` on. Where rows may be corrected, `since` and `complete` are the clocks' `frozen`.
    """

    @property
    def number(self) -> int: ...

    @property
    def before(self) -> int: ...

    @property
    def now(self) -> int: ...

    @property
    def since(self) -> int: ...

    @property
    def complete(self) -> int: ...

    @property
    def start(self) -> int: ...

    @property
    def rows(self) -> int:
        """Elements that came in this epoch."""

    @property
    def frontiers(self) -> tuple[Frontiers, Frontiers]:
        """The clock before and after this epoch."""

    @property
    def state(self) -> State: ...

    @property
    def stream_names(self) -> list[str]: ...

    @property
    def corrects(self) -> bool:
        """Whether rows of this epoch came late or correct others."""

    def elements(
        self, name: str, ordered: bool = False, as_arrived: bool = False, net: bool = False
    ) -> Intervals:
        """A base stream; `ordered`: with the place of each row in its order; `as_arrived`: without
        what came late or corrects other rows; `net`: at most one row withdrawn and one added of a
        place.
        """

    def part(self, section: str) -> Epoch:
        """The epoch under the clock of a section, which is an input of a merge."""

    def merge_lag(self, name: str) -> int:
        """How far the stable of a merge stays behind its furthest input in this epoch."""

    def promises(self, name: str) -> Mapping[str, str]:
        """Section -> what an input of a merge declares and its algorithm needs."""

    def degraded(self, name: str) -> dict[str, Any] | None:
        """Why a merge runs by a safe variant, in this epoch or since an earlier one."""

    def observe(self, name: str, frame: DataFrame, asked: Mapping[str, str]) -> DataFrame:
        """The frame, which tells aggregates of its rows (name -> SQL) about a merge when it is
        written, in the job that does so. It has to be written.
        """

    def is_away(self, section: str) -> bool:
        """Whether an input of a merge is detached in this epoch."""

    def anew_from(self, section: str) -> int | None:
        """What an input is complete from that is attached as a new copy in this epoch."""

    def merge_standing(self, name: str) -> Any:
        """Where a merge stood before this epoch, as `stand` was told; None: it begins."""

    def stand(self, name: str, standing: Any) -> None:
        """Remember where a merge stands after this epoch: what JSON can hold."""

    def stables(self, name: str) -> tuple[int, int]:
        """The instants before which a stream of elements was settled, and is now."""

    def first(self, streams: list[str]) -> tuple[int | None, int | None]:
        """The least order value shown by some streams, as of the parent and as of this epoch."""

    def relation(self, name: str) -> tuple[DataFrame, str | None, list[str]]:
        """The pinned rows of a non-retroactive relation, its VERSION BY column, its key."""

    @property
    def is_fresh(self) -> bool:
        """Whether nothing has been committed or begun on this checkpoint before."""

    def folder(self, name: str) -> Any:
        """A folder of the checkpoint, as a Storage; the whole of it for an empty name."""

    def share(self, frame: DataFrame, at_once: bool = False) -> DataFrame:
        """Keep a frame that several writes of this epoch read; it is let go after them. `at_once`:
        computed as by `compute`.
        """

    def compute(self, frame: DataFrame) -> DataFrame:
        """The frame, computed now in small epochs whose plans are cut: no shuffle ends what a task
        brings along there.
        """

    def plan_once(self, frame: DataFrame) -> DataFrame:
        """The frame, shared if the epoch is so small that to plan it again takes longer than its
        rows.
        """

    @property
    def in_one_partition(self) -> bool:
        """Whether all that the epoch may read is so little that every frame is one partition."""

    def together(self, frame: DataFrame) -> DataFrame:
        """Rows of joins and unions as one partition, in small epochs whose plans are cut."""

    def spread(self, frame: DataFrame, columns: Sequence[str]) -> DataFrame:
        """The rows laid together by some columns, so that what follows per value of (at least)
        these needs no shuffle.
        """

    def view(self, frame: DataFrame) -> str:
        """A name by which SQL text of this epoch can read a frame."""

    def sql(self, text: str) -> DataFrame:
        """A frame from SQL text: one parse and one analysis; chained calls cost one each."""

    def reject(self, frame: DataFrame, of: str) -> None:
        """Rows of the stream `of` for the dead-letter table: `stream`, `reason`, `vs`, `row`."""

    def output(self, query: str, write: Callable[[], dict[str, Any]]) -> None:
        """Register a write to a sink; it gives the sink's new position."""

    @property
    def is_replay(self) -> bool:
        """Whether slices of the archives are replayed to correct answers that are complete: what
        arrives at sinks is taken then, and nothing is written.
        """

    @property
    def earlier(self) -> State:
        """The state that earlier epochs left, in a replay too."""

    @property
    def recorded_from(self) -> int:
        """The least instant at which a replay can begin, of those to come too."""

    @property
    def stretches(self) -> Sequence[tuple[int, int]]:
        """In a replay: the instants `[low, high)` of the rows that it has, in order."""

    @property
    def estimates(self) -> bool:
        """Whether corrections of complete answers are estimated from a sample."""

    @property
    def drawn_share(self) -> float:
        """The share of rows that are drawn for it."""

    def mistaken(self, frame: DataFrame) -> None:
        """A standard error of what a sample corrects, as a frame of one row with `error`."""

    def corrections(self, place: str, delta: AnyDelta) -> AnyDelta | None:
        """What a replay corrects of the answers below `since`: a delta of the same form. Changes at
        instants are not summed, and what they come to at `since` is left out. In a replay itself,
        takes the answer.
        """

    def closed(self, delta: AnyDelta) -> AnyDelta:
        """What a replay corrects, summed, as a delta that ends at `since`."""

    def counted(self, frame: DataFrame, instant: str) -> DataFrame:
        """The frame. Where rows are corrected, those of its rows are counted, when it is written,
        whose instant (SQL) was complete before.
        """

    def sink_position(self, query: str) -> Mapping[str, Any]:
        """The committed position of a sink."""
