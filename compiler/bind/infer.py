"""The types of expressions, and the clashes that Spark (ANSI) would surely refuse.

UNKNOWN is never an error by itself: what is not certain is left to Spark.
"""

from __future__ import annotations

from sqlglot import exp

from reflow.grammar.value import value

from .arithmetic import literal
from .call_types import CallTyper
from .calls import call_of
from .part_types import PartTypes
from .types import (
    BOOLEAN,
    INT,
    INTERVAL,
    NULL,
    UNKNOWN,
    Type,
    common_of,
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


@value
class Typer(PartTypes):
    """The type of any resolved expression."""

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
                return self.cast(node)
            case exp.Case():
                return self.case(node)
            case exp.Extract():
                self(node.expression)
                second = node.this.name.upper().startswith("SEC")
                return Type("DECIMAL", (8, 6)) if second else INT
            case exp.Bracket():
                return self.element(node)
            case exp.Dot():
                return self.field(node)
            case exp.Between() | exp.In():
                return self.among(node)
            case exp.Neg():
                return self.negative(node)
            case exp.DPipe():
                return self.concat(node)
            case exp.Filter():
                self.condition(node.expression.this, "FILTER")
                return self(node.this)
        return self._operator(node)

    def _operator(self, node: exp.Expr) -> Type:
        if isinstance(node, _LOGIC):
            return self.logic(node)
        if isinstance(node, _COMPARISONS):
            self.compare(node, node.this, node.expression)
            return BOOLEAN
        if isinstance(node, _TESTS):
            self.children(node)
            return BOOLEAN
        if isinstance(node, _ARITHMETIC):
            return self.arithmetic(node)
        if isinstance(node, _BITS):
            left, right = self(node.this), self(node.expression)
            return common_of((left, right)) or UNKNOWN
        call = call_of(node)
        if call is not None:
            arguments = tuple(self(a) for a in call.arguments if not isinstance(a, exp.Star))
            return CallTyper(self.findings, self.around)(call, arguments)
        self.children(node)
        return UNKNOWN
