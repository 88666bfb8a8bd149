"""Whether each row of an output comes of one row of a base stream, and leaves by itself."""

from __future__ import annotations

from collections.abc import Iterator

from .operators import Filter, NrrJoin, Operator, Project, Scan, Union, Window

_ROW_BY_ROW = (Scan, Filter, Project, Union, Window, NrrJoin)


def of_rows(operator: Operator) -> bool:
    """Whether it does: such a row is withdrawn with the stream's row, and for no other reason."""
    below = map(of_rows, dict.fromkeys(operator.inputs))
    return isinstance(operator, _ROW_BY_ROW) and all(below)


def corrected_scans(operator: Operator) -> Iterator[Scan]:
    """The scans whose rows may be withdrawn, below an operator whose output is `of_rows`."""
    if isinstance(operator, Scan):
        yield from [operator] if operator.retracts else []
    for source in dict.fromkeys(operator.inputs):
        yield from corrected_scans(source)
