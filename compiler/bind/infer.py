"""The types of expressions, and the clashes that Spark (ANSI) would surely refuse.

UNKNOWN is never an error by itself: what is not certain is left to Spark.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from reflow.grammar.source import Span

from .arithmetic import arithmetic, literal
from .call_types import CallTyper, different
from .calls import call_of, span_of
from .ddl import DdlError, nearest_type, read_type
from .findings import Findings
from .names import meant, one_of
from .types import (
    BOOLEAN,
    INT,
    INTERVAL,
    NULL,
    STRING,
    UNKNOWN,
    Type,
    common_of,
    comparable,
    with_article,
)

_COMPARISONS = (
    exp.EQ,
    exp.NEQ,
    exp.GT,
    exp.GTE,
    exp.LT,
    exp.LTE,
    exp.NullSafeEQ,
    exp.NullSafeNEQ,
)
_LOGIC = (exp.And, exp.Or, exp.Not, exp.Xor)
_TESTS = (exp.Is, exp.Like, exp.ILike, exp.RegexpLike, exp.RegexpILike, exp.Escape)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod)
_BITS = (
    exp.BitwiseAnd,
    exp.BitwiseOr,
    exp.BitwiseXor,
    exp.BitwiseLeftShift,
    exp.BitwiseRightShift,
)


@dataclass(frozen=True)
class Typer:
    """Types of resolved expressions, whose columns are internal names with the types given."""

    types: Mapping[str, Type]
    findings: Findings
    around: Span

    def __call__(self, node: exp.Expr) -> Type:
        match node:
            case exp.Paren() | exp.Alias():
                return self(node.this)
            case exp.Column():
                return self.types.get(node.name, UNKNOWN)
            case exp.Literal():
                return literal(node)
            case exp.Boolean():
                return BOOLEAN
            case exp.Null():
                return NULL
            case exp.Interval():
                return INTERVAL
            case exp.Cast() | exp.TryCast():
                return self._cast(node)
            case exp.Case():
                return self._case(node)
            case exp.Extract():
                self(node.expression)
                second = node.this.name.upper().startswith("SEC")
                return Type("DECIMAL", (8, 6)) if second else INT
            case exp.Bracket():
                return self._element(node)
            case exp.Dot():
                return self._field(node)
            case exp.Between() | exp.In():
                return self._among(node)
            case exp.Neg():
                return self._negative(node)
            case exp.DPipe():
                return self._concat(node)
        return self._operator(node)

    def _operator(self, node: exp.Expr) -> Type:
        if isinstance(node, _LOGIC):
            return self._logic(node)
        if isinstance(node, _COMPARISONS):
            self._compare(node, node.this, node.expression)
            return BOOLEAN
        if isinstance(node, _TESTS):
            self._children(node)
            return BOOLEAN
        if isinstance(node, _ARITHMETIC):
            return self._arithmetic(node)
        if isinstance(node, _BITS):
            left, right = self(node.this), self(node.expression)
            return common_of((left, right)) or UNKNOWN
        call = call_of(node)
        if call is not None:
            arguments = tuple(self(a) for a in call.arguments if not isinstance(a, exp.Star))
            return CallTyper(self.findings, self.around)(call, arguments)
        self._children(node)
        return UNKNOWN

    def condition(self, node: exp.Expr, clause: str) -> None:
        """Check a whole condition: it must be a BOOLEAN."""
        type_ = self(node)
        if type_.family not in {"", "boolean"}:
            self._error(
                "RF2103",
                f"{clause} needs a condition, this is {with_article(type_)}",
                node,
                "a BOOLEAN",
            )

    def _children(self, node: exp.Expr) -> tuple[Type, ...]:
        return tuple(self(child) for child in node.iter_expressions())

    def _error(
        self, code: str, message: str, node: exp.Expr, expected: str = "", hint: str = ""
    ) -> None:
        self.findings.error(code, message, span_of(node, self.around), expected, hint)

    # --- operators ---

    def _logic(self, node: exp.Expr) -> Type:
        operands = [node.this] if isinstance(node, exp.Not) else [node.this, node.expression]
        for operand in operands:
            type_ = self(operand)
            is_text = type_ == STRING and isinstance(operand, exp.Literal)
            if type_.family not in {"", "boolean"} and not is_text:
                word = type(node).__name__.upper()
                self._error(
                    "RF2103",
                    f"{word} needs conditions, this is {with_article(type_)}",
                    operand,
                    "a BOOLEAN",
                )
        return BOOLEAN

    def _compare(self, node: exp.Expr, left: exp.Expr, right: exp.Expr) -> None:
        a, b = self(left), self(right)
        if not comparable(a, b):
            self._error("RF2101", f"{a} cannot be compared with {b}", node, hint=_cast_hint(a, b))

    def _among(self, node: exp.Expr) -> Type:
        others = (
            [node.args["low"], node.args["high"]]
            if isinstance(node, exp.Between)
            else list(node.expressions)
        )
        for other in others:
            a, b = self(node.this), self(other)
            if not comparable(a, b):
                self._error(
                    "RF2101", f"{a} cannot be compared with {b}", other, hint=_cast_hint(a, b)
                )
        return BOOLEAN

    def _arithmetic(self, node: exp.Expr) -> Type:
        left, right = self(node.this), self(node.expression)
        result = arithmetic(node, left, right)
        if result is not None:
            return result
        sign = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "IntDiv": "DIV", "Mod": "%"}
        self._error(
            "RF2102", f"`{sign[type(node).__name__]}` does not work on {left} and {right}", node
        )
        return UNKNOWN

    def _negative(self, node: exp.Neg) -> Type:
        type_ = self(node.this)
        if type_.family in {"", "numeric", "interval", "string"}:
            return type_
        self._error("RF2102", f"`-` does not work on {type_}", node)
        return UNKNOWN

    def _concat(self, node: exp.DPipe) -> Type:
        left, right = self(node.this), self(node.expression)
        lists = {"array", "map", "struct"}
        kinds = {left.family, right.family}
        if "" not in kinds and kinds & lists and kinds != {"array"}:
            self._error("RF2102", f"`||` does not work on {left} and {right}", node)
            return UNKNOWN
        if "" in kinds or "binary" in kinds:
            return UNKNOWN
        return (common_of((left, right)) or UNKNOWN) if kinds == {"array"} else STRING

    # --- parts and alternatives ---

    def _cast(self, node: exp.Expr) -> Type:
        self(node.this)
        target = node.args["to"]
        text = target.sql(dialect="spark") if isinstance(target, exp.Expr) else str(target)
        try:
            return read_type(text)
        except DdlError as error:
            self._error(
                "RF2009", str(error), target, "a type of Spark SQL", nearest_type(error.word)
            )
            return UNKNOWN

    def _case(self, node: exp.Case) -> Type:
        results = []
        for branch in node.args.get("ifs") or []:
            if node.this is None:
                self.condition(branch.this, "WHEN")
            else:
                self._compare(branch.this, node.this, branch.this)
            results.append(branch.args["true"])
        default = node.args.get("default")
        if default is not None:
            results.append(default)
        types = tuple(self(result) for result in results)
        found = common_of(types)
        if found is not None:
            return found
        message = f"the branches of CASE have no common type: {different(types)}"
        self._error("RF2108", message, node)
        return UNKNOWN

    def _element(self, node: exp.Bracket) -> Type:
        whole = self(node.this)
        for index in node.expressions:
            self(index)
        if whole.name == "ARRAY":
            return whole.of[0]
        if whole.name == "MAP":
            return whole.of[1]
        if whole.family:
            self._error(
                "RF2110", f"{with_article(whole)} has no elements", node, "an ARRAY or a MAP"
            )
        return UNKNOWN

    def _field(self, node: exp.Dot) -> Type:
        whole, field = self(node.this), node.expression.name
        if whole.name == "MAP":
            return whole.of[1]
        if whole.name == "ARRAY" and whole.of[0].name == "STRUCT":
            return UNKNOWN
        if whole.name != "STRUCT":
            if whole.family:
                self._error(
                    "RF2110", f"{with_article(whole)} has no field `{field}`", node, "a STRUCT"
                )
            return UNKNOWN
        folded = [name.casefold() for name in whole.fields]
        if field.casefold() in folded:
            return whole.of[folded.index(field.casefold())]
        self._unknown_field(node, field, whole)
        return UNKNOWN

    def _unknown_field(self, node: exp.Dot, field: str, whole: Type) -> None:
        self._error(
            "RF2011",
            f"the struct has no field `{field}`",
            node,
            one_of(whole.fields),
            meant(field, whole.fields),
        )


def _cast_hint(left: Type, right: Type) -> str:
    if {left.family, right.family} == {"numeric", "boolean"}:
        return "convert one side: CAST(… AS BOOLEAN)"
    return ""
