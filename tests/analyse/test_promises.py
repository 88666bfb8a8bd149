"""What a merge takes from declarations, and so has to be checked while it runs."""

from __future__ import annotations

import pytest

from reflow.compiler.pipeline import compile_text

STREAM = "CREATE STREAM {} (t BIGINT, k STRING, {}) FROM JSON '{}';"
MERGE = "CREATE STREAM m MERGE OF {}; CREATE QUERY q AS SELECT * FROM m INTO LOG 'q.log';"


def streams(**order: str) -> str:
    return "".join(STREAM.format(name, given, name) for name, given in order.items())


def promised(text: str) -> dict[str, str]:
    [merge] = compile_text(text).physical.merges
    return dict(merge.promised)


@pytest.mark.parametrize(
    ("order", "promise"),
    [
        ("ORDER BY t STRICT", "ORDER BY t STRICT"),
        ("ORDER BY t, TIES IN ORDER", "TIES IN ORDER"),
        ("ORDER BY t, DISTINCT ROWS", "DISTINCT ROWS"),
        ("KEY (k), ORDER BY t", "KEY (k)"),
        ("ORDER BY t WITHIN 5, DISTINCT ROWS", "DISTINCT ROWS"),
    ],
)
def test_what_the_algorithm_needs_is_checked(order: str, promise: str) -> None:
    text = streams(a=order, b=order) + MERGE.format("a, b")
    assert promised(text) == {"m.a": promise, "m.b": promise}


@pytest.mark.parametrize("order", ["ORDER BY t", "ORDER BY t WITHIN 5"])
def test_an_algorithm_that_relies_on_nothing_checks_nothing(order: str) -> None:
    """R2 with duplicates, and R4."""
    assert promised(streams(a=order, b=order) + MERGE.format("a, b")) == {}


def test_promises_that_the_algorithm_does_not_use_are_not_checked() -> None:
    """The other input keeps it from R0: what is left of STRICT is that ties come in order."""
    text = streams(a="ORDER BY t STRICT", b="ORDER BY t, TIES IN ORDER")
    assert promised(text + MERGE.format("a, b")) == {
        "m.a": "ORDER BY t STRICT",
        "m.b": "TIES IN ORDER",
    }
    text = streams(a="ORDER BY t STRICT", b="ORDER BY t")
    assert promised(text + MERGE.format("a, b")) == {}


def test_an_input_that_is_cleansed_is_in_order_by_itself() -> None:
    text = streams(a="ORDER BY t, DISTINCT ROWS", b="ORDER BY t WITHIN 5, DISTINCT ROWS")
    assert promised(text + MERGE.format("a, CLEANSE (b)")) == {"m.a": "DISTINCT ROWS"}


def test_what_operators_prove_is_not_declared() -> None:
    """One row at an instant, whatever the streams say."""
    views = "".join(
        f"CREATE VIEW v{s} AS SELECT COUNT(*) AS n FROM {s} [RANGE 5];" for s in ("a", "b")
    )
    text = streams(a="ORDER BY t", b="ORDER BY t") + views + MERGE.format("va, vb")
    assert promised(text) == {}


def test_the_program_says_whether_it_degrades() -> None:
    text = streams(a="ORDER BY t STRICT", b="ORDER BY t STRICT") + MERGE.format("a, b")
    for value, said in (("stop", False), ("degrade", True)):
        program = compile_text(f"SET on_property_violation = '{value}'; {text}").program_text
        assert ("degrades=True" in program) == said
    both = [
        compile_text(f"SET on_property_violation = '{value}'; {text}").physical.fingerprint
        for value in ("stop", "degrade")
    ]
    assert both[0] == both[1], "the same checkpoint serves both"
