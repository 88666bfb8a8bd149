"""Whether a semi-join may look up what is there instead of pairing changes."""

from __future__ import annotations

from ..analyse import Facts
from ..analyse.lookups import same_type
from ..plan.operators import SemiJoin


def looks_up_matches(join: SemiJoin, facts: Facts) -> bool:
    """Rows of the left in interval form look up whether what they look for is there."""
    if facts.execution != "upa" or facts.forms[join.left] != "intervals":
        return False
    if join.condition is not None or not join.equal:
        return False
    return all(same_type(join, pair) for pair in join.equal)
