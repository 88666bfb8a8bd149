"""Tree to statements, and the way there from the text."""

from __future__ import annotations

from lark import Token, Tree

from reflow.grammar.diagnostic import CqlError
from reflow.grammar.parser import parse
from reflow.grammar.source import Source

from .nodes import Script
from .statements import Statements


def read(source: Source) -> Script:
    """The statements of a text. Raises CqlError with all its syntax errors."""
    return build(source, parse(source))


def build(source: Source, tree: Tree[Token]) -> Script:
    """The statements of a tree. Raises CqlError with everything that is refused in it."""
    fold = Statements(source)
    script: Script = fold.build(tree)
    if fold.diagnostics:
        raise CqlError(source, fold.diagnostics)
    return script
