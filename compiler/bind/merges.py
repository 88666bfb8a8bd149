"""MERGE OF: one stream of several copies (LMERGE).

In: the statement and the names before it. Out: the merged stream; what is wrong is recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from reflow.compiler.syntax import nodes

from ..plan.operators import Merge, Operator, Relation
from ..plan.operators.merges import Policy
from ..plan.schema import Schema, names
from .build import renamed
from .catalog import BROKEN_ANSWER, Answer, Context, Entry
from .ddl import read_type
from .lengths import units
from .shape import as_relation, clock, is_stream, scans
from .types import with_article

_CODE = "RF3015"
_UNCOMPARED = frozenset({"map", "variant"})


def bind_merge(statement: nodes.CreateMerge, context: Context) -> Answer:
    """The merged stream, under the names of its first input."""
    before = len(context.findings.errors)
    found = [_input(each, context) for each in statement.inputs]
    _refuse_twice(statement, context)
    _check_policy(statement, context)
    lag = _lag(statement, context)
    answers = [entry.answer for entry in found if entry is not None]
    if len(answers) == len(found) and not any(answer.broken for answer in answers):
        _check_inputs(statement, answers, context)
    if statement.feedback:
        place = context.word("FEEDBACK", statement.span)
        context.findings.not_yet("RF9023", "FEEDBACK", place)
    wrong = len(context.findings.errors) > before
    if wrong or len(answers) < len(found) or any(answer.broken for answer in answers):
        return BROKEN_ANSWER
    return _merged(statement, answers, lag)


def _merged(statement: nodes.CreateMerge, answers: Sequence[Answer], lag: int) -> Answer:
    first = answers[0]
    operators = [answer.operator for answer in answers]
    rows = all(map(is_stream, operators))
    ours = names(first.operator.schema)
    branches = (o if rows else as_relation(o) for o in operators)
    merge = Merge(
        statement.name.text,
        tuple(_named(branch, ours) for branch in branches),
        tuple(each.name.text for each in statement.inputs),
        frozenset(each.name.text for each in statement.inputs if each.cleanse),
        cast(Policy, statement.policy or "eager"),
        statement.fraction,
        lag,
        clock(operators[0]),
        rows,
    )
    random = tuple(dict.fromkeys(call for answer in answers for call in answer.random))
    return Answer(merge, first.names, first.places, random)


def _named(branch: Operator, ours: tuple[str, ...]) -> Operator:
    return renamed(branch, dict(zip(names(branch.schema), ours, strict=True)))


def _input(merged: nodes.MergeInput, context: Context) -> Entry | None:
    """What an input is; None, with an error, where it is nothing that can be merged."""
    entry = context.entry(merged.name.text, merged.name.span)
    if entry is None:
        return None
    kind = "an NRR" if entry.relation is not None else ""
    if isinstance(entry.answer.operator, Relation):
        kind = "a relation"
    if kind:
        message = f"MERGE OF has no meaning on {kind}"
        context.findings.error("RF3005", message, merged.name.span, "a stream or a view")
        return None
    return entry


def _refuse_twice(statement: nodes.CreateMerge, context: Context) -> None:
    seen: set[str] = set()
    for each in statement.inputs:
        if each.name.text.casefold() in seen:
            message = f"`{each.name.text}` is merged with itself"
            hint = "a view of it is an input of its own"
            context.findings.error(_CODE, message, each.name.span, "another copy", hint)
        seen.add(each.name.text.casefold())


def _check_policy(statement: nodes.CreateMerge, context: Context) -> None:
    if statement.fraction is not None and not 0 < statement.fraction <= 1:
        context.findings.error(
            _CODE,
            f"FRACTION {statement.fraction:.15g} is no part of the inputs",
            context.word("FRACTION", statement.span),
            "a number above 0 and up to 1, such as 0.5: so many of the inputs must have a row",
        )


def _lag(statement: nodes.CreateMerge, context: Context) -> int:
    if statement.stable_lag is None:
        return 0
    found = units(statement.stable_lag, not context.ticks, context.findings, "STABLE LAG", least=0)
    return found or 0


def _check_inputs(
    statement: nodes.CreateMerge, answers: Sequence[Answer], context: Context
) -> None:
    """Copies of one stream have the same columns, and rows that can be compared."""
    first = answers[0]
    for each, answer in zip(statement.inputs, answers, strict=True):
        for stamped in _stamped(answer.operator):
            context.findings.error(
                _CODE,
                f"rows of `{stamped}` are stamped on arrival: two copies never have the same",
                each.name.span,
                "streams with ORDER BY a column",
            )
        wrong = _unlike(first, answer)
        if wrong:
            message = f"`{each.name.text}` is no copy of `{statement.inputs[0].name.text}`: {wrong}"
            hint = "a view can choose and convert columns"
            context.findings.error(_CODE, message, each.name.span, "the same columns", hint)
    for name, column in zip(first.names, first.operator.schema, strict=True):
        if read_type(column.type).family in _UNCOMPARED:
            what = with_article(read_type(column.type))
            message = f"copies cannot be told apart by `{name}`: it is {what}"
            context.findings.error(_CODE, message, statement.inputs[0].name.span)


def _stamped(operator: Operator) -> Iterator[str]:
    streams = (scan.stream for scan in scans(operator))
    return (each.name for each in streams if each.order is None and not each.relation)


def _unlike(first: Answer, other: Answer) -> str:
    """How the columns of two inputs differ; empty where they do not."""
    ours: Schema = first.operator.schema
    theirs: Schema = other.operator.schema
    if len(ours) != len(theirs):
        return f"it has {len(theirs)} column{'' if len(theirs) == 1 else 's'}, not {len(ours)}"
    for name, own, its in zip(first.names, ours, theirs, strict=True):
        if own.type != its.type:
            return f"its `{name}` is {its.type}, not {own.type}"
    return ""
