"""The types of function calls, and arguments that a function surely cannot take."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sqlglot import exp

from reflow.grammar.source import Span
from reflow.grammar.value import value

from .aggregate_table import AGGREGATES
from .calls import Call, span_of
from .findings import Findings
from .functions import SCALARS
from .results import aggregate_type, call_type
from .types import NULL, STRING, UNKNOWN, Type, common_of, with_article

# What the first argument of a function may not be, by the word in the table of functions.
_NOT_TAKEN: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "any": frozenset(),
        "number": frozenset({"boolean", "array", "map", "struct", "binary", "datetime"}),
        "text": frozenset({"array", "map", "struct"}),
        "moment": frozenset({"boolean", "array", "map", "struct", "binary", "numeric"}),
        "list": frozenset(
            {"boolean", "map", "struct", "binary", "numeric", "datetime", "string", "interval"}
        ),
        "dictionary": frozenset(
            {"boolean", "array", "struct", "binary", "numeric", "datetime", "string", "interval"}
        ),
    }
)
_WANTED: Mapping[str, str] = MappingProxyType(
    {
        "number": "a number",
        "text": "a string",
        "moment": "a DATE or TIMESTAMP",
        "list": "an ARRAY",
        "dictionary": "a MAP",
    }
)
_AGGREGATED: Mapping[str, str] = MappingProxyType(
    {
        "any": "a value that can be compared",
        "ordered": "a value that has an order",
        "number": "a number",
        "whole": "a whole number",
        "boolean": "a BOOLEAN",
        "pair": "a number",
    }
)


@value
class CallTyper:
    """Types of calls from those of their arguments (a star is no argument)."""

    findings: Findings
    around: Span

    def __call__(self, call: Call, arguments: tuple[Type, ...]) -> Type:
        if call.is_aggregate:
            return self._aggregate(call, arguments)
        function = SCALARS.get(call.name)
        if function is None:
            return UNKNOWN
        if arguments and arguments[0].family in _NOT_TAKEN[function.takes]:
            self._error(
                "RF2109",
                f"`{call.name}` cannot take {with_article(arguments[0])}",
                call.arguments[0],
                _WANTED[function.takes],
            )
            return UNKNOWN
        if function.result == "common":
            return self._common(call, arguments)
        return call_type(function, arguments)

    def _aggregate(self, call: Call, arguments: tuple[Type, ...]) -> Type:
        found = aggregate_type(call, arguments)
        if found is not None:
            return found
        takes = AGGREGATES[call.name].takes
        wrong = next((n for n, a in enumerate(arguments) if a.family != "numeric"), 0)
        place = wrong if takes == "pair" else 0
        argument = arguments[place]
        numbers = takes in ("number", "pair")
        self._error(
            "RF2104",
            f"{call.name.upper()} cannot take {with_article(argument)}",
            call.arguments[place],
            _AGGREGATED[takes],
            "convert it: CAST(… AS DOUBLE)" if argument == STRING and numbers else "",
        )
        return UNKNOWN

    def _common(self, call: Call, arguments: tuple[Type, ...]) -> Type:
        found = common_of(arguments)
        if found is not None:
            return found
        self._error(
            "RF2108",
            f"the arguments of {call.name.upper()} have no common type: {different(arguments)}",
            call.node,
        )
        return UNKNOWN

    def _error(
        self, code: str, message: str, node: exp.Expr, expected: str = "", hint: str = ""
    ) -> None:
        self.findings.error(code, message, span_of(node, self.around), expected, hint)


def different(types: tuple[Type, ...]) -> str:
    """The types that do not fit together, each once."""
    return " and ".join(dict.fromkeys(str(t) for t in types if t != NULL))
