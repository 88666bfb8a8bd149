"""Expressions: names become internal column names, what is not available is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from sqlglot import exp

from reflow.compiler.syntax import nodes
from reflow.grammar.source import Span
from reflow.grammar.value import value

from .call_checks import CallChecks
from .calls import call_of, span_of
from .findings import Findings
from .names import ENGINE_NAMES, is_engine_name, lookup, meant, one_of
from .resolved import column, name_parts
from .scope import Found, Nothing, Scope, Visible

_UNITS = frozenset(
    {"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DAYOFYEAR", "HOUR", "MINUTE", "SECOND"}
    | {"MILLISECOND", "MICROSECOND"}
)
_TAKE_UNITS = frozenset(
    {"timestampadd", "timestampdiff", "timestamp_add", "timestamp_diff"}
    | {"dateadd", "date_add", "datediff", "date_diff"}
)


@value
class Resolver:
    """Rewrites expressions over the names of one scope. `clause` is where: `WHERE`, `SELECT`, ….

    `aliases` are resolved expressions that a plain name means first, except within an aggregate
    (HAVING). Mistakes are recorded; a name without meaning stays as it is, of unknown type.
    """

    scope: Scope
    findings: Findings
    clause: str
    aggregates: bool
    around: Span
    aliases: Mapping[str, exp.Expr] = field(default_factory=dict)

    def __call__(self, expression: exp.Expr) -> exp.Expr:
        return expression.copy().transform(self._replace, copy=False)

    def _replace(self, node: exp.Expr) -> exp.Expr:
        if isinstance(node, nodes.QueryExpression):
            self._refuse_query(node)
            return exp.Null()
        if isinstance(node, exp.Filter):
            # The call in front of it is checked by itself, the condition here.
            self._checks.without_aggregates(node.expression, "FILTER")
            return node
        if isinstance(node, (exp.Column, exp.Dot)):
            return self._name(node)
        call = call_of(node)
        return node if call is None or self._checks.available(call) else exp.Null()

    @property
    def _checks(self) -> CallChecks:
        return CallChecks(self.findings, self.clause, self.aggregates, self.around)

    def _refuse_query(self, node: nodes.QueryExpression) -> None:
        kind = str(node.args.get("kind"))
        words = {"exists": "EXISTS (…)", "in": "IN (SELECT …)"}
        span = span_of(node, self.around)
        if kind not in words:
            message = "a query is no value"
            hint = "join with it: FROM s, (SELECT …) AS q"
            self.findings.error("RF3211", message, span, "an expression", hint)
            return
        self.findings.error(
            "RF3211",
            f"{words[kind]} cannot stand here",
            span,
            f"{words[kind]} or NOT {words[kind]} as a part of WHERE, between its ANDs",
            "an OR of two such questions is a UNION of two queries",
        )

    # --- names ---

    def _name(self, node: exp.Expr) -> exp.Expr:
        parts = name_parts(node)
        if parts is None:
            return node
        if self._is_unit(node, parts):
            return exp.Var(this=parts[0].name.upper())
        if _is_parameter(node, parts[0].name):
            return _chain(exp.Identifier(this=parts[0].name, quoted=True), parts[1:])
        texts = tuple(part.name for part in parts)
        alias = lookup(texts[0], self.aliases, str).only if len(texts) == 1 else None
        if alias is not None and not _in_aggregate(node):
            return _enclosed(self.aliases[alias].copy())
        found = self.scope.find(texts)
        if isinstance(found, Found):
            refuse_engine_name(found.column, span_of(node, self.around), self.findings)
            return _reference(found, node)
        self._say(found, parts, node)
        return node

    def _is_unit(self, node: exp.Expr, parts: tuple[exp.Expr, ...]) -> bool:
        """HOUR in `timestampdiff(HOUR, a, b)`."""
        if node.parent is None or len(parts) > 1 or parts[0].name.upper() not in _UNITS:
            return False
        call = call_of(node.parent)
        return (
            call is not None
            and call.name in _TAKE_UNITS
            and len(call.arguments) == 3
            and call.arguments[0] is node
        )

    def _string_hint(self, node: exp.Expr) -> str:
        """`"x"` is a string in other languages."""
        quoted = isinstance(node.this, exp.Identifier) and node.this.quoted
        if not quoted or node.args.get("table") is not None or not node.name.isascii():
            return ""
        text = node.name.replace("'", "''")
        return f"names stand in double quotes, strings in single ones: '{text}'"

    def _say(self, why: Nothing, parts: tuple[exp.Expr, ...], node: exp.Expr) -> None:
        span = span_of(node, self.around)
        name_span = next((span_of(part, span) for part in parts if part.name == why.name), span)
        shown = one_of(why.known)
        if why.reason == "unknown column":
            self.findings.error(
                "RF2005",
                f"there is no column `{why.name}`",
                name_span,
                shown,
                meant(why.name, why.known) or self._string_hint(node),
            )
        elif why.reason == "unknown alias":
            self.findings.error(
                "RF2016",
                f"no table of FROM is called `{why.name}`",
                name_span,
                shown,
                meant(why.name, why.known),
            )
        elif why.reason == "ambiguous":
            twice = "" if why.known else "its table has two of that name: give one an alias there"
            message = f"the column `{why.name}` is ambiguous"
            self.findings.error("RF2006", message, span, shown, twice)
        elif why.reason == "ambiguous case":
            self.findings.error(
                "RF2004",
                f"`{why.name}` fits several columns when case is ignored",
                name_span,
                shown,
            )


def refuse_engine_name(visible: Visible, span: Span, findings: Findings) -> None:
    """A stream's column may be called like one of the engine's own, but then it cannot be read."""
    if is_engine_name(visible.internal):
        findings.error(
            "RF2017",
            f"`{visible.name}` cannot be read: the engine keeps this name for itself",
            span,
            hint=f"declare the column under another name than {', '.join(sorted(ENGINE_NAMES))}",
        )


def _enclosed(node: exp.Expr) -> exp.Expr:
    """In brackets, where an operator outside could pull it apart."""
    apart = isinstance(node, (exp.Binary, exp.Unary, exp.Between, exp.In))
    return exp.Paren(this=node) if apart else node


def _in_aggregate(node: exp.Expr) -> bool:
    above = node.parent
    while above is not None:
        call = call_of(above)
        if call is not None and call.is_aggregate:
            return True
        above = above.parent
    return False


def _is_parameter(node: exp.Expr, name: str) -> bool:
    """Whether a name is that of `x -> …` around it."""
    above = node.parent
    while above is not None:
        own = above.expressions if isinstance(above, exp.Lambda) else []
        if any(parameter.name.casefold() == name.casefold() for parameter in own):
            return True
        above = above.parent
    return False


def _chain(start: exp.Expr, fields: Sequence[exp.Expr]) -> exp.Expr:
    """`start.field.field`."""
    for field_ in fields:
        start = exp.Dot(this=start, expression=exp.Identifier(this=field_.name, quoted=True))
    return start


def _reference(found: Found, node: exp.Expr) -> exp.Expr:
    reference: exp.Expr = column(found.column.internal)
    for name in found.fields:
        identifier = exp.Identifier(this=name, quoted=True)
        reference = exp.Dot(this=reference, expression=identifier)
    for part in reference.walk():
        part.meta["span"] = node.meta.get("span")
    return reference
