"""A rewrite is shown as the part of the plan that it changed."""

from __future__ import annotations

import json

from reflow.compiler.explain.fragments import changed, fragments
from reflow.compiler.pipeline import compile_text, explain

STREAMS = """
CREATE STREAM s (t BIGINT, a INT, b STRING, ORDER BY t) FROM CSV 'in/s';
CREATE STREAM z (t BIGINT, c INT, d STRING, ORDER BY t) FROM CSV 'in/z';
"""
QUERY = STREAMS + "SELECT a FROM s [RANGE 5] WHERE b = 'x' INTO CONSOLE;"
SEVERAL = STREAMS + (
    "SELECT a, c FROM s [RANGE 5], z [RANGE 9] WHERE a = c AND b = 'x' AND d = 'y' INTO CONSOLE;"
)


def test_the_operators_that_change_places_are_shown_and_no_others() -> None:
    [pushed] = [r for r in compile_text(QUERY).rewrites if r.rule == "push_filter_below_window"]
    before, after = fragments(pushed)
    assert before == ("Filter b = 'x'", "  Window range 5", "    Scan s")
    assert after == ("Window range 5", "  Filter b = 'x'", "    Scan s")
    assert list(changed(pushed)) == [
        "   Filter b = 'x'",
        "     Window range 5",
        "       Scan s",
        "-> Window range 5",
        "     Filter b = 'x'",
        "       Scan s",
    ]


def test_what_stays_is_one_line() -> None:
    """A branch ends where both sides have the same operator with all that is below it."""
    for applied in compile_text(SEVERAL).rewrites:
        for lines in fragments(applied):
            cut = [number for number, line in enumerate(lines) if line.endswith(" …")]
            assert len(lines) <= 8
            for number in cut:
                depth = len(lines[number]) - len(lines[number].lstrip())
                below = lines[number + 1 : number + 2]
                assert all(len(line) - len(line.lstrip()) <= depth for line in below)


def test_every_form_for_people_and_programs_has_both_sides() -> None:
    compiled = compile_text(QUERY)
    [pushed] = [r for r in compiled.rewrites if r.rule == "push_filter_below_window"]
    assert "    -> Window range 5\n         Filter b = 'x'\n" in explain(compiled, "tree")
    found = json.loads(explain(compiled, "json"))["rewrites"]
    [one] = [each for each in found if each["rule"] == pushed.rule]
    assert one["fragment"]["after"][1] == "  Filter b = 'x'"
    assert one["before"] == "Filter b = 'x'"
    page = explain(compiled, "html")
    assert '<pre aria-label="after">Window range 5\n  Filter b = &#x27;x&#x27;\n' in page
