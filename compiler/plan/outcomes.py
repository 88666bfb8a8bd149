"""SQL's three-valued logic: what an expression can come out as, where some columns are known to be
NULL and others never to be.

Errs on the side of anything. Of what is not a truth value, true and false both stand for a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from reflow.grammar.value import value

from .verbatim import tree

Outcomes = frozenset[bool | None]
"""None is NULL."""

_NULL: Outcomes = frozenset({None})
_VALUE: Outcomes = frozenset({True, False})
_ANYTHING = _NULL | _VALUE

_STRICT_FUNCTIONS = """
    upper ucase lower lcase initcap trim ltrim rtrim btrim length len char_length character_length
    substring substr left right concat replace translate reverse repeat
    abs negative positive sign signum round bround floor ceil ceiling sqrt exp ln mod pmod pow power
    year quarter month day dayofmonth dayofweek dayofyear hour minute second
    date_add date_sub datediff date_trunc to_date unix_seconds unix_millis unix_micros
    int bigint float double string boolean date timestamp
    startswith endswith contains like ilike rlike regexp regexp_like
"""
STRICT_FUNCTIONS = frozenset(_STRICT_FUNCTIONS.split())
"""Functions that give NULL where an argument is NULL. There are more: these are often met in
conditions.
"""

_COMPARISONS = (
    *(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE),
    *(exp.Like, exp.ILike, exp.RegexpLike, exp.Escape),
)
_STRICT = (
    *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.DPipe, exp.Neg),
    *(exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot),
    *(exp.Cast, exp.TryCast, exp.Bracket, exp.Dot, exp.Extract),
)
"""NULL where an operand is; where none is, overflow or a text that is no number may give NULL."""


@value
class Nulls:
    """The columns that are NULL in every row, and those that are in none."""

    always: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()


def outcomes(sql: str, nulls: Nulls) -> Outcomes:
    """What an expression can come out as."""
    return _of(tree(sql), nulls)


def refuses(sql: str, nulls: Nulls) -> bool:
    """Whether the predicate is true for no row: it is NULL-rejecting, if `nulls.always` is."""
    return True not in outcomes(sql, nulls)


def never_null(sql: str, nulls: Nulls, columns: Iterable[str]) -> Iterator[str]:
    """Those of the columns that are NULL in no row for which the predicate is true."""
    for column in columns:
        if refuses(sql, Nulls(nulls.always | {column}, nulls.never)):
            yield column


def _of(node: exp.Expression, nulls: Nulls) -> Outcomes:
    match node:
        case exp.Paren():
            return _of(node.this, nulls)
        case exp.Null():
            return _NULL
        case exp.Boolean():
            return frozenset({bool(node.this)})
        case exp.Literal():
            return _VALUE
        case exp.Column():
            return _of_column(node, nulls)
        case exp.And():
            return _of_and(_of(node.this, nulls), _of(node.expression, nulls))
        case exp.Or():
            # By De Morgan.
            sides = (_not(_of(side, nulls)) for side in (node.this, node.expression))
            return _not(_of_and(*sides))
        case exp.Not():
            return _not(_of(node.this, nulls))
        case exp.Is():
            return _of_is(node, nulls)
        case exp.NullSafeEQ():
            return _of_same(node, nulls)
        case exp.NullSafeNEQ():
            return _not(_of_same(node, nulls))
        case exp.Between() | exp.In():
            return _of_several(node, nulls)
        case exp.Case():
            return _of_case(node, nulls)
        case exp.Anonymous():
            return _of_function(node, nulls)
    parts = [_of(part, nulls) for part in node.iter_expressions()]
    if isinstance(node, _COMPARISONS):
        return _of_comparison(parts)
    if isinstance(node, _STRICT) and _NULL in parts:
        return _NULL
    return _ANYTHING


def _of_column(column: exp.Column, nulls: Nulls) -> Outcomes:
    root = str(column.parts[0].name)
    if root in nulls.always:
        return _NULL
    # A field of a struct may be NULL where the struct is not.
    return _VALUE if len(column.parts) == 1 and root in nulls.never else _ANYTHING


def _not(found: Outcomes) -> Outcomes:
    return frozenset(None if each is None else not each for each in found)


def _of_and(left: Outcomes, right: Outcomes) -> Outcomes:
    return frozenset(
        False if False in (a, b) else None if None in (a, b) else True for a in left for b in right
    )


def _of_comparison(parts: Iterable[Outcomes]) -> Outcomes:
    """NULL where a part is; else true or false."""
    found = list(parts)
    if _NULL in found:
        return _NULL
    return _ANYTHING if any(None in part for part in found) else _VALUE


def _of_is(node: exp.Is, nulls: Nulls) -> Outcomes:
    """IS NULL, IS TRUE, IS FALSE: never NULL."""
    found = _of(node.this, nulls)
    match node.expression:
        case exp.Null():
            return frozenset(each is None for each in found)
        case exp.Boolean():
            return frozenset(each is bool(node.expression.this) for each in found)
    return _VALUE


def _of_same(node: exp.Expression, nulls: Nulls) -> Outcomes:
    """IS NOT DISTINCT FROM: never NULL."""
    left, right = _of(node.this, nulls), _of(node.expression, nulls)
    if left == right == _NULL:
        return frozenset({True})
    differ = (left == _NULL and None not in right) or (right == _NULL and None not in left)
    return frozenset({False}) if differ else _VALUE


def _of_several(node: exp.Between | exp.In, nulls: Nulls) -> Outcomes:
    """BETWEEN and IN: comparisons of one operand with several others."""
    own = _of(node.this, nulls)
    if isinstance(node, exp.Between):
        others = [_of(node.args[bound], nulls) for bound in ("low", "high")]
        compared = [_of_comparison((own, other)) for other in others]
        return _of_and(*compared)
    if not node.expressions:
        return _ANYTHING
    found: Outcomes = frozenset({True})
    for each in node.expressions:
        found = _of_and(found, _not(_of_comparison((own, _of(each, nulls)))))
    return _not(found)


def _of_case(node: exp.Case, nulls: Nulls) -> Outcomes:
    found: Outcomes = frozenset()
    for branch in node.args["ifs"]:
        asked = _of(branch.this, nulls)
        if node.this is not None:
            asked = _of_comparison((_of(node.this, nulls), asked))
        if True in asked:
            found |= _of(branch.args["true"], nulls)
        if asked == {True}:
            return found
    default = node.args.get("default")
    return found | (_NULL if default is None else _of(default, nulls))


def _of_function(node: exp.Anonymous, nulls: Nulls) -> Outcomes:
    name = str(node.this).lower()
    if name in STRICT_FUNCTIONS:
        strict = any(_of(argument, nulls) == _NULL for argument in node.expressions)
        return _NULL if strict else _ANYTHING
    if name in ("coalesce", "ifnull", "nvl"):
        return _of_first([_of(argument, nulls) for argument in node.expressions])
    if name in ("isnull", "isnotnull"):
        asked = frozenset(each is None for each in _of(node.expressions[0], nulls))
        return asked if name == "isnull" else _not(asked)
    return _ANYTHING


def _of_first(arguments: Iterable[Outcomes]) -> Outcomes:
    """COALESCE: the first that is not NULL."""
    found: Outcomes = frozenset()
    for argument in arguments:
        found |= argument - _NULL
        if None not in argument:
            return found
    return found | _NULL
