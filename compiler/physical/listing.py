"""The list of steps of a program while it grows: gives numbers, labels and reasons."""

from __future__ import annotations

from ..analyse import Facts, UpdatePattern
from ..analyse.forms import Form
from ..plan.operators import Operator
from . import reasons, state_layout
from .bounds_shown import bounds_shown
from .calls import AsStream, Call, Hold, KeepRows, ToPoints
from .program import Step
from .shown import shown


class Listing:
    """Steps in topological order, each with an id made of a letter and its number, and under the
    clock of the `section` that is being made.
    """

    def __init__(self, facts: Facts) -> None:
        self.steps: list[Step] = []
        self.section = ""
        self._facts = facts

    def add(
        self,
        letter: str,
        operator: Operator,
        call: Call,
        inputs: tuple[Step, ...],
        state: str = state_layout.NONE,
        reason: str | None = None,
        form: Form | None = None,
    ) -> Step:
        """The step of an operator; `form`: where it is not that of the operator's output."""
        pattern = self._facts.patterns[operator]
        growth = self._facts.growth[operator]
        taken = tuple(self._facts.taken_as(source, operator).label for source in operator.inputs)
        step = Step(
            id=self._id(letter),
            op=type(operator).__name__,
            call=call,
            inputs=tuple(step.id for step in inputs),
            form=form or self._facts.forms[operator],
            pattern=pattern.label,
            ends=ends(pattern),
            taken=taken,
            state=state if growth == "bounded" else f"{state}; grows {growth}",
            reason=reasons.of_call(call) if reason is None else reason,
            detail=shown(operator),
            bound=bounds_shown(self._facts.bounds[operator]),
            key=self._facts.keys[operator],
            properties=self._facts.properties[operator],
            differs=self._facts.determinism[operator],
            section=self.section,
        )
        self.steps.append(step)
        return step

    def between(
        self,
        letter: str,
        call: ToPoints | AsStream | KeepRows | Hold,
        source: Step,
        pattern: UpdatePattern,
        state: str,
        reason: str | None = None,
    ) -> Step:
        """A step between operators: it changes the form of an edge, keeps its rows, or holds them
        back.
        """
        forms = {ToPoints: "points", AsStream: "intervals"}
        step = Step(
            id=self._id(letter),
            op=type(call).__name__,
            call=call,
            inputs=(source.id,),
            form="points" if forms.get(type(call), source.form) == "points" else "intervals",
            pattern=pattern.label,
            ends=ends(pattern),
            taken=(pattern.label,),
            state=state,
            reason=reasons.of_call(call) if reason is None else reason,
            detail=f"until {call.until}" if isinstance(call, Hold) else "",
            section=self.section,
        )
        self.steps.append(step)
        return step

    def _id(self, letter: str) -> str:
        return f"{letter}{len(self.steps) + 1}"


def ends(pattern: UpdatePattern) -> str:
    """How the end of a row becomes known, for people."""
    if pattern.ends == "replaced" and pattern.key:
        return f"replaced({', '.join(pattern.key)})"
    return pattern.ends
