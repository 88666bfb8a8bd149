"""WITH STATS: figures for the cost model, by names that it knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from reflow.compiler.syntax import nodes

from ..plan.schema import Column
from .findings import Findings
from .names import meant, one_of

Source = Literal["stream", "log", "relation"]
FindColumn = Callable[[nodes.Name], Column | None]

# What each kind of source can say: a stream has a rate, a relation a size, the log of one both.
_KNOWN: dict[Source, tuple[str, ...]] = {
    "stream": ("rate", "distinct"),
    "log": ("rate", "rows", "distinct"),
    "relation": ("rows", "distinct"),
}
_MEANINGS = {
    "rate": "rate = rows per second (per tick where the order is a BIGINT)",
    "rows": "rows = rows of the relation",
    "distinct": "distinct column = different values of the column",
}


def statistics(
    node: nodes.CreateSource, source: Source, column: FindColumn, findings: Findings
) -> tuple[tuple[str, float], ...]:
    """The figures as sorted pairs: `rate` or `rows`, and `distinct NAME`.

    An unknown name, a name given twice and an impossible value are errors.
    """
    if node.with_stats is None:
        return ()
    found: dict[str, float] = {}
    for statistic in node.with_stats.statistics:
        name = _name(statistic, source, column, findings)
        if name is None or not _possible(statistic, findings):
            continue
        if name in found:
            findings.error("RF2018", f"`{name}` is given twice", statistic.span)
        found[name] = float(statistic.value)
    return tuple(sorted(found.items()))


def _name(
    statistic: nodes.Statistic, source: Source, column: FindColumn, findings: Findings
) -> str | None:
    known = _KNOWN[source]
    if statistic.kind not in known:
        findings.error(
            "RF2018",
            f"there is no statistic `{statistic.kind}` of a {source}",
            statistic.span,
            one_of(known),
            meant(statistic.kind, known) or _MEANINGS[known[0]],
        )
        return None
    if statistic.kind != "distinct":
        if statistic.column is None:
            return statistic.kind
        message = f"`{statistic.kind}` is not of a column"
        findings.error("RF2018", message, statistic.span, f"{statistic.kind} = a number")
        return None
    found = column(statistic.column) if statistic.column is not None else None
    return f"distinct {found.name}" if found is not None else None


def _possible(statistic: nodes.Statistic, findings: Findings) -> bool:
    least = 1 if statistic.kind == "distinct" else 0
    if statistic.value >= least:
        return True
    findings.error(
        "RF2018",
        f"{statistic.value:g} is not a value of `{statistic.kind}`",
        statistic.span,
        f"a number of at least {least}",
    )
    return False
