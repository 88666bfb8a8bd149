"""Queries of every shape: SELECT, set operations, reports, names, each in its own file."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from reflow.compiler.syntax import nodes

from .catalog import BROKEN_ANSWER, Answer, Context
from .selects import bind_select, reported
from .sets import set_operation
from .shape import as_relation


def bind_query(query: nodes.Query, context: Context) -> Answer:
    """The answer of a query; BROKEN_ANSWER, with errors among the findings, where there is none."""
    match query:
        case nodes.Select():
            return bind_select(query, bind_query, context)
        case nodes.SetOperation():
            left, right = bind_query(query.left, context), bind_query(query.right, context)
            return set_operation(query, left, right, context)
        case nodes.ReportQuery():
            answer = bind_query(query.query, context)
            if answer.broken:
                return answer
            of = as_relation(answer.operator)
            return replace(answer, operator=reported(query.report, of, query.span, context))
        case nodes.NamedQuery():
            return _named(query, context)
        case nodes.Bounded():
            context.findings.not_yet("RF9013", "BEGIN … END", query.bounds.span)
            return bind_query(query.query, context)
    assert_never(query)


def _named(query: nodes.NamedQuery, context: Context) -> Answer:
    entry = context.entry(query.name.text, query.name.span)
    if entry is None:
        return BROKEN_ANSWER
    if entry.relation is not None:
        context.findings.error(
            "RF3208", f"`{entry.name}` is an NRR: it has no answer of its own", query.span
        )
        return BROKEN_ANSWER
    return replace(entry.answer, operator=as_relation(entry.answer.operator))
