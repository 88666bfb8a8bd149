"""Parts of a filter over a window by rows, or over sessions, go below it where they read only what
the window is divided by: all rows of a value pass or fail, and its window with them.

All other parts stay: a row that fails has made others leave. Not divided, nothing moves.
"""

from __future__ import annotations

from ...analyse import Facts
from ...plan.expressions import bare_column, columns_of, conjunction, conjuncts, is_deterministic
from ...plan.operators import Filter, Operator, RowsWindow, SessionWindow
from ...plan.operators.base import Expr
from ...plan.rebuild import with_inputs
from ..rule import Rule


def _apply(operator: Operator, facts: Facts) -> Operator | None:
    if not isinstance(operator, Filter):
        return None
    window = operator.input
    if not isinstance(window, (RowsWindow, SessionWindow)):
        return None
    # Read by others as well, its state would be kept twice.
    if facts.readers[window] > 1:
        return None
    by = {bare_column(each.sql) for each in window.by}
    parts = conjuncts(operator.predicate.sql)
    below = [p for p in parts if len(columns_of(p)) > 0 and columns_of(p) <= by]
    below = [part for part in below if is_deterministic(part)]
    if not below:
        return None
    new = with_inputs(window, (Filter(window.input, Expr(conjunction(below), "BOOLEAN")),))
    above = [part for part in parts if part not in below]
    return Filter(new, Expr(conjunction(above), "BOOLEAN")) if above else new


push_filter_below_row_window = Rule("push_filter_below_row_window", "UPA 5.4", _apply)
