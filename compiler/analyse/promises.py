"""What inputs of a merge declare and its algorithm relies on: the run checks it (LMERGE IV-G).

Order, and INSERT ONLY, need no check: what comes late, and an adjust, are dead letters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..plan.operators import Merge, Operator, Scan
from ..plan.operators.sources import StreamDeclaration
from .merging import Merging


def promised(merge: Merge, merging: Merging) -> dict[str, str]:
    """Input -> the promise that the algorithm needs, as its streams declare it. An input whose
    operators prove what is needed may be among them; one that is cleansed is not.
    """
    variant = merging.variant.name
    if variant == "R2" and merging.repeated:
        return {}
    of = _NEEDED.get(variant)
    if of is None:
        return {}
    found = {}
    for name, branch in zip(merge.names, merge.branches, strict=True):
        texts = (
            [] if name in merge.cleansed else [text for s in _streams(branch) if (text := of(s))]
        )
        if texts:
            found[name] = ", ".join(dict.fromkeys(texts))
    return found


def _streams(operator: Operator) -> Iterator[StreamDeclaration]:
    """The streams below, but for those below another merge, which checks its own."""
    if isinstance(operator, Merge):
        return
    if isinstance(operator, Scan):
        yield operator.stream
    for source in operator.inputs:
        yield from _streams(source)


def _strict(stream: StreamDeclaration) -> str:
    return f"ORDER BY {stream.order} STRICT" if stream.strict else ""


def _ties(stream: StreamDeclaration) -> str:
    return "TIES IN ORDER" if "ties in order" in stream.guarantees else _strict(stream)


def _keyed(stream: StreamDeclaration) -> str:
    if "distinct rows" in stream.guarantees:
        return "DISTINCT ROWS"
    return f"KEY ({', '.join(stream.key)})" if stream.key else _strict(stream)


_NEEDED: dict[str, Callable[[StreamDeclaration], str]] = {
    "R0": _strict,
    "R1": _ties,
    "R2": _keyed,
    "R3": _keyed,
}
