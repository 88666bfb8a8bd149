"""The types of operators: logic, comparisons, arithmetic, `||`."""

from __future__ import annotations

from sqlglot import exp

from reflow.grammar.value import value

from .arithmetic import arithmetic
from .types import BOOLEAN, STRING, UNKNOWN, Type, common_of, comparable, with_article
from .typing_base import Typing


@value
class OperatorTypes(Typing):
    """What an operator gives, and which operands it surely refuses."""

    def logic(self, node: exp.Expr) -> Type:
        operands = [node.this] if isinstance(node, exp.Not) else [node.this, node.expression]
        for operand in operands:
            type_ = self(operand)
            is_text = type_ == STRING and isinstance(operand, exp.Literal)
            if type_.family not in {"", "boolean"} and not is_text:
                word = type(node).__name__.upper()
                self.error(
                    "RF2103",
                    f"{word} needs conditions, this is {with_article(type_)}",
                    operand,
                    "a BOOLEAN",
                )
        return BOOLEAN

    def compare(self, node: exp.Expr, left: exp.Expr, right: exp.Expr) -> None:
        a, b = self(left), self(right)
        if not comparable(a, b):
            self.error("RF2101", f"{a} cannot be compared with {b}", node, hint=_cast_hint(a, b))

    def among(self, node: exp.Expr) -> Type:
        others = (
            [node.args["low"], node.args["high"]]
            if isinstance(node, exp.Between)
            else list(node.expressions)
        )
        for other in others:
            a, b = self(node.this), self(other)
            if not comparable(a, b):
                self.error(
                    "RF2101", f"{a} cannot be compared with {b}", other, hint=_cast_hint(a, b)
                )
        return BOOLEAN

    def arithmetic(self, node: exp.Expr) -> Type:
        left, right = self(node.this), self(node.expression)
        result = arithmetic(node, left, right)
        if result is not None:
            return result
        sign = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "IntDiv": "DIV", "Mod": "%"}
        self.error(
            "RF2102", f"`{sign[type(node).__name__]}` does not work on {left} and {right}", node
        )
        return UNKNOWN

    def negative(self, node: exp.Neg) -> Type:
        type_ = self(node.this)
        if type_.family in {"", "numeric", "interval", "string"}:
            return type_
        self.error("RF2102", f"`-` does not work on {type_}", node)
        return UNKNOWN

    def concat(self, node: exp.DPipe) -> Type:
        left, right = self(node.this), self(node.expression)
        lists = {"array", "map", "struct"}
        kinds = {left.family, right.family}
        if "" not in kinds and kinds & lists and kinds != {"array"}:
            self.error("RF2102", f"`||` does not work on {left} and {right}", node)
            return UNKNOWN
        if "" in kinds or "binary" in kinds:
            return UNKNOWN
        return (common_of((left, right)) or UNKNOWN) if kinds == {"array"} else STRING


def _cast_hint(left: Type, right: Type) -> str:
    if {left.family, right.family} == {"numeric", "boolean"}:
        return "convert one side: CAST(… AS BOOLEAN)"
    return ""
