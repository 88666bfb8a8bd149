"""Whether rows have a place in the order of arrival."""

from __future__ import annotations

from .operators import Filter, Operator, Project, RowsWindow, Scan, SessionWindow, Window


def placed(operator: Operator) -> bool:
    """Whether each row of an output comes of a row of a base stream of its own."""
    node = operator
    while isinstance(node, (Filter, Project, Window, RowsWindow, SessionWindow)):
        node = node.input
    return isinstance(node, Scan)
