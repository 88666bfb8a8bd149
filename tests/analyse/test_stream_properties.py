"""What outputs promise as streams of elements, one test for each rule."""

from __future__ import annotations

import pytest

from reflow.compiler.analyse.stream_properties import Properties

from .plans import over, root

COLUMNS = "(t BIGINT, a INT, b STRING)"
STRICT = f"Scan s {COLUMNS} order t promises (strict)"
ORDERED = f"Scan s {COLUMNS} order t"
KEYED = f"Scan s {COLUMNS} order t key (a)"
LATE = f"Scan s {COLUMNS} order t within 7"
LATE_KEYED = f"Scan s {COLUMNS} order t within 7 key (a)"
TIES = f"Scan s {COLUMNS} order t promises (ties in order)"
DIFFERENT = f"Scan s {COLUMNS} order t promises (distinct rows)"
STAMPED = f"Scan s {COLUMNS}"
CORRECTED = f"Scan s {COLUMNS} order t within 7 key (a) kept 20"
BY_KEPT_ROWS = f"Scan s {COLUMNS} order t within 7 key (a) kept rows 20"
LOG = "Scan r (t BIGINT, a INT, b STRING) order t promises (strict, changes of a relation)"
LATE_LOG = LOG.replace("order t", "order t within 7")
OTHER = "Scan z (u BIGINT, c INT, d STRING) order u key (c)"
COUNT = "Group by () make n = count(*) : BIGINT"
COUNTS = "Group by a make n = count(*) : BIGINT"
RELATION = "NrrJoin r (k INT, name STRING) key (k) columns k = k, name = name"


def ticks(length: int, source: str, slide: int | None = None) -> str:
    return over(f"Window range {length}{'' if slide is None else f' slide {slide}'} ticks", source)


def found(text: str, emit: str = "changes") -> Properties:
    operator, facts = root(text, emit)
    return facts.properties[operator]


def shown(text: str, emit: str = "changes") -> str:
    """In a few words: `strict`, `ordered`, `within n` or `unordered`, and what is not promised."""
    p = found(text, emit)
    order = "unordered" if p.disorder is None else f"within {p.disorder}"
    order = "strict" if p.strict else "ordered" if p.in_order else order
    flaws = ("adjusted", "corrected", "loose", "repeated")
    return " ".join([order, *(flaw for flaw in flaws if getattr(p, flaw))])


EVENTS = (
    "Scan f (k INT, kind STRING, vs BIGINT, ve BIGINT, old_ve BIGINT) order vs{}"
    " elements (kind, vs, ve, old_ve)"
)


def events(promised: str) -> str:
    return over("Reconstitution", EVENTS.format(promised))


def copies(order: str) -> str:
    both = [f"Scan {name} (a INT, t BIGINT) order t {order}" for name in "bc"]
    return over("Merge m of (b, c) policy eager rows ticks", *both)


RULES = [
    # What the declaration says.
    (STRICT, "strict"),
    (ORDERED, "ordered loose repeated"),
    (KEYED, "ordered loose"),
    (LATE, "within 7 loose repeated"),
    (TIES, "ordered repeated"),
    (DIFFERENT, "ordered loose"),
    (STAMPED, "ordered loose repeated"),
    # Late rows within KEEP replace others; how far behind they come is known for lengths.
    (CORRECTED, "within 27 adjusted corrected loose"),
    (f"{CORRECTED} as arrived", "within 7 loose"),
    (BY_KEPT_ROWS, "unordered adjusted corrected loose"),
    # A log starts rows; one that takes rows away tells their ends.
    (over("Relation", LOG), "strict"),
    (over("Relation", LATE_LOG), "within 7 loose repeated"),
    (over("Relation operation b (delete '-', insert '+')", LOG), "ordered adjusted loose repeated"),
    (over("Relation key (a)", LATE_LOG), "within 7 adjusted corrected loose"),
    # A selection keeps the order and what is told.
    (over("Filter a > 1", STRICT), "strict"),
    (over("Filter a > 1", LATE), "within 7 loose repeated"),
    (over("Filter n > 1", over(COUNTS, ORDERED)), "ordered adjusted loose"),
    # A projection may make rows equal.
    (over("Project a = a : INT, b = b : STRING", DIFFERENT), "ordered loose repeated"),
    (over("Project a = a : INT, b = b : STRING", KEYED), "ordered loose"),
    (over("Project b = b : STRING", KEYED), "ordered loose repeated"),
    (
        over("Project x = t : BIGINT, a = a : INT, b = b : STRING, c = a + 1 : INT", DIFFERENT),
        "ordered loose",
    ),
    (over("Project b = b : STRING", STRICT), "strict"),
    # Windows announce ends; SLIDE lets elements start together.
    (ticks(5, STRICT), "strict"),
    (over("Window now ticks", LATE), "within 7 loose repeated"),
    (ticks(10, STRICT, 5), "ordered repeated"),
    (ticks(10, KEYED, 5), "ordered loose"),
    (ticks(10, LATE, 5), "within 10 loose repeated"),
    # Later rows tell the ends of rows in windows by rows, but one that replaces the last.
    (over("RowsWindow 3 ticks", STRICT), "strict adjusted"),
    (over("RowsWindow 1 by (`a` : INT) ticks", STRICT), "strict"),
    (over("RowsWindow 1 by (`a` : INT) range 9 ticks", STRICT), "strict adjusted"),
    (over("RowsWindow 4 slide 2 ticks", STRICT), "ordered adjusted repeated"),
    (over("RowsWindow 1 by (`a` : INT) ticks", LATE), "within 7 corrected loose"),
    (over("SessionWindow 5 by (`b` : STRING) ticks", STRICT), "strict adjusted"),
    (
        over("SessionWindow 5 by (`b` : STRING) ticks", LATE),
        "within 7 adjusted corrected loose repeated",
    ),
    # Branches of a stream have its order; between streams there is none.
    (over("Union", STRICT, STRICT), "ordered loose repeated"),
    (
        over("Union", STRICT, over("Project u = u : BIGINT, c = c : INT, d = d : STRING", OTHER)),
        "unordered loose repeated",
    ),
    # Pairs start with the later row.
    (over("Join on a = c", ticks(5, KEYED), ticks(5, OTHER)), "unordered loose"),
    (
        over(
            "Join on a = x",
            ticks(5, STRICT),
            ticks(5, over("Project x = a : INT", LATE.replace("within 7", "within 7"))),
        ),
        "within 7 loose repeated",
    ),
    # A version of a relation: one row that is met, or several.
    (over(f"{RELATION} on a = k", STRICT), "strict"),
    (over(f"{RELATION} on b = name", STRICT), "ordered loose repeated"),
    # Negation tells when rows leave; with a single row at a time they still start in order.
    (
        over("SemiJoin anti on a = c", ticks(5, KEYED), ticks(5, OTHER)),
        "unordered adjusted corrected loose",
    ),
    (
        over("SemiJoin on a = x", ticks(5, KEYED), ticks(5, over("Project x = a : INT", KEYED))),
        "ordered adjusted loose",
    ),
    (
        over("SetOperation except all", ticks(5, ORDERED), ticks(9, ORDERED)),
        "ordered adjusted loose repeated",
    ),
    (
        over("SetOperation intersect", ticks(5, ORDERED), ticks(9, ORDERED)),
        "ordered adjusted loose",
    ),
    # The first copy counts; over rows that end the others put off its end.
    (over("Distinct", STRICT), "strict"),
    (over("Distinct", ORDERED), "ordered loose"),
    (over("Distinct", LATE), "within 7 corrected loose"),
    (over("Distinct", ticks(5, ORDERED)), "ordered adjusted loose"),
    # A group's row ends the one before; a group without rows must be told.
    (over(COUNT, ticks(5, ORDERED)), "strict"),
    (over(COUNTS, ORDERED), "ordered loose"),
    (over(COUNTS, ticks(5, ORDERED)), "ordered adjusted loose"),
    (over(COUNT, LATE), "within 7 corrected"),
    # Events start in any order; adjusts change their ends, and a key tells them apart.
    (events(""), "unordered adjusted loose repeated"),
    (events(" key (k)"), "unordered adjusted loose"),
    (events(" promises (distinct rows, insert only)"), "unordered loose"),
    # Copies in order give rows in order, ties in any; one that lags behind adds rows.
    (copies("promises (strict)"), "strict"),
    (copies("promises (ties in order)"), "ordered loose repeated"),
    (copies("promises (distinct rows)"), "ordered loose"),
    (copies("within 5 promises (distinct rows)"), "unordered corrected loose"),
    # Reports stay; an instant with one row is strict.
    (over("Report istream", over("Window unbounded ticks", STRICT)), "strict"),
    (over("Report istream", ticks(5, STRICT)), "strict"),
    (over("Report rstream", ticks(5, KEYED)), "ordered loose"),
    (over("Report dstream", ticks(5, ORDERED)), "ordered loose repeated"),
    (over("Report rstream", over(COUNT, ticks(5, ORDERED))), "strict"),
    (over("Report istream", ticks(5, LATE)), "within 7 corrected loose repeated"),
]


@pytest.mark.parametrize(("text", "promised"), RULES)
def test_each_operator_keeps_what_it_can(text: str, promised: str) -> None:
    assert shown(text) == promised


def test_what_is_held_until_it_is_complete_comes_in_order() -> None:
    assert shown(over(COUNTS, LATE)) == "within 7 corrected loose"
    assert shown(over(COUNTS, LATE), "final") == "ordered loose"
    assert shown(over(COUNT, LATE), "frozen") == "strict"
