"""The generator by itself, without Reflow: its cases are sound, and the oracle can answer them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from ..oracle.evaluate import Evaluator
from ..oracle.multiplicity import difference
from .case import Case, draw_case
from .feeding import Feed

pytestmark = pytest.mark.slow  # a database answers each query at every instant

SEEDS = range(20)
MIXED = range(100, 108)


def features(case: Case) -> set[str]:
    """Which operators a case's texts show."""
    text = case.text()
    words = {
        "UNION ALL", "GROUP BY", "HAVING", "DISTINCT", "ISTREAM", "DSTREAM", "RSTREAM",
        " JOIN ", "[NOW]", "[UNBOUNDED]", "SLIDE", "TUMBLE", "WITHIN", "n1 AS", "n2 AS",
        "CREATE VIEW", "AVG(", "EMIT FINAL", "INTO LOG", "FROM (SELECT", "M (SELECT",
        "[ROWS", "[PARTITION BY", "[SESSION",
    }  # fmt: skip
    return {word for word in words if word in text}


def test_a_seed_gives_one_case() -> None:
    assert draw_case(7) == draw_case.__wrapped__(7)  # drawn again
    assert draw_case(7) != draw_case(8)


def test_the_cases_cover_the_operators() -> None:
    seen = Counter(feature for seed in SEEDS for feature in features(draw_case(seed)))
    assert len(seen) == 24 and min(seen.values()) >= 2, seen


def test_mixed_cases_show_what_the_others_do_not() -> None:
    words = {
        "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", ") EXCEPT ALL (", ") EXCEPT (", ") INTERSECT ALL (",
        ") INTERSECT (", ") UNION (", ") UNION ALL (", " EXISTS (", "NOT EXISTS (", " IN (SELECT",
        "NOT IN (SELECT", "FILTER (WHERE", "COUNT_IF(", "COUNT(DISTINCT", "SUM(DISTINCT",
        "APPROX_COUNT_DISTINCT(", "STDDEV(", "VARIANCE(", "VAR_POP(", "MEDIAN(", "PERCENTILE(",
        "PERCENTILE_APPROX(", "FIRST(", "LAST(", "MIN_BY(", "MAX_BY(", "[ROWS", "[PARTITION BY",
        "[SESSION",
    }  # fmt: skip
    texts = [query.cql for seed in MIXED for query in draw_case(seed, "mixed").queries]
    assert {word for word in words if not any(word in text for text in texts)} == set()


def test_no_row_is_further_behind_than_its_stream_promises() -> None:
    for seed in SEEDS:
        case = draw_case(seed)
        for stream in case.scene.streams:
            largest = None
            for step in case.steps:
                for row in step.rows.get(stream.name, []) if isinstance(step, Feed) else []:
                    largest = row["ts"] if largest is None else max(largest, row["ts"])
                    assert row["ts"] >= largest - stream.within * case.scene.unit


@pytest.mark.parametrize("seed", SEEDS[:10])
def test_asking_all_instants_together_is_asking_one_by_one(seed: int) -> None:
    history = draw_case(seed).history()
    now = history.now()
    assert now is not None
    for query in draw_case(seed).queries[:2]:
        together = Evaluator(history).changes(query.oracle, until=now + 20)
        single = Evaluator(history, one_at_a_time=True).changes(query.oracle, until=now + 20)
        assert not difference(single, together), query.cql


def test_many_answers_are_not_empty() -> None:
    sizes = [
        sum(len(at) for at in Evaluator(case.history()).changes(query.oracle).values())
        for case in map(draw_case, SEEDS)
        for query in case.queries
    ]
    assert sum(size > 3 for size in sizes) > 0.75 * len(sizes)


def in_order(case: Case) -> Case:
    """The same rows in the order of their instants, in one epoch, relations unchanged."""
    feeds = [step for step in case.steps if isinstance(step, Feed)]
    rows = {
        stream.name: sorted(
            (row for feed in feeds for row in feed.rows.get(stream.name, [])),
            key=lambda row: row["ts"],
        )
        for stream in case.scene.streams
    }
    return replace(case, steps=(Feed(rows, contents=feeds[0].contents),))


def test_the_order_of_arrival_does_not_matter_where_no_relation_is_met() -> None:
    for seed in SEEDS:
        case = draw_case(seed)
        ordered, disordered = Evaluator(in_order(case).history()), Evaluator(case.history())
        for query in case.queries:
            if " n1 " not in query.cql and " n2 " not in query.cql:
                left, right = ordered.changes(query.oracle), disordered.changes(query.oracle)
                assert left == right, query.cql
