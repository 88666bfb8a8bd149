"""The shares that a percentile is asked for."""

from __future__ import annotations

from sqlglot import exp

from .calls import call_of


def shares(node: exp.Expr) -> tuple[float, ...] | None:
    """Numbers from 0 to 1 as they are written, one or an array of them; None where it is not so."""
    call = call_of(node)
    if call is not None and call.name == "array" and call.arguments:
        found = [_share(each) for each in call.arguments]
        return None if None in found else tuple(share for share in found if share is not None)
    one = _share(node)
    return None if one is None else (one,)


def _share(node: exp.Expr) -> float | None:
    if not isinstance(node, exp.Literal) or node.is_string:
        return None
    try:
        value = float(str(node.this).upper().removesuffix("D").removesuffix("BD"))
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None
