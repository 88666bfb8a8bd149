"""UPA's five rules and the monotonic class, rule by rule."""

from __future__ import annotations

import pytest

from reflow.compiler.analyse.lattice import MON, STR, WK, merge, replaced, wks
from reflow.compiler.analyse.update_patterns import taken_as, update_patterns
from reflow.compiler.plan.parse import parse

from .plans import over

S = "Scan s (t BIGINT, a INT, b STRING) order t"
Z = "Scan z (u BIGINT, c INT, d STRING) order u"


def pattern(text: str) -> str:
    """The pattern of the operator that a sink over it reads; the text is indented by hand."""
    lines = "\n".join(f"  {line}" for line in text.splitlines())
    plan = parse(f"Sink q to memory as changelog emit changes columns (x)\n{lines}")
    return str(update_patterns(plan)[plan.sinks[0].input])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (S, "MON"),
        (f"Window unbounded ticks\n  {S}", "MON"),
        (f"Window range 5 ticks\n  {S}", "WKS announced"),
        (f"Window range 5 slide 2 ticks\n  {S}", "WKS announced"),
        (f"Window now ticks\n  {S}", "WKS announced"),
    ],
)
def test_sources_and_windows(text: str, expected: str) -> None:
    assert pattern(text) == expected


@pytest.mark.parametrize(
    ("window", "expected", "above"),
    [
        ("RowsWindow 3 ticks", "WK signalled", "WK signalled"),
        ("RowsWindow 1 ticks", "WK signalled", "WK signalled"),
        ("RowsWindow 2 by (`a` : INT) ticks", "WK signalled", "WK signalled"),
        ("RowsWindow 1 by (`a` : INT) ticks", "WK replaced(a)", "STR signalled"),
        ("SessionWindow 5 by (`a` : INT) ticks", "WK signalled", "WK signalled"),
    ],
)
def test_later_rows_end_rows_without_negation(window: str, expected: str, above: str) -> None:
    assert pattern(f"{window}\n  {S}") == expected
    assert pattern(f"Filter a > 1\n  {window}\n    {S}") == above
    assert pattern(f"Distinct\n  {window}\n    {S}") == "STR signalled"
    assert (
        pattern(f"Union\n  {window}\n    {S}\n  Window range 5 ticks\n    {S}") == "STR signalled"
    )


@pytest.mark.parametrize("window", ["range 5 ticks", "unbounded ticks"])
@pytest.mark.parametrize(
    "unary",
    [
        "Filter a > 1",
        "Project a",
        "NrrJoin r (k INT) key (k) columns k = k on a = k",
    ],
)
def test_rule_1_rows_pass_as_they_came(unary: str, window: str) -> None:
    expected = "WKS announced" if window.startswith("range") else "MON"
    assert pattern(f"{unary}\n  Window {window}\n    {S}") == expected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("range 5 ticks", "range 5 ticks", "WKS announced"),
        ("range 5 ticks", "range 6 ticks", "WK announced"),
        ("unbounded ticks", "range 6 ticks", "WK announced"),
        ("unbounded ticks", "unbounded ticks", "MON"),
    ],
)
def test_rule_2_a_union_is_as_complex_as_its_inputs(left: str, right: str, expected: str) -> None:
    assert pattern(f"Union\n  Window {left}\n    {S}\n  Window {right}\n    {Z}") == expected


def test_rule_2_a_union_with_a_group_is_strict() -> None:
    group = f"Group by a make n = count(*) : BIGINT\n    Window range 5 ticks\n      {S}"
    window = f"Window range 5 ticks\n    Project a, n = t\n      {S}"
    assert pattern(f"Union\n  {group}\n  {window}") == "STR signalled"


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("range 5 ticks", "range 5 ticks", "WK announced"),
        ("range 5 ticks", "unbounded ticks", "WK announced"),
        ("unbounded ticks", "unbounded ticks", "MON"),
    ],
)
def test_rule_3_pairs_end_out_of_order(left: str, right: str, expected: str) -> None:
    assert (
        pattern(f"Join on a = c\n  Window {left}\n    {S}\n  Window {right}\n    {Z}") == expected
    )


def test_rule_3_distinct_is_weak_even_over_the_weakest() -> None:
    assert pattern(f"Distinct\n  Window range 5 ticks\n    {S}") == "WK announced"
    assert pattern(f"Distinct\n  {S}") == "MON"


def test_rule_3_distinct_of_a_group_is_strict() -> None:
    group = f"Group by a make n = count(*) : BIGINT\n    Window range 5 ticks\n      {S}"
    assert pattern(f"Distinct\n  {group}") == "STR signalled"


def test_rule_4_a_group_replaces_by_its_key() -> None:
    group = f"Group by a, x = b make n = count(*) : BIGINT\n  Window range 5 ticks\n    {S}"
    assert pattern(group) == "WK replaced(a, x)"
    assert pattern(f"Group by () make n = count(*) : BIGINT\n  {S}") == "WK replaced"


@pytest.mark.parametrize(
    ("above", "expected"),
    [
        ("Project k = a, n", "WK replaced(k)"),
        ("Project n", "STR signalled"),
        ("Project a = a + 1 : INT, n", "STR signalled"),
        ("Filter n > 3", "STR signalled"),
        ("Distinct", "STR signalled"),
        ("Group by n make m = count(*) : BIGINT", "WK replaced(n)"),
    ],
)
def test_only_a_projection_of_the_whole_key_keeps_replaced(above: str, expected: str) -> None:
    group = f"  Group by a make n = count(*) : BIGINT\n    Window range 5 ticks\n      {S}"
    assert pattern(f"{above}\n{group}") == expected


@pytest.mark.parametrize("kind", ["istream", "dstream", "rstream"])
def test_a_report_is_a_stream_again(kind: str) -> None:
    assert pattern(f"Report {kind}\n  Window range 5 ticks\n    {S}") == "MON"


def test_a_filter_takes_a_group_as_strict_a_sink_does_not() -> None:
    plan = parse(
        "Sink q to memory as changelog emit changes columns (a, n)\n"
        "  Filter n > 3\n"
        "    Group by a make n = count(*) : BIGINT #1\n"
        f"      {S}\n"
        "Sink r to memory as changelog emit changes columns (a, n)\n"
        "  See #1\n"
    )
    patterns = update_patterns(plan)
    filtered, group = plan.sinks[0].input, plan.sinks[1].input
    assert taken_as(group, filtered, patterns) == STR
    assert taken_as(group, plan.sinks[1], patterns) == replaced(["a"])


def test_merge_is_the_least_upper_bound() -> None:
    five, six = wks((5, None, None)), wks((6, None, None))
    assert merge([MON, MON]) == MON
    assert merge([five, five]) == five
    assert merge([five, six]) == WK
    assert merge([MON, five]) == WK
    assert merge([WK, STR]) == STR
    assert merge([replaced(["a"]), WK]) == STR


@pytest.mark.parametrize("window", ["range 5 ticks", "unbounded ticks"])
@pytest.mark.parametrize(
    "operator",
    [
        "SemiJoin semi on a = c",
        "SemiJoin anti on a = c",
        "SemiJoin anti where a > c",
        "SetOperation except all",
        "SetOperation except all on a = c",
        "SetOperation except",
        "SetOperation intersect all",
        "SetOperation intersect",
    ],
)
def test_negation_is_strict_over_anything(operator: str, window: str) -> None:
    sides = f"  Window {window}\n    {S}\n  Window {window}\n    {Z}"
    assert pattern(f"{operator}\n{sides}") == "STR signalled"
    above = "\n".join(f"  {line}" for line in f"{operator}\n{sides}".splitlines())
    assert pattern(f"Distinct\n{above}") == "STR signalled"
    assert pattern(f"Group by a make n = count(*) : BIGINT\n{above}") == "WK replaced(a)"


LOG = "Scan r (t BIGINT, a INT, b STRING) order t promises (changes of a relation)"


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        ("Relation", "MON"),
        ("Relation operation b (insert '+')", "MON"),
        ("Relation operation b (delete '-', insert '+')", "STR signalled"),
        ("Relation key (a)", "STR signalled"),
        ("Relation key (a) operation b (insert 'c', replace 'u')", "STR signalled"),
    ],
)
def test_a_relation_is_strict_unless_it_only_grows(relation: str, expected: str) -> None:
    """UPA 4.1: a change of a retroactive relation may take back any earlier row."""
    assert pattern(over(relation, LOG)) == expected
    joined = over("Join on a = c", over(relation, LOG), over("Window range 5 ticks", Z))
    assert pattern(joined) == ("WK announced" if expected == "MON" else expected)


PHYSICAL = "Scan e (a INT, kind STRING, t BIGINT, u BIGINT, w BIGINT) order t"
ELEMENTS = "elements (kind, t, u, w)"


@pytest.mark.parametrize(
    ("promised", "expected", "above"),
    [("", "STR signalled", "STR signalled"), (" promises (insert only)", *["WK announced"] * 2)],
)
def test_events_are_strict_unless_nothing_adjusts_them(
    promised: str, expected: str, above: str
) -> None:
    """LMERGE III: an adjust may end an event at any time."""
    events = over("Reconstitution", f"{PHYSICAL}{promised} {ELEMENTS}")
    assert pattern(events) == expected
    assert pattern(over("Distinct", events)) == above
