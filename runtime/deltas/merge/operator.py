"""MERGE OF: one physical stream of several that say the same (LMERGE IV, V; DESIGN section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pyspark.sql import DataFrame

from ...elements.context import Epoch
from .in_order import InOrder
from .inputs import Input, Standing, course
from .keyed import Keyed
from .policies import Policy
from .watch import UNWATCHED, Watch

IN_ORDER: Final = ("R0", "R1", "R2", "R2 duplicates")
VARIANTS: Final = (*IN_ORDER, "R3", "R4")


@dataclass(frozen=True)
class Merged:
    """`elements`: as those of an input; `standing`: where the merge stands after the epoch."""

    elements: DataFrame | None
    standing: Standing

    @property
    def stable(self) -> int:
        return self.standing.stable


def merge(
    e: Epoch,
    state: str,
    columns: Sequence[str],
    inputs: Sequence[Input],
    variant: str,
    policy: Policy,
    lag: int,
    was: Standing,
    by_start: bool = False,
    stored: str | None = None,
    watch: Watch = UNWATCHED,
) -> Merged:
    """The elements of the merge of an epoch, and its stable.

    `columns`: those of the row. `inputs`: the attached ones, in the order of MERGE OF, those
    attached later behind; who is not among them any more has left and is forgotten, and joins anew
    if it comes again in a later epoch. `variant`: one of VARIANTS. `lag`: STABLE LAG, ticks that
    the merged stable stays behind the largest of the inputs'. `was`: where the merge stood before;
    `Standing()` at first. `stored`: the variant that left the state, where it is another: R0 to R2
    may become R2 with duplicates, R3 may become R4. `watch`: what is asked of the rows.

    A micro-batch has no order between inputs: all elements come first, input by input, then each
    input's last stable, ascending, equal ones by place. With CONSERVATIVE the merged stable is read
    off the rows (a job), and who waits for it joins in the next epoch.

    `by_start`: all events are rows that stay for ever, of which no input tells an end but by taking
    a row back before it is frozen. The merged stable decides a row for good when it passes its
    start; of an input that is attached, `complete_from` is then about starts.

    State: of R3 and R4 an entry for each (vs, row) that is not fully frozen (`by_start`: not
    before the merged stable), under `state`; of R0 to R2 what started last, and what waits for an
    input to join (`state`.waiting). Raises ValueError where R0 to R2 are to hold something back.
    """
    if variant not in VARIANTS:
        raise ValueError(f"unknown variant {variant}")
    if by_start and policy.is_conservative:
        # A row that is decided is certain.
        policy = Policy("half frozen")
    run = course(was, inputs, lag, holds=policy.is_conservative)
    if variant in IN_ORDER:
        if policy.name not in ("eager", "chatty"):
            raise ValueError(f"{policy.name} needs R3 or R4")
        in_order = InOrder(state, tuple(columns), variant, stored, watch)
        return Merged(in_order.run(e, inputs, run), run.end)
    keyed = Keyed(
        *(state, tuple(columns), variant == "R4", policy, by_start),
        turned=stored not in (None, variant),
        watch=watch,
    )
    elements, stable = keyed.run(e, inputs, was.names, run)
    return Merged(elements, replace(run.end, stable=stable))
