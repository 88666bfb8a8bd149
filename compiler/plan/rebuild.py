"""New operators from old ones with other inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .operators import (
    Distinct,
    Filter,
    Group,
    Join,
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

AnyOperator = (
    Scan
    | Reconstitution
    | Relation
    | Filter
    | Project
    | Union
    | Window
    | RowsWindow
    | SessionWindow
    | Join
    | NrrJoin
    | SemiJoin
    | SetOperation
    | Distinct
    | Group
    | Report
    | Sink
)


def known(operator: Operator) -> AnyOperator:
    """The operator as one of the closed set of kinds: a `match` over it can be exhaustive."""
    if not isinstance(operator, AnyOperator):
        raise TypeError(f"not an operator of this language: {type(operator).__name__}")
    return operator


def with_inputs(operator: Operator, inputs: tuple[Operator, ...]) -> Operator:
    """The same operator over other inputs; itself where the inputs are the same objects."""
    if all(new is old for new, old in zip(inputs, operator.inputs, strict=True)):
        return operator
    node = known(operator)
    match node:
        case Union():
            return replace(node, branches=inputs)
        case Join() | SemiJoin() | SetOperation():
            return replace(node, left=inputs[0], right=inputs[1])
        case Scan():
            return node
        case Relation() | Reconstitution():
            source = inputs[0]
            if not isinstance(source, Scan):
                raise TypeError("a relation is made of a log alone, events of elements")
            return replace(node, input=source)
        case _:
            return replace(node, input=inputs[0])


def substitute(operator: Operator, new: Mapping[Operator, Operator]) -> Operator:
    """The operator with every operator below it replaced as `new` says (itself not).

    Replacements are taken as they are: nothing is replaced within them.
    """
    return _Substitution(new).below(operator)


class _Substitution:
    def __init__(self, new: Mapping[Operator, Operator]) -> None:
        self._new = new
        self._done: dict[Operator, Operator] = {}

    def below(self, operator: Operator) -> Operator:
        if operator not in self._done:
            inputs = tuple(self._replaced(source) for source in operator.inputs)
            self._done[operator] = with_inputs(operator, inputs)
        return self._done[operator]

    def _replaced(self, operator: Operator) -> Operator:
        found = self._new.get(operator)
        return self.below(operator) if found is None else found


__all__ = ["AnyOperator", "known", "substitute", "with_inputs"]
