"""How far back an edge's rows can be read again from the archives of the streams they come from.

In: a plan, its forms, which edges only append. Out: for each operator's output the streams whose
archive can replay it, each with its reach, and whether all of it lies below windows with SLIDE.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from ..plan.graph import Plan
from ..plan.lifetimes import window_reach
from ..plan.operators import (
    Distinct,
    Filter,
    Group,
    Join,
    Merge,
    NrrJoin,
    Operator,
    Project,
    Reconstitution,
    Relation,
    Report,
    RowsWindow,
    Scan,
    SemiJoin,
    SessionWindow,
    SetOperation,
    Sink,
    Union,
    Window,
)
from ..plan.rebuild import known
from .forms import Form
from .retractions import is_identity


@dataclass(frozen=True, order=True)
class Reach:
    """A stream and how long its elements stay valid; None: for ever."""

    stream: str
    length: int | None


Reaches = frozenset[Reach]


def reaches(
    plan: Plan, forms: Mapping[Operator, Form], append_only: Mapping[Operator, bool]
) -> dict[Operator, Reaches]:
    """The archives that hold each operator's output; none above a join, a group or a report."""
    found: dict[Operator, Reaches] = {}
    for operator in plan.operators():
        below = _reach(operator, found, append_only)
        # A window's elements are in the archive even where they become points at once.
        elements = forms[operator] == "intervals" or isinstance(operator, Window)
        found[operator] = below if elements else frozenset()
    return found


def sliding(plan: Plan, append_only: Mapping[Operator, bool]) -> dict[Operator, bool]:
    """Whether an output is a linear segment whose rows all lie below a window with SLIDE."""
    found: dict[Operator, bool] = {}
    for operator in plan.operators():
        found[operator] = _slides(operator, found, append_only)
    return found


def lifetime(found: Reaches) -> int | None:
    """How long the rows of an output live at most, in microseconds or ticks; None: not known."""
    lengths = [reach.length for reach in found]
    known = [length for length in lengths if length is not None]
    return max(known) if known and len(known) == len(lengths) else None


def _reach(
    operator: Operator,
    found: Mapping[Operator, Reaches],
    append_only: Mapping[Operator, bool],
) -> Reaches:
    node = known(operator)
    match node:
        case Scan():
            return frozenset({Reach(node.stream.name, None)})
        case Window():
            length = window_reach(node)
            return frozenset(Reach(reach.stream, length) for reach in found[node.input])
        case Filter() | Project() | Union() | Sink():
            # Linear: the same rows can be made again from the archive.
            return frozenset[Reach]().union(*(found[source] for source in node.inputs))
        case NrrJoin():
            # The version that a row met is not in the archive.
            return frozenset()
        case Report():
            return found[node.input] if is_identity(node, append_only) else frozenset()
        case (
            Join()
            | Relation()
            | Reconstitution()
            | Merge()
            | Distinct()
            | Group()
            | RowsWindow()
            | SessionWindow()
            | SemiJoin()
            | SetOperation()
        ):
            # Their consumers keep what they need themselves.
            return frozenset()
        case _:
            assert_never(node)


def _slides(
    operator: Operator, found: Mapping[Operator, bool], append_only: Mapping[Operator, bool]
) -> bool:
    node = known(operator)
    match node:
        case Window():
            # Elements that may be withdrawn are no part of a pane.
            return node.slide is not None and append_only[node.input]
        case Filter() | Project() | Union() | NrrJoin():
            return all(found[source] for source in node.inputs)
        case Scan() | Relation() | Reconstitution() | Merge() | Join() | Distinct():
            return False
        case Group() | Report() | Sink():
            return False
        case RowsWindow() | SessionWindow() | SemiJoin() | SetOperation():
            return False
        case _:
            assert_never(node)
