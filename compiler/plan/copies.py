"""Whether the copies that are merged come in order."""

from __future__ import annotations

from .operators import Filter, Merge, Operator, Project, Scan, Window


def copies_in_order(merge: Merge) -> bool:
    """Whether the rows of all copies come in order, so that none that has come is missed by a copy
    that comes further: as far as the streams below say so.
    """
    pairs = zip(merge.names, merge.branches, strict=True)
    ordered = (name in merge.cleansed or _keeps_order(branch) for name, branch in pairs)
    return merge.rows and merge.policy in ("eager", "chatty") and all(ordered)


def _keeps_order(operator: Operator) -> bool:
    while isinstance(operator, Filter | Project | Window):
        operator = operator.input
    if isinstance(operator, Merge):
        return copies_in_order(operator)
    return isinstance(operator, Scan) and operator.within == 0
