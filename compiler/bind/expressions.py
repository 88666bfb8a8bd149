"""Expressions: names become internal column names, what is not available is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from reflow.compiler.syntax import nodes
from reflow.grammar.source import Span

from .calls import Call, call_of, span_of
from .findings import Findings
from .functions import (
    AGGREGATES,
    ALL_NAMES,
    OTHER_AGGREGATES,
    OVER_ROWS,
    RANDOM,
    ROW_MAKERS,
    SCALARS,
    is_of_known_family,
)
from .names import ENGINE_NAMES, is_engine_name, lookup, meant, one_of
from .scope import Found, Nothing, Scope, Visible

_UNITS = frozenset(
    {"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DAYOFYEAR", "HOUR", "MINUTE", "SECOND"}
    | {"MILLISECOND", "MICROSECOND"}
)
_TAKE_UNITS = frozenset(
    {"timestampadd", "timestampdiff", "timestamp_add", "timestamp_diff"}
    | {"dateadd", "date_add", "datediff", "date_diff"}
)


@dataclass(frozen=True)
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
            what = {"exists": "EXISTS (…)", "in": "IN (SELECT …)"}.get(
                str(node.args.get("kind")), "a query as a value"
            )
            self.findings.not_yet("RF9004", what, span_of(node, self.around))
            return exp.Null()
        if isinstance(node, exp.Filter):
            self.findings.not_yet("RF9018", "FILTER", span_of(node, self.around))
            return exp.Null()
        if isinstance(node, exp.Lambda):
            return self._lambda(node)
        if isinstance(node, (exp.Column, exp.Dot)):
            return self._name(node)
        call = call_of(node)
        return node if call is None or self._available(call) else exp.Null()

    def _lambda(self, node: exp.Lambda) -> exp.Expr:
        """The parameters of `x -> …` are names of their own."""
        own = {str(parameter.name) for parameter in node.expressions}
        body = node.this.transform(
            lambda n: n if isinstance(n, exp.Column) and n.name in own else self._replace(n)
        )
        return exp.Lambda(this=body, expressions=[p.copy() for p in node.expressions])

    # --- names ---

    def _name(self, node: exp.Expr) -> exp.Expr:
        parts = name_parts(node)
        if parts is None:
            return node
        if self._is_unit(node, parts):
            return exp.Var(this=parts[0].name.upper())
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
                meant(why.name, why.known),
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
            self.findings.error("RF2006", f"the column `{why.name}` is ambiguous", span, shown)
        elif why.reason == "ambiguous case":
            self.findings.error(
                "RF2004",
                f"`{why.name}` fits several columns when case is ignored",
                name_span,
                shown,
            )

    # --- calls ---

    def _available(self, call: Call) -> bool:
        """False for what stands for nothing yet: then its arguments are not looked at."""
        whole = span_of(call.node, self.around)
        span = Span(whole.start, min(whole.end, whole.start + len(call.name)))
        if call.name in OTHER_AGGREGATES:
            self.findings.not_yet("RF9019", call.name.upper(), span)
        elif call.name in ROW_MAKERS:
            self.findings.not_yet("RF9021", call.name.upper(), span)
        else:
            self._check_call(call, whole, span)
            return True
        return False

    def _check_call(self, call: Call, span: Span, head: Span) -> None:
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
            self.findings.error(
                "RF2010", f"there is no function `{name}`", head, hint=meant(name, ALL_NAMES)
            )

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


def name_parts(node: exp.Expr) -> tuple[exp.Expr, ...] | None:
    """The identifiers of `a.b.c`; None when the left end is not a name."""
    if isinstance(node, exp.Column):
        keys = ("catalog", "db", "table", "this")
        return tuple(node.args[key] for key in keys if node.args.get(key) is not None)
    if isinstance(node, exp.Dot):
        left = name_parts(node.this)
        right = node.expression
        if left is None or not isinstance(right, (exp.Identifier, exp.Column, exp.Star)):
            return None
        return (*left, *(name_parts(right) or (right,)))
    return None


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


def column(name: str) -> exp.Column:
    """A column by its internal name."""
    return exp.Column(this=exp.Identifier(this=name, quoted=True))


def _reference(found: Found, node: exp.Expr) -> exp.Expr:
    reference: exp.Expr = column(found.column.internal)
    span = node.meta.get("span")
    reference.meta["span"] = span
    for name in found.fields:
        identifier = exp.Identifier(this=name, quoted=True)
        reference = exp.Dot(this=reference, expression=identifier)
        reference.meta["span"] = span
    return reference


def random_calls(expression: exp.Expr, around: Span) -> tuple[tuple[str, Span], ...]:
    """The calls whose value differs from run to run."""
    found = []
    for node in expression.walk():
        call = call_of(node)
        if call is not None and call.name in RANDOM:
            found.append((call.name, span_of(node, around)))
    return tuple(found)


def conjuncts(expression: exp.Expr) -> tuple[exp.Expr, ...]:
    """The parts of a condition between its outermost ANDs."""
    bare = expression
    while isinstance(bare, exp.Paren):
        bare = bare.this
    if isinstance(bare, exp.And):
        return conjuncts(bare.left) + conjuncts(bare.right)
    return (bare,)


def columns_of(expression: exp.Expr) -> frozenset[str]:
    """The internal names that a resolved expression reads."""
    return frozenset(node.name for node in expression.find_all(exp.Column))
