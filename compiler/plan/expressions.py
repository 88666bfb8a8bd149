"""Scalar expressions as text: which columns they read, and new expressions made from old ones.

In and out: Spark SQL text over internal column names. sqlglot parses and prints; parsed trees are
cached and never handed out, so that nobody can change them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from sqlglot import exp

from .lambdas import without_capture
from .verbatim import tree as _tree

_UNSTABLE_WORDS = """
    rand random randn uuid randstr uniform shuffle aes_encrypt try_aes_encrypt
    monotonically_increasing_id spark_partition_id
    input_file_name input_file_block_start input_file_block_length
    now current_date curdate current_time current_timestamp localtimestamp
"""
UNSTABLE = frozenset(_UNSTABLE_WORDS.split())
"""Functions whose value differs from call to call, or from run to run."""

_UNSTABLE = re.compile(
    rf"\b({'|'.join(sorted(UNSTABLE))}|unix_timestamp|reflect|java_method)\b", re.IGNORECASE
)
_DEEPEST = 20
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def quoted(name: str) -> str:
    """A column name in backquotes."""
    return "`" + name.replace("`", "``") + "`"


def columns_of(sql: str) -> frozenset[str]:
    """The names of the columns that an expression reads."""
    return _columns(sql)


def bare_column(sql: str) -> str | None:
    """The column's name where the expression is nothing but a column."""
    tree = _tree(sql)
    if isinstance(tree, exp.Column) and len(tree.parts) == 1:
        return str(tree.name)
    return None


def is_simple(sql: str) -> bool:
    """A column or a literal: free to be computed twice."""
    return bare_column(sql) is not None or isinstance(
        _tree(sql), exp.Literal | exp.Boolean | exp.Null
    )


def is_deterministic(sql: str) -> bool:
    """The same row always gives the same value. Errs on the side of no."""
    return _UNSTABLE.search(_without_quoted(sql)) is None


def is_shallow(sql: str) -> bool:
    """Brackets are nested no deeper than people write them; parsers go down at every bracket."""
    depth = deepest = 0
    for char in _without_quoted(sql):
        depth += (char == "(") - (char == ")")
        deepest = max(deepest, depth)
    return deepest <= _DEEPEST


def uses(sql: str, name: str) -> int:
    """How often an expression reads a column."""
    return sum(1 for column in _tree(sql).find_all(exp.Column) if _root(column) == name)


def replace_columns(sql: str, new: Mapping[str, str]) -> str:
    """The expression with columns replaced by expressions (names not in `new` stay)."""
    if not columns_of(sql) & new.keys():
        return sql
    read = frozenset[str]().union(*(columns_of(text) for text in new.values()))
    tree = without_capture(_tree(sql).copy(), read)
    return str(tree.transform(_replacement, new, copy=False).sql(dialect="spark"))


def conjuncts(sql: str) -> tuple[str, ...]:
    """The parts of a predicate that AND joins together, in their order."""
    tree = _unwrapped(_tree(sql))
    if not isinstance(tree, exp.And):
        return (sql,)
    return tuple(
        text
        for part in (tree.this, tree.expression)
        for text in conjuncts(part.sql(dialect="spark"))
    )


def conjunction(parts: Iterable[str]) -> str:
    """The predicate that is true where all parts are. There must be at least one part."""
    texts = list(dict.fromkeys(parts))
    if len(texts) == 1:
        return texts[0]
    return " AND ".join(f"({text})" if isinstance(_tree(text), exp.Or) else text for text in texts)


def equal_columns(sql: str) -> tuple[str, str] | None:
    """The two columns of `a = b`, where the predicate is just that."""
    tree = _unwrapped(_tree(sql))
    if not isinstance(tree, exp.EQ):
        return None
    left, right = (bare_column(side.sql(dialect="spark")) for side in (tree.this, tree.expression))
    return None if left is None or right is None else (left, right)


def equal_literal(sql: str) -> tuple[str, str, bool] | None:
    """The column, the value as text and whether it is a string, of `a = 'b'` or `a = 1`, where the
    predicate is just that.
    """
    tree = _unwrapped(_tree(sql))
    if not isinstance(tree, exp.EQ):
        return None
    for one, other in ((tree.this, tree.expression), (tree.expression, tree.this)):
        column = bare_column(one.sql(dialect="spark"))
        if column is not None and isinstance(other, exp.Literal):
            return column, str(other.this), bool(other.is_string)
    return None


def readable(sql: str) -> str:
    """The expression for people: backquotes only where a name needs them, no line breaks."""
    text = re.sub(r"`([A-Za-z_][A-Za-z0-9_]*)`", r"\1", sql)
    return " ".join(text.split())


def readable_name(name: str) -> str:
    return name if _WORD.match(name) else quoted(name)


@lru_cache(maxsize=4096)
def _columns(sql: str) -> frozenset[str]:
    return frozenset(_root(column) for column in _tree(sql).find_all(exp.Column))


def _without_quoted(sql: str) -> str:
    return re.sub(r"`(?:[^`]|``)*`|'(?:[^'\\]|\\.|'')*'", " ", sql)


def _root(column: exp.Column) -> str:
    """The first part: `a.b` over a struct column `a` parses as a column `b` of a table `a`."""
    return str(column.parts[0].name)


def _unwrapped(tree: exp.Expression) -> exp.Expression:
    while isinstance(tree, exp.Paren):
        tree = tree.this
    return tree


def _binds_tightly(tree: exp.Expression) -> bool:
    """Needs no brackets wherever it stands. Some operators are functions to sqlglot: AND, RLIKE."""
    if isinstance(tree, exp.Connector | exp.Binary | exp.Predicate):
        return False
    return isinstance(tree, exp.Column | exp.Literal | exp.Func | exp.Paren)


def _replacement(node: exp.Expression, new: Mapping[str, str]) -> exp.Expression:
    if not isinstance(node, exp.Column) or _root(node) not in new:
        return node
    tree = _tree(new[_root(node)]).copy()
    fields = node.parts[1:]
    if not _binds_tightly(tree):
        tree = exp.Paren(this=tree)
    for part in fields:
        tree = exp.Dot(this=tree, expression=part.copy())
    return tree
