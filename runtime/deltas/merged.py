"""A merged stream: what its inputs tell, each under the clock of its section, becomes elements, is
merged, and is a delta again (LMERGE; DESIGN section 6, decision 21).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from pyspark.sql import DataFrame

from ..elements.columns import FOREVER, POS, POSITION, VE, VS, W, big, quote
from ..elements.context import Epoch
from ..elements.deltas import AnyDelta, Intervals, Points, consolidate
from . import physical_sink
from .changelog import events
from .ended import changes_at_instants
from .merge.cleanse import cleanse
from .merge.inputs import Input, Member, Standing
from .merge.operator import merge
from .merge.policies import Name, Policy
from .merge.remembered import Remembered
from .merge.watch import Watch
from .reconstitute import Unjudged
from .reports import as_stream

_OLD: Final = "_old"
SAFE: Final = {
    **dict.fromkeys(("R0", "R1", "R2", "R2 duplicates"), "R2 duplicates"),
    **dict.fromkeys(("R3", "R4"), "R4"),
}
"""By what a merge goes on where an input has broken its promise. Inputs of R0 to R2 stay in order:
what is late is a dead letter.
"""
_AT_START: Final = ", ".join(
    f"'{part}', CAST({VS if part == 'vs' else 'NULL'} AS {kind})" for part, kind in POSITION.items()
)


def merged(
    e: Epoch,
    name: str,
    inputs: Mapping[str, AnyDelta | Unjudged],
    of: str,
    variant: str,
    policy: Name = "eager",
    share: float = 0.0,
    cleansed: Sequence[str] = (),
    rows: bool = False,
    ordered: bool = False,
    as_told: bool = False,
) -> Intervals | Points:
    """The rows of the merged stream `of`, under the columns of the first input.

    `inputs`: section -> the delta made under its clock, or its elements as they came, which R3 and
    R4 judge by their entries; `cleansed`: the sections of which order is enforced. `rows`: streams
    of rows, which stay for ever: MON, with weights below 0 where a copy that is further does not
    have a row. Else events that end when copies say so: points, STR; `as_told`: the changes of
    events, whose ends are announced and may be changed. `ordered`: with `_pos`, which knows no
    arrival. Where an input has broken what it declared the merge goes on by an algorithm that needs
    less (`SAFE`), if the program asks for that.

    State: that of the merge (of rows, what starts at or after the merged stable); of each input
    that comes as points the events that it may still change; of the merged events those that end at
    or after the merged stable.
    """
    columns = next(iter(inputs.values())).columns
    told_before = e.merge_standing(of)
    was, stored = standing_of(told_before), variant
    degraded = e.degraded(of)
    if degraded is not None:
        before = (told_before or {}).get("degraded") is not None
        variant = SAFE[variant]
        stored = variant if before else stored
    given = []
    for number, (section, delta) in enumerate(inputs.items()):
        own, place = e.part(section), f"{name}.{number}"
        if isinstance(delta, Unjudged):
            memory = Remembered(
                *(own, name, columns, was, stored == "R4"), who=section, own=delta.columns
            )
            told = delta.physical.tell(own, delta.frame, memory)
            delta = Intervals(delta.columns, told, ends=True)
        each = _input(own, place, section, delta, columns, variant == "R1")
        since = e.anew_from(section)
        each = replace(each, away=e.is_away(section), anew=since is not None)
        each = each if since is None else replace(each, complete_from=since)
        if section in cleansed:
            # Where ends are announced, an event that starts before the stable is as it will be.
            adjusts = isinstance(delta, Points)
            each = cleanse(own, f"{place}.held", columns, each, adjusts)
        given.append(each)
    made = merge(
        *(e, name, columns, given, variant),
        *(Policy(policy, share), e.merge_lag(of), was, rows, stored),
        Watch(lambda frame, asked: e.observe(of, frame, asked), tuple(e.promises(of))),
    )
    stands = {**asdict(made.standing), "variant": variant, "state": name}
    e.stand(of, stands if degraded is None else {**stands, "degraded": degraded})
    changes = None if made.elements is None else _changes(made.elements, columns)
    if rows:
        return _stream(columns, changes, ordered)
    if as_told:
        return Intervals(columns, changes, ends=True)
    return changes_at_instants(e, f"{name}.events", columns, changes, e.stables(of)[1])


def _input(
    e: Epoch, name: str, section: str, delta: AnyDelta, columns: Sequence[str], ordered: bool
) -> Input:
    """What an input tells in this epoch, and how far it is."""
    stable = e.frontiers[1].frozen
    changes, place = _told(e, name, delta)
    if changes is None:
        return Input(section, None, stable)
    pairs = zip(delta.columns, columns, strict=True)
    names = [f"{quote(own)} AS {quote(column)}" for own, column in pairs]
    if ordered and place:
        none = f"CAST(NULL AS BIGINT) AS {_OLD}"
        inserts = changes.selectExpr(*names, "'insert' AS _kind", VS, VE, none, POS)
        return Input(section, inserts, stable)
    renamed = changes.selectExpr(*names, VS, VE, W)
    return Input(section, physical_sink.elements(e, renamed, columns), stable)


def _told(e: Epoch, name: str, delta: AnyDelta) -> tuple[DataFrame | None, bool]:
    """The changes of events (row…, _vs, _ve, _w) of a delta, and whether they have `_pos`."""
    if isinstance(delta, Points):
        if delta.reported:
            # What was reported never ends.
            return as_stream(delta).frame, False
        return events(e, f"{name}.events", delta.unordered()), False
    return delta.frame, delta.ordered


def standing_of(told: Any) -> Standing:
    """Where a merge stands, as it was told to `Epoch.stand`; None: it begins."""
    if told is None:
        return Standing()
    members = tuple(Member(**each) for each in told["members"])
    return Standing(members, told["frontier"], told["stable"])


def _changes(elements: DataFrame, columns: Sequence[str]) -> DataFrame:
    """The change of the events `(row…, _vs, _ve, _w)` that elements make. A cancelled event has no
    time.
    """
    new, old = f"struct({VE}, 1L AS {W})", f"struct({_OLD} AS {VE}, -1L AS {W})"
    both = f"CASE WHEN _kind = 'adjust' THEN array({old}, {new}) ELSE array({new}) END"
    names = [quote(column) for column in columns]
    return elements.selectExpr(*names, VS, f"inline({both})").where(f"{VS} < {VE}")


def _stream(columns: tuple[str, ...], changes: DataFrame | None, ordered: bool) -> Intervals:
    """Rows that stay: of one that is taken back at an instant and given at the same nothing is
    left.
    """
    if changes is None:
        return Intervals(columns, None, ordered=ordered, dear=True)
    frame = consolidate(changes, columns, VS, VE).where(f"{VE} = {big(FOREVER)}")
    if ordered:
        frame = frame.selectExpr("*", f"named_struct({_AT_START}) AS {POS}")
    return Intervals(columns, frame, ordered=ordered, dear=True)
