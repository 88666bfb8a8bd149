"""The kill tests' program by itself: it compiles, and its history is what the tests think."""

from __future__ import annotations

from ..harness.engine import emitted
from ..oracle.evaluate import Evaluator
from .scenario import QUERIES, TEXT, history


def test_the_program_compiles() -> None:
    program = emitted(TEXT.replace("{dir}", "somewhere"))
    assert all(f'"{name}"' in program for name in QUERIES)


def test_every_epoch_changes_every_answer() -> None:
    oracle = Evaluator(history(3))
    for query in QUERIES.values():
        sizes = [
            sum(len(at) for at in oracle.changes(query, known=epoch).values())
            for epoch in (1, 2, 3)
        ]
        assert 0 < sizes[0] < sizes[1] < sizes[2]


def test_another_version_of_the_relation_would_show() -> None:
    changed = Evaluator(history(3, {2: "second"})).changes(QUERIES["named"])
    later = Evaluator(history(3, {3: "second"})).changes(QUERIES["named"])
    assert changed != later != Evaluator(history(3)).changes(QUERIES["named"])
