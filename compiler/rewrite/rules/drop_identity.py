"""A projection that hands on exactly its input's columns does nothing."""

from __future__ import annotations

from ...analyse import Facts
from ...plan.expressions import bare_column
from ...plan.operators import Operator, Project
from ...plan.schema import names
from ..rule import Rule


def _apply(operator: Operator, facts: Facts) -> Operator | None:
    if not isinstance(operator, Project) or operator.schema != operator.input.schema:
        return None
    columns = tuple(bare_column(expression.sql) for _, expression in operator.columns)
    return operator.input if columns == names(operator.input.schema) else None


drop_identity = Rule("drop_identity", "it costs a statement and says nothing", _apply)
