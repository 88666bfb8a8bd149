"""An [UNBOUNDED] that nobody wrote is dropped: a stream's elements have no end anyway.

Over a reported stream it stays: it makes elements of the reported rows.
"""

from __future__ import annotations

from ...analyse import Facts
from ...plan.operators import Operator, Window
from ..rule import Rule


def _apply(operator: Operator, facts: Facts) -> Operator | None:
    if not isinstance(operator, Window) or operator.kind != "unbounded" or operator.written:
        return None
    return operator.input if facts.forms[operator.input] == "intervals" else None


drop_implied_window = Rule("drop_implied_window", "it costs a statement and says nothing", _apply)
