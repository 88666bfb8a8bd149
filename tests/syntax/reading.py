"""Short ways to one statement, query, table or expression of a text."""

from __future__ import annotations

from typing import Any

import pytest
from sqlglot import exp

from reflow.compiler.syntax.build import read
from reflow.compiler.syntax.nodes import Select
from reflow.grammar.diagnostic import CqlError, Diagnostic
from reflow.grammar.source import Source


def statement(text: str) -> Any:
    (found,) = read(Source("x.cql", text)).statements
    return found


def query(text: str) -> Any:
    return statement(text).query


def table(text: str) -> Any:
    """What `FROM text` holds."""
    select: Select = query(f"SELECT a FROM {text}")
    (found,) = select.from_items
    return found


def expression(text: str) -> exp.Expression:
    select: Select = query(f"SELECT {text} FROM t")
    return select.items[0].expression


def spark(text: str) -> str:
    return expression(text).sql(dialect="spark")


def refusals(text: str) -> list[Diagnostic]:
    with pytest.raises(CqlError) as caught:
        read(Source("x.cql", text))
    return caught.value.diagnostics
