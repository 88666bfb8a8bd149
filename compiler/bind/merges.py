"""MERGE OF: its inputs, and the length of STABLE LAG."""

from __future__ import annotations

from reflow.compiler.syntax import nodes

from ..plan.operators import Relation
from .catalog import Context
from .lengths import units


def check_merge(statement: nodes.CreateMerge, context: Context) -> None:
    """Reports inputs that do not exist or are no streams of elements, and a lag that is none."""
    for each in statement.inputs:
        _check_input(each, context)
    if statement.stable_lag is not None:
        units(statement.stable_lag, not context.ticks, context.findings, "STABLE LAG", least=0)


def _check_input(merged: nodes.MergeInput, context: Context) -> None:
    entry = context.entry(merged.name.text, merged.name.span)
    if entry is None:
        return
    kind = "an NRR" if entry.relation is not None else ""
    if isinstance(entry.answer.operator, Relation):
        kind = "a relation"
    if kind:
        message = f"MERGE OF has no meaning on {kind}"
        context.findings.error("RF3005", message, merged.name.span, "a stream or a view")
