"""Function calls: which exist, which are not available yet, where aggregates may stand."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from reflow.grammar.source import Span

from .calls import Call, call_of, span_of
from .findings import Findings
from .functions import (
    AGGREGATES,
    ALL_NAMES,
    OTHER_AGGREGATES,
    OVER_ROWS,
    ROW_MAKERS,
    SCALARS,
    is_of_known_family,
)
from .names import meant

_ONE_QUERY_EACH = "write one query for each grouping and UNION ALL"
_ELSEWHERE = {"rollup": _ONE_QUERY_EACH, "cube": _ONE_QUERY_EACH}


@dataclass(frozen=True)
class CallChecks:
    """Checks of the calls of one clause (`WHERE`, `SELECT`, …); `aggregates` may stand in some."""

    findings: Findings
    clause: str
    aggregates: bool
    around: Span

    def available(self, call: Call) -> bool:
        """False for what stands for nothing yet: then its arguments are not looked at."""
        whole = span_of(call.node, self.around)
        span = Span(whole.start, min(whole.end, whole.start + len(call.name)))
        if call.name in OTHER_AGGREGATES:
            self.findings.not_yet("RF9019", call.name.upper(), span)
        elif call.name in ROW_MAKERS:
            self.findings.not_yet("RF9021", call.name.upper(), span)
        else:
            self._check(call, whole, span)
            return True
        return False

    def _check(self, call: Call, span: Span, head: Span) -> None:
        name = call.name
        if name in AGGREGATES:
            self._check_aggregate(call, span)
        elif name in OVER_ROWS:
            self.findings.error(
                "RF2010", f"`{name}` needs OVER, which is not part of the language", head
            )
        elif name in SCALARS:
            self._check_count(call, span)
        elif not is_of_known_family(name) and isinstance(call.node, exp.Anonymous):
            advice = _ELSEWHERE.get(name) or meant(name, ALL_NAMES)
            self.findings.error("RF2010", f"there is no function `{name}`", head, hint=advice)

    def _check_count(self, call: Call, span: Span) -> None:
        function = SCALARS[call.name]
        if isinstance(call.node, exp.Anonymous) and not function.fits(len(call.arguments)):
            self.findings.error(
                "RF2105",
                f"`{call.name}` has {len(call.arguments)} argument"
                f"{'' if len(call.arguments) == 1 else 's'}",
                span,
                f"{function.wanted} argument{'' if function.wanted == '1' else 's'}",
            )

    def _check_aggregate(self, call: Call, span: Span) -> None:
        if not self.aggregates:
            self.findings.error(
                "RF3203",
                f"{call.name.upper()} is not allowed in {self.clause}",
                span,
                hint="conditions on aggregates stand in HAVING" if self.clause == "WHERE" else "",
            )
        if call.distinct:
            self.findings.not_yet("RF9017", f"{call.name.upper()}(DISTINCT …)", span)
        elif len(call.arguments) != 1 and call.name != "count":
            self.findings.error("RF2105", f"`{call.name}` takes one argument", span, "1 argument")
        for argument in call.arguments:
            for inner in argument.walk():
                nested = call_of(inner)
                if nested is not None and nested.is_aggregate:
                    self.findings.error(
                        "RF3204",
                        f"{nested.name.upper()} stands within {call.name.upper()}",
                        span_of(inner, span),
                        hint="compute the inner aggregate in a derived table",
                    )
