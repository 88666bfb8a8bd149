"""Drawn expressions. They mean the same in Spark SQL and DuckDB, but for `DIV`."""

from __future__ import annotations

from collections.abc import Sequence

from .draw import Draw
from .texts import Column

ORDERED = ("<", "<=", ">", ">=")


def of_kind(columns: Sequence[Column], *kinds: str) -> list[Column]:
    return [column for column in columns if column.kind in kinds]


def predicate(draw: Draw, columns: Sequence[Column]) -> str:
    """A condition over some of the columns."""
    shape = draw.weighted([(6, "simple"), (1, "and"), (1, "or"), (1, "not")])
    if shape == "simple":
        return _simple(draw, draw.one(columns))
    if shape == "not":
        return f"NOT ({_simple(draw, draw.one(columns))})"
    left, right = (_simple(draw, draw.one(columns)) for _ in range(2))
    return f"({left} {shape.upper()} {right})"


def _simple(draw: Draw, column: Column) -> str:
    name = column.name
    if draw.chance(0.1):
        return f"{name} IS {draw.one(['', 'NOT '])}NULL"
    if column.kind == "text":
        return draw.one(
            [f"{name} = 'a'", f"{name} <> 'b'", f"{name} LIKE 'a%'", f"{name} IN ('a', 'c')"]
        )
    if column.kind == "int":
        number = draw.number(-1, 3)
        return draw.one(
            [
                f"{name} {draw.one(ORDERED)} {number}",
                f"{name} % 2 = 0",
                f"{name} BETWEEN {number} AND {number + 4}",
                f"{name} <> {draw.number(0, 3)}",
            ]
        )
    if column.kind == "time":
        return f"{name} IS NOT NULL"
    return f"{name} {draw.one(ORDERED)} {draw.number(-1, 4)}"


def scalar(draw: Draw, columns: Sequence[Column]) -> Column:
    """An expression with its kind; most often just a column."""
    column = draw.one(columns)
    name = column.name
    if draw.chance(0.6):
        return column
    if column.kind == "int":
        return Column(
            draw.one(
                [
                    f"{name} + 1",
                    f"{name} * 2",
                    f"-{name}",
                    f"{name} DIV 2",
                    f"COALESCE({name}, 0)",
                    f"CASE WHEN {predicate(draw, columns)} THEN {name} ELSE 0 END",
                ]
            ),
            "int",
        )
    if column.kind == "text":
        return Column(
            draw.one([f"UPPER({name})", f"{name} || 'x'", f"COALESCE({name}, 'none')"]), "text"
        )
    if column.kind == "real":
        return Column(draw.one([f"{name} / 2", f"{name} + 1", f"COALESCE({name}, 0)"]), "real")
    return column


def constant(draw: Draw, kind: str) -> str:
    """A constant of a kind."""
    if kind == "int":
        return str(draw.number(0, 9))
    if kind == "text":
        return draw.one(["'a'", "'constant'"])
    if kind == "time":
        return "CAST(NULL AS TIMESTAMP)"
    return "CAST(0.25 AS DOUBLE)"


def aggregate(draw: Draw, columns: Sequence[Column]) -> Column:
    """An aggregate with the kind of its result."""
    if draw.chance(0.3):
        return Column("COUNT(*)", "int")
    argument = scalar(draw, columns)
    functions = ["COUNT", "MIN", "MAX"]
    if argument.kind in ("int", "real"):
        functions += ["SUM", "SUM", "AVG"]
    function = draw.one(functions)
    kinds = {"COUNT": "int", "AVG": "approx"}
    return Column(f"{function}({argument.name})", kinds.get(function, argument.kind))


def join_condition(draw: Draw, left: Sequence[Column], right: Sequence[Column]) -> str | None:
    """A condition between two sides; None: a product."""
    exact = ("int", "text", "real", "time")
    equal = [
        f"{a.name} = {b.name}"
        for a in of_kind(left, *exact)
        for b in of_kind(right, *exact)
        if a.kind == b.kind
    ]
    unequal = [
        f"{a.name} {operator} {b.name}"
        for a in of_kind(left, "int", "real", "time")
        for b in of_kind(right, "int", "real", "time")
        for operator in (*ORDERED, "<>")
        if a.kind == b.kind
    ]
    shape = draw.weighted([(6, "equal"), (1, "both"), (2, "unequal"), (1, "product")])
    if shape == "both" and equal and unequal:
        return f"{draw.one(equal)} AND {draw.one(unequal)}"
    if shape in ("equal", "both") and equal:
        return draw.one(equal)
    return draw.one(unequal) if unequal and shape != "product" else None
