"""Parameters of lambdas: in Spark they hide columns of the same name, quoted or not."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp


def without_capture(tree: exp.Expression, columns: frozenset[str]) -> exp.Expression:
    """The tree, changed in place, with parameters renamed that would hide one of these columns."""
    taken = {name.casefold() for name in columns}
    for node in tree.find_all(exp.Lambda):
        for parameter in node.expressions:
            if parameter.name.casefold() in taken:
                _rename(node, parameter.name, _free(parameter.name, tree, taken))
    return tree


def _rename(node: exp.Lambda, old: str, new: str) -> None:
    for identifier in list(_mentions(node)):
        if identifier.name == old:
            identifier.set("this", new)


def _mentions(node: exp.Lambda) -> Iterator[exp.Identifier]:
    """The identifiers that are parameters: neither columns nor fields of structs."""
    for identifier in node.find_all(exp.Identifier):
        parent = identifier.parent
        is_field = isinstance(parent, exp.Dot) and parent.expression is identifier
        if not is_field and not isinstance(parent, exp.Column):
            yield identifier


def _free(name: str, tree: exp.Expression, taken: set[str]) -> str:
    used = taken | {identifier.name.casefold() for identifier in tree.find_all(exp.Identifier)}
    number = 2
    while f"{name}_{number}".casefold() in used:
        number += 1
    return f"{name}_{number}"
