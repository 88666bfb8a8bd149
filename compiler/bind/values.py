"""Values for columns: constant expressions, checked against the column's type, as SQL text."""

from __future__ import annotations

from sqlglot import exp

from reflow.compiler.syntax import nodes
from reflow.compiler.syntax.moments import is_moment
from reflow.grammar.source import Span
from reflow.grammar.value import value

from ..plan.schema import UNKNOWN as UNKNOWN_TEXT
from ..plan.schema import Column
from .calls import span_of
from .casts import castable
from .ddl import read_type
from .expressions import Resolver
from .findings import Findings
from .infer import Typer
from .resolved import random_calls
from .scope import Scope
from .types import INTEGRAL, Type, with_article

_BITS = {"TINYINT": 7, "SMALLINT": 15, "INT": 31, "BIGINT": 63}


@value
class Values:
    """Binds rows of constants. The columns of a row are known by position."""

    findings: Findings

    def row(self, row: nodes.ValueRow, columns: tuple[Column, ...], whose: str) -> tuple[str, ...]:
        """The SQL text of each value. A row of another length is refused; so is what does not
        fit. `whose` says in messages what the columns are those of.
        """
        if len(row.values) != len(columns):
            given = f"{len(row.values)} value{'s' if len(row.values) != 1 else ''}"
            names = ", ".join(column.name for column in columns)
            self.findings.error(
                "RF3503",
                f"this row has {given}, and {whose} has {len(columns)}",
                row.span,
                f"({names})",
            )
            return ()
        pairs = zip(row.values, columns, strict=True)
        return tuple(self._value(value, column, row.span) for value, column in pairs)

    def _value(self, written: exp.Expression, column: Column, around: Span) -> str:
        query = written.find(nodes.QueryExpression)
        if query is not None:
            place = span_of(query, around)
            self.findings.error("RF3504", "a query is no constant", place, "a constant")
            return "NULL"
        before = len(self.findings.errors)
        value = Resolver(Scope(), self.findings, "VALUES", False, around)(written)
        type_ = Typer({}, self.findings, around)(value)
        for name, span in random_calls(value, around):
            self.findings.error(
                "RF3210", f"`{name}` gives another value on every run", span, "a constant"
            )
        if len(self.findings.errors) == before:
            self._check(value, type_, column, span_of(written, around))
        text = value.sql(dialect="spark")
        return text if column.type == UNKNOWN_TEXT else f"CAST({text} AS {column.type})"

    def _check(self, value: exp.Expr, type_: Type, column: Column, span: Span) -> None:
        target = read_type(column.type)
        hint = _misfit(value, type_, target)
        if hint is not None:
            self.findings.error(
                "RF3504",
                f"{_shown(value, type_)} does not fit the column `{column.name}`",
                span,
                with_article(target),
                hint,
            )


def _shown(value: exp.Expr, type_: Type) -> str:
    literal = _number(value)
    return f"{literal[1]}" if literal is not None else with_article(type_)


def _misfit(value: exp.Expr, type_: Type, target: Type) -> str | None:
    """Why the value cannot be one of the column, as a hint; None if it can."""
    a, b = type_.family, target.family
    if not a or not b or type_ == target:
        return None
    if a == b == "numeric":
        return _misfit_number(value, type_, target)
    if b == "datetime" and a == "string":
        return _misfit_moment(value, target)
    if b == "string":
        return None if a == "string" else "write it as a string, in single quotes"
    if a == b:
        return None if castable(type_, target) else ""
    return None if (a, b) == ("string", "binary") else ""


def _misfit_moment(value: exp.Expr, target: Type) -> str | None:
    kind = "DATE" if target.name == "DATE" else "TIMESTAMP"
    example = "2026-01-31" if kind == "DATE" else "2026-01-31 23:59:59"
    if isinstance(value, exp.Literal) and is_moment(str(value.this), kind):
        return None
    return f"write '{example}'"


def _misfit_number(value: exp.Expr, type_: Type, target: Type) -> str | None:
    """A value must not be rounded or cut: it would be another one."""
    if target.name in ("FLOAT", "DOUBLE"):
        return None
    literal = _number(value)
    if literal is None:
        whole = type_.name in INTEGRAL or type_.name == "DECIMAL"
        return None if whole or target.name == "DECIMAL" else "write CAST(… AS …) around it"
    digits = literal[0]
    if "E" in digits.upper():
        return "write it without exponent"
    before, _, after = digits.partition(".")
    places = len(after.rstrip("0"))
    if target.name == "DECIMAL":
        precision, scale = target.numbers
        fits = places <= scale and len(before.lstrip("0")) <= precision - scale
        return None if fits else ""
    if places:
        return "the column holds whole numbers"
    most = 1 << _BITS[target.name]
    number = -int(before or 0) if literal[1].startswith("-") else int(before or 0)
    return None if -most <= number < most else ""


def _number(value: exp.Expr) -> tuple[str, str] | None:
    """The digits of a literal number, and how it is written with its sign."""
    negative = isinstance(value, exp.Neg)
    bare = value.this if negative else value
    if not isinstance(bare, exp.Literal) or bare.is_string:
        return None
    digits = str(bare.this)
    return digits, f"-{digits}" if negative else digits
