"""Texts to plans, for the tests of the binder."""

from __future__ import annotations

from reflow.compiler.bind import bind
from reflow.compiler.plan.graph import Plan
from reflow.compiler.plan.operators import Project, Sink
from reflow.compiler.syntax.build import read
from reflow.grammar.diagnostic import CqlError, Diagnostic
from reflow.grammar.source import Source


def bound(text: str, name: str = "q") -> tuple[Plan, list[Diagnostic]]:
    """The plan of a text and its warnings."""
    source = Source(f"{name}.cql", text)
    return bind(source, read(source), name)


def sink(text: str) -> Sink:
    """The only sink of a text."""
    (only,) = bound(text)[0].sinks
    return only


def codes(text: str) -> list[str]:
    """The codes of a wrong text, in the order of their places; none if it is right."""
    try:
        bound(text)
    except CqlError as error:
        return [d.code for d in error.diagnostics]
    return []


TYPED = """
CREATE STREAM s (
  ts TIMESTAMP, ntz TIMESTAMP_NTZ, d DATE, b BOOLEAN, t TINYINT, i INT, l BIGINT, f FLOAT, x DOUBLE,
  m DECIMAL(10,2), n DECIMAL(38,6), s STRING, bin BINARY, a ARRAY<INT>, mp MAP<STRING, INT>,
  st STRUCT<x: INT>, ORDER BY ts) FROM JSON 's/';
"""


def type_of(expression: str) -> str:
    """The type of an expression over the columns of TYPED."""
    project = sink(f"{TYPED} SELECT {expression} AS result, 1 AS one FROM s;").input
    assert isinstance(project, Project)
    return project.columns[0][1].type


def mistakes(expression: str) -> list[str]:
    """The codes of the errors of an expression over the columns of TYPED."""
    return codes(f"{TYPED} SELECT {expression} AS result FROM s;")
