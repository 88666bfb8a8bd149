"""Function calls: which exist, which are not available yet, where aggregates may stand."""

from __future__ import annotations

from sqlglot import exp

from reflow.grammar.source import Span
from reflow.grammar.value import value

from .aggregate_table import AggregateFunction
from .calls import Call, call_of, span_of
from .findings import Findings
from .functions import (
    AGGREGATES,
    ALL_NAMES,
    OVER_ROWS,
    REFUSED,
    ROW_MAKERS,
    SCALARS,
    is_of_known_family,
)
from .names import meant
from .shares import shares

_ONE_QUERY_EACH = "write one query for each grouping and UNION ALL"
_ELSEWHERE = {"rollup": _ONE_QUERY_EACH, "cube": _ONE_QUERY_EACH}


@value
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
        if call.name in REFUSED:
            reason, instead = REFUSED[call.name]
            message = f"{call.name.upper()} is not part of the language: {reason}"
            self.findings.error("RF3221", message, span, hint=instead)
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
        entry, given = AGGREGATES[call.name], len(call.arguments)
        if given < entry.least or (entry.most is not None and given > entry.most):
            counted = f"{given} argument{'' if given == 1 else 's'}"
            self.findings.error("RF2105", f"`{call.name}` has {counted}", span, entry.wanted)
        else:
            self._check_parameter(entry, call, span)
        for argument in call.arguments:
            self.without_aggregates(argument, call.name.upper())

    def _check_parameter(self, entry: AggregateFunction, call: Call, span: Span) -> None:
        """What a function is told besides its values must be known before it starts."""
        if len(call.arguments) < 2 or entry.most is None or entry.takes == "pair":
            return
        given, expected = call.arguments[1], ""
        if entry.gives == "share" and shares(given) is None:
            expected = "a number from 0 to 1, or array(…) of such, as literals"
        elif entry.function in ("first", "last", "mode") and not isinstance(given, exp.Boolean):
            expected = "TRUE or FALSE"
        elif call.name == "approx_count_distinct" and not isinstance(given, exp.Literal):
            expected = "a number as a literal"
        if expected:
            message = f"the second argument of `{call.name}` is wrong"
            self.findings.error("RF2112", message, span_of(given, span), expected)

    def without_aggregates(self, part: exp.Expr, within: str) -> None:
        """No aggregate stands in a part of another."""
        for inner in part.walk():
            nested = call_of(inner)
            if nested is not None and nested.is_aggregate:
                self.findings.error(
                    "RF3204",
                    f"{nested.name.upper()} stands within {within}",
                    span_of(inner, self.around),
                    hint="compute the inner aggregate in a derived table",
                )
