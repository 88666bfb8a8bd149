"""Names as sqlglot identifiers and columns."""

from __future__ import annotations

from sqlglot import exp

from .nodes import Name
from .spans import spanned

# Plain in CQL, but with another meaning in Spark SQL where something stands beside them.
_QUOTED_FOR_SPARK = frozenset({"DATE", "TIMESTAMP", "INTERVAL", "END"})


def identifier(name: Name) -> exp.Identifier:
    """The name, quoted where the user quoted it or where Spark SQL would not read it as a name."""
    quoted = name.quoted or not name.text.isascii() or name.text.upper() in _QUOTED_FOR_SPARK
    return spanned(exp.Identifier(this=name.text, quoted=quoted), name.span)


def column_of(path: tuple[Name, ...]) -> exp.Expression:
    """`a` and `a.b` are columns, everything deeper is a field of one."""
    if len(path) == 1:
        return spanned(exp.Column(this=identifier(path[0])), path[0].span)
    span = path[0].span.to(path[1].span)
    table, column = identifier(path[0]), identifier(path[1])
    found: exp.Expression = spanned(exp.Column(this=column, table=table), span)
    for name in path[2:]:
        found = spanned(exp.Dot(this=found, expression=identifier(name)), span.to(name.span))
    return found
