"""The oracle against answers worked out by hand."""

from collections.abc import Sequence
from typing import Any

import pytest

from .evaluate import Evaluator
from .history import History, NrrSchema, StreamSchema
from .multiplicity import Changes, from_changes
from .query import NrrUse, Query, Windowed
from .windows import Now, Range, Unbounded, Window

pytestmark = pytest.mark.slow  # a database answers each query at every instant

S = StreamSchema("s", {"ts": "BIGINT", "k": "VARCHAR", "v": "BIGINT"}, "ts")
R = StreamSchema("r", {"ts": "BIGINT", "k": "VARCHAR", "v": "BIGINT"}, "ts")
Listed = Sequence[tuple[int, str | None, int | None]]


def rows(listed: Listed) -> list[dict[str, Any]]:
    return [{"ts": ts, "k": k, "v": v} for ts, k, v in listed]


def history(*epochs: dict[str, Listed]) -> History:
    made = History({"s": S, "r": R})
    for number, epoch in enumerate(epochs, start=1):
        for stream, listed in epoch.items():
            made.arrive(number, stream, rows(listed))
    return made


def over(sql: str, window: Window, source: str | Query = "s", **more: Any) -> Query:
    return Query(sql, {"w": Windowed(source, window)}, **more)


@pytest.fixture(params=[False, True], ids=["together", "one at a time"])
def evaluate(request: pytest.FixtureRequest) -> Any:
    def changes(made: History, query: Query, **limits: Any) -> Changes:
        return Evaluator(made, one_at_a_time=request.param).changes(query, **limits)

    return changes


def test_a_window_expires(evaluate: Any) -> None:
    made = history({"s": [(1, "a", 1), (3, "a", 1)]})
    query = over("SELECT k FROM w", Range(5))
    assert evaluate(made, query, until=20) == {("a",): {1: 1, 3: 1, 6: -1, 8: -1}}
    assert evaluate(made, query) == {("a",): {1: 1, 3: 1}}, "nothing after now"


def test_distinct_has_no_gap(evaluate: Any) -> None:
    made = history({"s": [(1, "a", 1), (3, "a", 1)]})
    assert evaluate(made, over("SELECT DISTINCT k FROM w", Range(5)), until=20) == {
        ("a",): {1: 1, 8: -1}
    }


def test_a_global_aggregate_over_nothing_is_one_row_from_the_first_element_on(
    evaluate: Any,
) -> None:
    made = history({"s": [(4, "a", 2)]}, {"r": [(2, "b", 9)]})
    query = over("SELECT COUNT(*), SUM(v) FROM w", Range(3))
    assert evaluate(made, query, until=9) == from_changes(
        [(4, 1, [1, 2]), (7, -1, [1, 2]), (7, 1, [0, None])]
    ), "the other stream's element does not begin this query's answer"


def test_a_slide_delays_the_element_but_not_the_empty_answer(evaluate: Any) -> None:
    made = history({"s": [(3, "a", 2)]})
    assert evaluate(made, over("SELECT COUNT(*) FROM w", Range(10, 5)), until=30) == from_changes(
        [(3, 1, [0]), (5, -1, [0]), (5, 1, [1]), (15, -1, [1]), (15, 1, [0])]
    )


def test_a_group_that_empties_disappears(evaluate: Any) -> None:
    made = history({"s": [(1, "a", 2), (2, None, 3), (3, "a", None)]})
    query = over("SELECT k, COUNT(*), SUM(v) FROM w GROUP BY k", Range(4))
    assert evaluate(made, query, until=9) == from_changes([
        (1, 1, ["a", 1, 2]), (3, -1, ["a", 1, 2]), (3, 1, ["a", 2, 2]), (5, -1, ["a", 2, 2]),
        (5, 1, ["a", 1, None]), (7, -1, ["a", 1, None]),
        (2, 1, [None, 1, 3]), (6, -1, [None, 1, 3]),
    ])  # fmt: skip


def test_joins_use_the_intersection_of_validities(evaluate: Any) -> None:
    made = history({"s": [(1, "a", 1)], "r": [(3, "a", 2), (3, None, 3)]})
    query = Query(
        "SELECT x.v, y.v FROM x JOIN y ON x.k = y.k",
        {"x": Windowed("s", Range(5)), "y": Windowed("r", Range(10))},
    )
    assert evaluate(made, query, until=30) == {(1, 2): {3: 1, 6: -1}}


def test_istream_counts_rises(evaluate: Any) -> None:
    made = history({"s": [(1, "a", 1), (1, "a", 1), (3, "a", 1)]})
    inside = over("SELECT k FROM w", Range(2), report="istream")
    assert evaluate(made, inside, until=9) == {("a",): {1: 2}}, "at 3 two leave and one comes"


def test_dstream_counts_falls(evaluate: Any) -> None:
    made = history({"s": [(1, "a", 1), (1, "a", 1), (2, "b", 1), (3, "a", 1)]})
    left = over("SELECT k FROM w", Range(2), report="dstream")
    # At 3 two leave and one comes; the last one leaves at 5.
    assert evaluate(made, left, until=9) == {("a",): {3: 1, 5: 1}, ("b",): {4: 1}}


def test_rstream_repeats_the_answer_when_it_changes(evaluate: Any) -> None:
    made = history({"s": [(1, "a", 1), (3, "b", 1)]})
    query = over("SELECT k FROM w", Range(3), report="rstream")
    assert evaluate(made, query, until=9) == {("a",): {1: 1, 3: 1}, ("b",): {3: 1, 4: 1}}


def test_a_window_over_a_report(evaluate: Any) -> None:
    made = history({"s": [(1, "a", 1), (4, "a", 5)]})
    inner = over("SELECT COUNT(*) AS n, MAX(ts) AS t FROM w", Range(2), report="istream")
    # The counts enter at 1 (1), 3 (0), 4 (1), 6 (0); each stays for two instants.
    assert evaluate(made, over("SELECT n FROM w", Range(2), inner), until=9) == from_changes(
        [(1, 1, [1]), (3, -1, [1]), (3, 1, [0]), (4, 1, [1]), (5, -1, [0]), (6, -1, [1]),
         (6, 1, [0]), (8, -1, [0])]
    )  # fmt: skip


def test_what_is_known_grows_with_the_epochs(evaluate: Any) -> None:
    made = history({"s": [(5, "a", 1)]}, {"s": [(3, "a", 1), (7, "a", 1)]})
    query = over("SELECT COUNT(*) FROM w", Now())
    assert evaluate(made, query, known=1) == {(1,): {5: 1}}
    assert evaluate(made, query, known=2) == from_changes(
        [(3, 1, [1]), (4, -1, [1]), (4, 1, [0]), (5, -1, [0]), (5, 1, [1]), (6, -1, [1]),
         (6, 1, [0]), (7, -1, [0]), (7, 1, [1])]
    )  # fmt: skip


def test_no_element_no_answer(evaluate: Any) -> None:
    assert evaluate(history({}), over("SELECT COUNT(*) FROM w", Now())) == {}
    made = history({"r": [(1, "a", 1)]})
    assert evaluate(made, over("SELECT COUNT(*) FROM w", Now())) == {}


def nrr_history(version_by: str | None) -> History:
    nrr = NrrSchema("n", {"k": "VARCHAR", "x": "BIGINT", "since": "BIGINT"}, ("k",), version_by)
    return History({"s": S}, {"n": nrr})


NRR_JOIN = Query(
    "SELECT w.v, n.x FROM w JOIN n ON n._row = w._row AND w.k = n.k",
    {"w": Windowed("s", Unbounded())},
    {"n": NrrUse("n", "w")},
)


def test_an_nrr_is_met_as_its_epoch_pinned_it(evaluate: Any) -> None:
    made = nrr_history(None)
    made.replace(1, "n", [{"k": "a", "x": 1}])
    made.arrive(1, "s", rows([(1, "a", 10), (2, "b", 11)]))
    made.replace(2, "n", [{"k": "a", "x": 2}, {"k": "b", "x": 3}])
    made.arrive(2, "s", rows([(3, "a", 12), (4, "b", 13)]))
    assert evaluate(made, NRR_JOIN) == {(10, 1): {1: 1}, (12, 2): {3: 1}, (13, 3): {4: 1}}


def test_a_version_is_the_newest_that_is_known_and_not_later(evaluate: Any) -> None:
    made = nrr_history("since")
    first = [{"k": "a", "x": 1, "since": 0}, {"k": "a", "x": 2, "since": 5}]
    made.replace(1, "n", first)
    made.arrive(1, "s", rows([(4, "a", 10), (5, "a", 11)]))
    made.replace(2, "n", [*first, {"k": "a", "x": 3, "since": 2}])
    made.arrive(2, "s", rows([(4, "a", 12), (9, "a", 13), (-1, "a", 14)]))
    assert evaluate(made, NRR_JOIN) == {
        (10, 1): {4: 1}, (11, 2): {5: 1}, (12, 3): {4: 1}, (13, 2): {9: 1},
    }  # fmt: skip
