"""Windows, BEGIN/END and reductions."""

from __future__ import annotations

from sqlglot import exp

from .fold import Node, Part, part
from .lengths import Lengths
from .literals import string_literal, typed_literal
from .names import column_of
from .nodes import (
    BeginEnd,
    Length,
    Moment,
    Name,
    NowWindow,
    RangeWindow,
    Reduction,
    RowsWindow,
    SessionWindow,
    TumbleWindow,
    UnboundedWindow,
    Window,
)
from .spans import spanned


class Windows(Lengths):
    """Handlers of what stands in `[…]` and after BEGIN and REDUCE."""

    def window(self, node: Node) -> Part:
        window: Window = node.children[0]
        return Part("window", window, node.span)

    def range_window(self, node: Node) -> RangeWindow:
        length, *slide = node.all(Length)
        return RangeWindow(length, slide[0] if slide else None, node.span)

    def tumble_window(self, node: Node) -> TumbleWindow:
        return TumbleWindow(node.children[0], node.span)

    def rows_window(self, node: Node) -> RowsWindow:
        (rows,) = node.tokens("NUMBER")
        columns = part(node, "partition") or ()
        return RowsWindow(
            self.whole(rows), part(node, "slide"), columns, node.first(Length), node.span
        )

    def slide_rows(self, node: Node) -> Part:
        return Part("slide", self.whole(node.children[0]), node.span)

    def partition(self, node: Node) -> Part:
        return Part("partition", columns_of(node.children), node.span)

    def now_window(self, node: Node) -> NowWindow:
        return NowWindow(node.span)

    def unbounded_window(self, node: Node) -> UnboundedWindow:
        return UnboundedWindow(node.span)

    def session_window(self, node: Node) -> SessionWindow:
        gap, *columns = node.children
        return SessionWindow(gap, columns_of(columns), node.span)

    def begin_end(self, node: Node) -> BeginEnd:
        begin, end = node.all(Moment)
        return BeginEnd(begin, end, node.span)

    def bracketed_moment(self, node: Node) -> Moment:
        inner: Moment = node.children[0]
        return inner

    def literal_moment(self, node: Node) -> Moment:
        token = node.children[-1]
        literal: exp.Expression
        if node.words:
            literal = typed_literal(node.words[0], token)
        elif token.type == "STRING":
            literal = string_literal(token)
        else:
            self.decimal(token)
            literal = exp.Literal.number(str(token))
            if len(node.children) > 1:
                literal = exp.Neg(this=literal)
        return Moment(spanned(literal, node.span), False, None, None, node.span)

    def now_moment(self, node: Node) -> Moment:
        rows = node.tokens("NUMBER")
        minus_rows = self.whole(rows[0]) if rows else None
        return Moment(None, True, node.first(Length), minus_rows, node.span)

    def reduction(self, node: Node) -> Part:
        """The arguments: a number, lists of ages, a length, an expression, a name."""
        kind = "to" if node.words[1] == "TO" else self._reduction_kind(node)
        arguments = tuple(node.children)
        if kind == "uniform":
            arguments = (self.decimal(arguments[0]),)
        elif kind not in _BUILT_IN:
            arguments = arguments[1:]
        return Part("reduction", Reduction(kind, arguments, node.span), node.span)

    def _reduction_kind(self, node: Node) -> str:
        if len(node.words) > 2:
            return node.words[2].lower()
        name = node.first(Name)
        return name.text if name else ""

    def age(self, node: Node) -> tuple[Length | None, float]:
        """A length and the share dropped beyond it; None for ELSE."""
        return node.first(Length), self.decimal(node.children[-1])


_BUILT_IN = frozenset({"uniform", "age", "load", "value", "to"})


def columns_of(paths: list[tuple[Name, ...]]) -> tuple[exp.Expression, ...]:
    """Column references for the paths of a window."""
    return tuple(column_of(path) for path in paths)
