"""The terminals that could stand somewhere, in words for the user."""

from __future__ import annotations

from .words import words

_NAMES = frozenset({"NAME", "QUOTED_NAME", "SETTING_NAME"})
_WORDS = {
    "STRING": "a string",
    "NUMBER": "a number",
    "UNIT": "a unit of time",
    "$END": "the end of the text",
}
# Each set is named as a whole where its marks are all acceptable.
_GROUPS = (
    (
        frozenset({"CASE", "CAST"}),
        words("CASE CAST EXTRACT INTERVAL DATE TIMESTAMP EXISTS NOT TRUE FALSE NULL STRING NUMBER")
        | words("NAME QUOTED_NAME LPAR MINUS PLUS TILDE BANG"),
        "an expression",
    ),
    (
        frozenset({"PLUS", "SLASH"}),
        words(
            "PLUS MINUS STAR SLASH PERCENT DIV AND OR IS IN LIKE ILIKE RLIKE BETWEEN NOT DOT LSQB"
        )
        | words("EQUAL LESSTHAN MORETHAN VBAR CIRCUMFLEX AMPERSAND ESCAPE"),
        "an operator",
    ),
    (frozenset({"AND", "OR"}), words("AND OR"), "AND or OR"),
    (frozenset({"JOIN", "LEFT"}), words("JOIN INNER LEFT RIGHT FULL"), "JOIN"),
    (frozenset({"UNION"}), words("UNION EXCEPT INTERSECT"), "UNION, EXCEPT or INTERSECT"),
    (
        frozenset({"EMIT", "INTO"}),
        words("REVISE EMIT EVERY INTO"),
        "REVISE BY, EMIT, EVERY or INTO",
    ),
)
_MOST = 9


def expected(accepts: frozenset[str], symbols: dict[str, str]) -> str:
    """What could stand there; `symbols` gives the spelling of punctuation."""
    left = set(accepts)
    said: list[str] = []
    for marks, members, name in _GROUPS:
        if marks <= left:
            said.append(name)
            left -= members
            if name == "an operator":
                left -= {kind for kind in left if kind.startswith("__ANON")}
    if left & _NAMES:
        # Words that are not reserved are names as well as themselves: the name says it all.
        said.append("a name")
        left -= _NAMES
        left.discard("END")
    said += [_WORDS[kind] for kind in sorted(left & _WORDS.keys())]
    said += sorted(
        kind for kind in left if kind.isalpha() and kind not in symbols.keys() | _WORDS.keys()
    )
    said += [f"`{symbols[kind]}`" for kind in sorted(left & symbols.keys())]
    if len(said) > _MOST:
        said = [*said[:_MOST], "…"]
    return ", ".join(said)
