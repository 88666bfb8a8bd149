"""MERGE OF: one stream of several copies (LMERGE).

In: the statement and the names before it. Out: the merged stream; what is wrong is recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from reflow.compiler.syntax import nodes

from ..plan.feedback import needs
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
    _refuse_twice(statement, found, context)
    _check_policy(statement, context)
    lag = _lag(statement, context)
    entries = [entry for entry in found if entry is not None]
    broken = len(entries) < len(found) or any(entry.answer.broken for entry in entries)
    if not broken:
        _check_inputs(statement, [entry.answer for entry in entries], context)
    if statement.feedback and not broken:
        _check_feedback(statement, [entry.answer.operator for entry in entries], context)
    if broken or len(context.findings.errors) > before:
        return BROKEN_ANSWER
    return _merged(statement, entries, lag)


def _merged(statement: nodes.CreateMerge, entries: Sequence[Entry], lag: int) -> Answer:
    answers = [entry.answer for entry in entries]
    first = answers[0]
    operators = [answer.operator for answer in answers]
    rows = all(map(is_stream, operators))
    ours = names(first.operator.schema)
    branches = (o if rows else as_relation(o) for o in operators)
    merge = Merge(
        statement.name.text,
        tuple(_named(branch, ours) for branch in branches),
        tuple(entry.name for entry in entries),
        frozenset(
            e.name for e, given in zip(entries, statement.inputs, strict=True) if given.cleanse
        ),
        cast(Policy, statement.policy or "eager"),
        statement.fraction,
        lag,
        clock(operators[0]),
        rows,
        statement.feedback,
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


def _refuse_twice(
    statement: nodes.CreateMerge, found: Sequence[Entry | None], context: Context
) -> None:
    seen: set[str] = set()
    for each, entry in zip(statement.inputs, found, strict=True):
        if entry is None:
            continue
        if entry.name in seen:
            message = f"`{entry.name}` is merged with itself"
            context.findings.error(_CODE, message, each.name.span, "another copy")
        seen.add(entry.name)


def _check_policy(statement: nodes.CreateMerge, context: Context) -> None:
    if statement.fraction is not None and not 0 < statement.fraction <= 1:
        context.findings.error(
            _CODE,
            f"FRACTION {statement.fraction:.15g} is no part of the inputs",
            context.word("FRACTION", statement.span),
            "a number above 0 and up to 1, such as 0.5: so many of the inputs must have a row",
        )


def _check_feedback(
    statement: nodes.CreateMerge, operators: Sequence[Operator], context: Context
) -> None:
    """What the merged frontier has passed must be decided for good, and inputs must not need it."""
    for each, operator in zip(statement.inputs, operators, strict=True):
        name = each.name.text
        # Of a relation's log every row is needed, and none is skipped.
        needed = needs(operator).items()
        endless = [stream for stream, need in needed if need is None and not stream.relation]
        wrong = ""
        if not is_stream(operator):
            wrong = f"rows of `{name}` have lifetimes, whose ends may be told later"
            wanted, hint = "streams of rows", f"ISTREAM (SELECT * FROM {name}) is a stream of rows"
        elif endless:
            wrong = f"`{name}` may need any row of `{endless[0].name}`, however old"
            wanted = "inputs that look back a known length of time"
            hint = "a window by time, such as `[RANGE 1 HOUR]`, says how far"
        if wrong:
            place = context.word("FEEDBACK", statement.span)
            message = f"FEEDBACK can skip nothing: {wrong}"
            context.findings.error("RF3016", message, place, wanted, hint)
            return


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
