"""Random expressions with as few brackets as Spark's levels need are read as they were meant.

This sees wrong levels and wrong associativity. It does not see a wrong spelling for Spark: that is
the table of test_expressions.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from .reading import expression

# Spark SQL's levels, from the loosest; on each level operators associate to the left.
LEVELS: dict[str, int] = {
    "OR": 1,
    "AND": 2,
    **dict.fromkeys(["=", "<>", "<", "<=", ">", ">="], 4),
    "|": 5,
    "^": 6,
    "&": 7,
    **dict.fromkeys(["+", "-", "||"], 9),
    **dict.fromkeys(["*", "/", "%", "DIV"], 10),
}
NOT, UNARY, ATOM = 3, 11, 12
KINDS: dict[type[exp.Expression], str] = {
    exp.Or: "OR",
    exp.And: "AND",
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "^",
    exp.BitwiseAnd: "&",
    exp.Add: "+",
    exp.Sub: "-",
    exp.DPipe: "||",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.IntDiv: "DIV",
}


@dataclass(frozen=True)
class Meant:
    """An expression as text with few brackets, and with all of them."""

    level: int
    few: str
    all: str


def inside(meant: Meant, level: int) -> str:
    return meant.few if meant.level >= level else f"({meant.few})"


def binary(operator: str, left: Meant, right: Meant) -> Meant:
    level = LEVELS[operator]
    few = f"{inside(left, level)} {operator} {inside(right, level + 1)}"
    return Meant(level, few, f"[{left.all} {operator} {right.all}]")


def unary(operator: str, operand: Meant) -> Meant:
    level = NOT if operator == "NOT" else UNARY
    return Meant(level, f"{operator} {inside(operand, level)}", f"[{operator} {operand.all}]")


ATOMS = st.sampled_from("abcdef").map(lambda name: Meant(ATOM, name, name))
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds(binary, st.sampled_from(sorted(LEVELS)), inner, inner),
        st.builds(unary, st.sampled_from(["NOT", "-", "~"]), inner),
    ),
    max_leaves=12,
)


def bracketed(found: exp.Expression) -> str:
    match found:
        case exp.Paren():
            return bracketed(found.this)
        case exp.Column():
            return found.name
        case exp.Not():
            return f"[NOT {bracketed(found.this)}]"
        case exp.Neg():
            return f"[- {bracketed(found.this)}]"
        case exp.BitwiseNot():
            return f"[~ {bracketed(found.this)}]"
        case _:
            operator = KINDS[type(found)]
            return f"[{bracketed(found.this)} {operator} {bracketed(found.expression)}]"


@settings(max_examples=150, deadline=None)
@given(EXPRESSIONS)
def test_levels(meant: Meant) -> None:
    found = expression(meant.few)
    assert normal(found) == normal_text(meant)


def normal(found: exp.Expression) -> str:
    """Fully bracketed; chains of AND and OR leaning to the left whatever tree they are."""
    return bracketed(leaning(found))


def leaning(found: exp.Expression) -> exp.Expression:
    found = found.copy()
    for node in list(found.find_all(exp.Paren)):
        if node.parent is None:
            return leaning(node.this)
        node.replace(node.this)
    for kind in (exp.And, exp.Or):
        while True:
            turned = next((n for n in found.find_all(kind) if isinstance(n.expression, kind)), None)
            if turned is None:
                break
            a, b, c = turned.this, turned.expression.this, turned.expression.expression
            turned.set("this", kind(this=a, expression=b))
            turned.set("expression", c)
    return found


def normal_text(meant: Meant) -> str:
    """The same for the text that was meant: read with all brackets, which needs no levels."""
    return normal(expression(meant.all.replace("[", "(").replace("]", ")")))
