"""What can be said of a statement that cannot be read: the name of what it creates."""

from __future__ import annotations

from itertools import pairwise

from reflow.grammar.scan import Piece, pieces
from reflow.grammar.source import Source, Span

from .nodes import Name, Unreadable

_BEHIND_A_NAME = frozenset({"(", "AS", "MERGE", "FROM"})


def unreadable(source: Source, span: Span) -> Unreadable:
    """The statement at this place."""
    head: list[Piece] = []
    for piece in pieces(source.text, span.start):
        if piece.span.start >= span.end or len(head) == 6:
            break
        head.append(piece)
    return Unreadable(_created(head), span)


def _created(head: list[Piece]) -> Name | None:
    """The name behind CREATE and the kind, whatever is written in their places."""
    for piece, behind in pairwise(head[1:]):
        if piece.kind in {"word", "name"} and behind.upper in _BEHIND_A_NAME:
            return _name(piece) if head[0].upper.startswith("CREAT") else None
    return None


def _name(piece: Piece) -> Name:
    if piece.kind == "word":
        return Name(piece.text, piece.span)
    quote = piece.text[0]
    return Name(piece.text[1:-1].replace(quote * 2, quote), piece.span, quoted=True)
