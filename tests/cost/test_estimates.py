"""What passes the edges, and what operators do, by hand."""

from __future__ import annotations

import pytest

from reflow.compiler.analyse import analyse
from reflow.compiler.cost import Costing, Flow, Work
from reflow.compiler.cost.selectivity import fixed_columns, selectivity
from reflow.compiler.plan.parse import parse
from reflow.compiler.plan.schema import names

X = "Scan x (t BIGINT, a INT, b STRING) order t stats (distinct a 100, distinct b 10, rate 4)"
Y = "Scan y (u BIGINT, c INT, d STRING) order u stats (distinct c 50, rate 2)"
WX = f"Window range 50 ticks\n  {X}"
WY = f"Window range 20 ticks\n  {Y}"


def over(operator: str, *inputs: str) -> str:
    below = ["\n".join(f"  {line}" for line in text.splitlines()) for text in inputs]
    return "\n".join([operator, *below])


def estimate(text: str) -> tuple[Flow, Work]:
    plan = parse(over("Sink q to memory as changelog emit changes columns (x)", text))
    costing = Costing()
    operator = plan.sinks[0].input
    return costing.flow(operator), costing.works(plan, analyse(plan))[operator]


@pytest.mark.parametrize(
    ("text", "rate", "live", "leaving", "early"),
    [
        (X, 4, 400_000, 0, 0),
        (WX, 4, 200, 4, 0),
        (over("Window range 50 slide 10 ticks", X), 4, 220, 4, 0),
        (over("Window now ticks", X), 4, 4, 4, 0),
        (over("RowsWindow 10 ticks", X), 4, 10, 4, 4),
        (over("RowsWindow 10 by (b : STRING) ticks", X), 4, 100, 4, 4),
        (over("RowsWindow 10 range 20 by (b : STRING) ticks", X), 4, 80, 4, 4),
        # A value has 0.4 rows a tick: a session of it lasts (e^0.4 - 1) / 0.4 more ticks.
        (over("SessionWindow 1 by (b : STRING) ticks", X), 4, 4.9182470, 4, 4),
        (over("SessionWindow 9999 by (b : STRING) ticks", X), 4, 400_000, 4, 4),
        (over("Filter b = 'k'", WX), 0.4, 20, 0.4, 0),
        (over("Union", WX, WX), 8, 400, 8, 0),
        # 4 arrivals meet 40 rows and 2 meet 200, a pair in 100 matches.
        (over("Join on a = c", WX, WY), 5.6, 80, 5.6, 0),
        (over("Join on a = c where a > 3", WX, WY), 5.6 / 3, 80 / 3, 5.6 / 3, 0),
        (over("Join on t = u", X, Y), 4, 200_000, 0, 0),
    ],
)
def test_rows(text: str, rate: float, live: float, leaving: float, early: float) -> None:
    flow, _ = estimate(text)
    assert flow.rate == pytest.approx(rate)
    assert flow.live == pytest.approx(live)
    assert flow.leaving == pytest.approx(leaving)
    assert flow.early == pytest.approx(early)


def test_a_pair_of_endless_sides_comes_as_often_as_either_side_brings_one() -> None:
    flow, _ = estimate(over("Join on a = c", X, Y))
    assert flow.rate == pytest.approx((4 * 200_000 + 2 * 400_000) / 100)
    assert flow.leaving == 0


def test_distinct_values_are_fewer_than_the_rows() -> None:
    flow, work = estimate(over("Distinct", over("Project b", WX)))
    # 200 rows over 10 values: all of them are there, and hardly ever does one come or go.
    assert flow.live == pytest.approx(10, rel=1e-6)
    assert flow.rate < 1e-6
    assert work.probes == 4
    assert work.insertions == pytest.approx(flow.rate)


def test_each_row_that_comes_or_leaves_replaces_its_groups_row() -> None:
    flow, work = estimate(over("Group by b make n = count(*) : BIGINT", WX))
    assert (flow.rate, flow.early) == (8, 8)
    assert flow.live == pytest.approx(10, rel=1e-6)
    assert (work.probes, work.insertions, work.deletions) == (8, 8, 8)


def test_groups_over_a_slide_change_once_a_slide() -> None:
    text = over("Window range 50 slide 10 ticks", X)
    flow, _ = estimate(over("Group by b make n = count(*) : BIGINT", text))
    assert flow.rate == pytest.approx(1, rel=1e-6)


def test_what_can_be_taken_back_leaves_by_negative_tuples() -> None:
    groups = over("Group by b make n = count(*) : BIGINT", WX)
    _, direct = estimate(over("Distinct", over("Project b", WX)))
    _, negative = estimate(over("Distinct", over("Project n", groups)))
    assert (direct.deletions, direct.expirations > 0) == (0, True)
    assert (negative.deletions > 0, negative.expirations) == (True, 0)


def test_a_join_probes_a_bucket_of_the_other_side_or_all_of_it() -> None:
    _, equal = estimate(over("Join on a = c", WX, WY))
    _, all_pairs = estimate(over("Join where a < c", WX, WY))
    assert equal.insertions == 6
    assert equal.expirations == 6
    assert equal.probes == 4 * 1 + 2 * 2
    assert all_pairs.probes == 4 * 40 + 2 * 200


def test_a_whole_key_meets_one_row_of_a_relation() -> None:
    relation = "NrrJoin r (k INT, v INT) key (k) columns k = k, v = v on a = k"
    flow, _ = estimate(over(relation, WX))
    assert flow.rate == 4


@pytest.mark.parametrize(
    ("sql", "share"),
    [
        ("`a` = 3", 0.01),
        ("3 = `a`", 0.01),
        ("`a` = `b`", 0.01),
        ("`a` <> 3", 0.99),
        ("`a` > 3", 1 / 3),
        ("`a` BETWEEN 3 AND 5", 1 / 4),
        ("`a` IN (1, 2, 3)", 0.03),
        ("`b` IN ('k')", 0.1),
        ("`b` LIKE 'k%'", 0.1),
        ("`b` IS NULL", 0.1),
        ("NOT `b` IS NULL", 0.9),
        ("`a` = 3 AND `b` = 'k'", 0.001),
        ("`b` = 'k' OR `b` = 'l'", 0.19),
        ("(`b` = 'k')", 0.1),
        ("`a` + 1 = 3", 0.1),
        ("SOUNDEX(`b`)", 1 / 3),
        ("TRUE", 1.0),
    ],
)
def test_selectivity(sql: str, share: float) -> None:
    distinct = {"a": 100.0, "b": 10.0}
    assert selectivity(sql, distinct.__getitem__) == pytest.approx(share)


def test_columns_tied_to_one_value() -> None:
    assert fixed_columns("`a` = 3 AND `b` = `c` AND `d` > 1 AND 'x' = `e`") == {"a", "e"}


NOW = over("Project a2 = a, b2 = b", over("Window now ticks", X))
COUNTS = over("Project k = b, n", over("Group by b make n = count(*) : BIGINT", WX))
READ_OFF = over("Join on b2 = k", NOW, COUNTS)
SINK = "Sink {} to memory as changelog emit changes columns (x)"


def costs(*queries: str) -> dict[str, Work]:
    """What each operator of a file does, by its kind and its first columns."""
    text = "\n".join(over(SINK.format(f"q{n}"), query) for n, query in enumerate(queries))
    plan = parse(text)
    works = Costing().works(plan, analyse(plan))
    return {f"{type(o).__name__} {' '.join(names(o.schema)[:2])}": w for o, w in works.items()}


def test_changes_of_a_group_that_is_read_off_are_not_made() -> None:
    found = costs(READ_OFF)
    # Each of 4 rows that come and 4 that leave is added to its group.
    group = found["Group b n"]
    assert (group.total, group.probes) == (8, 8)
    assert found["Project k n"].total == 0
    # 4 rows look up a group's row when they come and when they leave.
    join = found["Join a2 b2"]
    assert (join.insertions, join.probes) == (4, pytest.approx(8))


def test_changes_that_another_query_shows_are_made_and_the_join_takes_none() -> None:
    alone, both = costs(READ_OFF), costs(READ_OFF, COUNTS)
    assert both["Group b n"] == costs(COUNTS)["Group b n"]
    assert both["Group b n"].total > alone["Group b n"].total
    assert both["Join a2 b2"] == alone["Join a2 b2"]


def test_what_an_operator_does_is_asked_anew_where_it_is_taken_otherwise() -> None:
    """The costs of a plan after those of another that has the same group."""
    costing = Costing()
    for queries in ((READ_OFF,), (READ_OFF, COUNTS), (READ_OFF,)):
        plan = parse("\n".join(over(SINK.format(f"q{n}"), q) for n, q in enumerate(queries)))
        facts = analyse(plan)
        assert costing.total(plan, facts) == Costing().total(plan, facts)
