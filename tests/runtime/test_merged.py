"""Merged streams in the engine: clocks of inputs, what is late for whom, what ends a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from reflow.compiler.physical.calls import Merged
from reflow.compiler.pipeline import compile_text

from ..harness.engine import Run
from ..harness.read import read_elements

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

COPY = "CREATE STREAM {} (t BIGINT, k STRING, ORDER BY t{}) FROM JSON '{}';"
LOG = "INTO LOG '{dir}/out/q.log';"


def copies(names: str, within: str = "", more: str = "") -> str:
    return "\n".join(COPY.format(name, within, name) + more for name in names)


def rows(**at: int) -> list[dict[str, Any]]:
    """Rows by their `k`."""
    return [{"t": t, "k": k} for k, t in at.items()]


def lines(run: Run) -> list[str]:
    """In order of time: lines of an epoch have an order of their own."""
    found = (run.directory / "out" / "q.log").read_text().splitlines()
    return sorted(found, key=lambda line: int(line[1 : line.index("]")]))


def test_a_row_is_late_by_the_clock_of_its_own_input(spark: SparkSession, tmp_path: Path) -> None:
    """A copy that lags behind the merged frontier loses no row, and adds none that the furthest
    does not have.
    """
    text = f"{copies('ab')} CREATE STREAM m MERGE OF a, b; CREATE QUERY q AS SELECT k FROM m {LOG}"
    run = Run(spark, text, tmp_path)
    assert run.epoch({"a": rows(x=5, y=20), "b": rows(x=5)}).complete == 20
    run.epoch({"b": rows(z=9, y=20)})
    assert run.dead_letters == 0
    run.epoch({"b": rows(x=8)})
    assert run.dead_letters == 1
    assert lines(run) == ["[5]:+:x", "[20]:+:y"]


def test_a_copy_goes_on_where_another_ends(spark: SparkSession, tmp_path: Path) -> None:
    """Cut-over: the second was behind, and takes the lead."""
    text = (
        f"{copies('ab')} CREATE STREAM m MERGE OF a, b;"
        f"CREATE QUERY q AS SELECT COUNT(*) AS n FROM m [RANGE 10] {LOG}"
    )
    run = Run(spark, text, tmp_path)
    run.epoch({"a": rows(x=5, y=12), "b": rows(x=5)})
    run.restart()
    run.epoch({"b": rows(y=12, z=14)})
    run.epoch({"b": rows(w=30)})
    assert lines(run) == [
        *("[5]:+:1", "[12]:-:1", "[12]:+:2", "[14]:-:2", "[14]:+:3", "[15]:-:3", "[15]:+:2"),
        *("[22]:-:2", "[22]:+:1", "[24]:-:1", "[24]:+:0", "[30]:-:0", "[30]:+:1"),
    ]


def test_final_rows_wait_for_the_merged_frontier(spark: SparkSession, tmp_path: Path) -> None:
    """That of the furthest less the lag; a drain closes what is there."""
    text = (
        f"{copies('ab')} CREATE STREAM m MERGE OF a, b STABLE LAG 4;"
        f"CREATE QUERY q AS SELECT k FROM m EMIT FINAL {LOG}"
    )
    run = Run(spark, text, tmp_path)
    mark = run.epoch({"a": rows(x=5, y=9, z=12), "b": rows(x=5)})
    assert (mark.complete, lines(run)) == (8, ["[5]:+:x"])
    run.drain()
    assert lines(run) == ["[5]:+:x", "[9]:+:y", "[12]:+:z"]


def test_what_is_appended_at_the_end_is_never_corrected(
    spark: SparkSession, tmp_path: Path
) -> None:
    """A drain of final rows completes every input: whatever comes later is late."""
    text = (
        f"{copies('ab', ' WITHIN 6')} CREATE STREAM m MERGE OF a, b STABLE LAG 4;"
        "CREATE QUERY q AS SELECT k FROM m EMIT FINAL INTO PARQUET '{dir}/out/q' AS APPEND;"
    )
    run = Run(spark, text, tmp_path)
    run.epoch({"a": rows(x=5, y=9, z=12), "b": rows(x=5)})
    assert run.drain().complete == 13
    run.epoch({"b": rows(y=9, v=10)})
    assert run.dead_letters == 2


def test_answers_of_inputs_end_where_the_clock_is_moved_to(
    spark: SparkSession, tmp_path: Path
) -> None:
    """`--until` moves the inputs along: their windows empty."""
    text = (
        f"{copies('ab')} CREATE VIEW v AS SELECT k FROM a [RANGE 10];"
        "CREATE VIEW w AS SELECT k FROM b [RANGE 10]; CREATE STREAM m MERGE OF v, w;"
        f"CREATE QUERY q AS SELECT k FROM m {LOG}"
    )
    run = Run(spark, text, tmp_path)
    run.epoch({"a": rows(x=5, y=12), "b": rows(x=5)})
    run.until(40)
    assert lines(run) == ["[5]:+:x", "[12]:+:y", "[15]:-:x", "[22]:-:y"]


def test_a_merge_of_merges(spark: SparkSession, tmp_path: Path) -> None:
    """The inner one is read by itself, too."""
    text = (
        f"{copies('abc')} CREATE STREAM i MERGE OF a, b; CREATE STREAM m MERGE OF i, c;"
        f"CREATE QUERY q AS SELECT k FROM m {LOG}"
        "CREATE QUERY r AS SELECT k FROM i INTO LOG '{dir}/out/r.log';"
    )
    run = Run(spark, text, tmp_path)
    run.epoch({"a": rows(x=5), "b": rows(x=5, y=7), "c": rows(x=5, y=7, z=9)})
    run.restart()
    run.epoch({"a": rows(y=7, z=9, w=11)})
    assert lines(run) == ["[5]:+:x", "[7]:+:y", "[9]:+:z", "[11]:+:w"]
    assert sorted((tmp_path / "out" / "r.log").read_text().split()) == sorted(lines(run))


def test_copies_whose_rows_are_corrected(spark: SparkSession, tmp_path: Path) -> None:
    """A late row of one copy is one of the merged stream, as long as that may change."""
    kept = (
        "CREATE STREAM {} (t BIGINT, k STRING, KEY (t, k), ORDER BY t) FROM JSON '{}'"
        " ARCHIVE KEEP 8;"
    )
    text = (
        f"{kept.format('a', 'a')} {kept.format('b', 'b')} CREATE STREAM m MERGE OF a, b;"
        f"CREATE QUERY q AS SELECT COUNT(*) AS n FROM m [RANGE 20] {LOG}"
    )
    run = Run(spark, text, tmp_path)
    run.epoch({"a": rows(x=5, y=12), "b": rows(x=5)})
    run.epoch({"a": rows(z=9)})
    run.epoch({"b": rows(z=9, y=12)})
    assert run.dead_letters == 0
    changes = run.changes("q", ["int"])
    assert {row: at for row, at in changes.items() if any(at.values())} == {
        (1,): {5: 1, 9: -1},
        (2,): {9: 1, 12: -1},
        (3,): {12: 1},
    }


DECLARED = {
    "R0": ("ORDER BY t STRICT", ""),
    "R1": ("ORDER BY t, TIES IN ORDER", ""),
    "R2": ("ORDER BY t, DISTINCT ROWS", ""),
    "R3": ("ORDER BY t WITHIN 5, DISTINCT ROWS", ""),
    "R4": ("ORDER BY t WITHIN 5", ""),
    "R4 chatty": ("ORDER BY t WITHIN 5", "POLICY CHATTY"),
    "R2 duplicates": ("ORDER BY t", "CLEANSE"),
}
NAMED = ("kind", "row", "r", "m", "p", "x", "v", "mine", "ve")


def test_columns_may_be_called_as_parts_of_entries_are(spark: SparkSession, tmp_path: Path) -> None:
    """Each algorithm, with names that its SQL uses within."""
    columns = ", ".join(f"{name} STRING" for name in NAMED)
    lines = []
    for n, (order, how) in enumerate(DECLARED.values()):
        for name in (f"a{n}", f"b{n}"):
            lines.append(f"CREATE STREAM {name} (t BIGINT, {columns}, {order}) FROM JSON '{name}';")
        second, policy = (f"CLEANSE (b{n})", "") if how == "CLEANSE" else (f"b{n}", how)
        lines.append(f"CREATE STREAM m{n} MERGE OF a{n}, {second} {policy};")
        query = f"SELECT {', '.join(NAMED)} FROM m{n}"
        lines.append(f"CREATE QUERY q{n} AS {query} INTO LOG '{{dir}}/out/q{n}.log';")
    run = Run(spark, "\n".join(lines), tmp_path)
    steps = compile_text(run.text).physical.steps
    found = [step.call.variant for step in steps if isinstance(step.call, Merged)]
    assert found == [variant.removesuffix(" chatty") for variant in DECLARED]

    def given(*at: int) -> list[dict[str, Any]]:
        return [{"t": t, **{name: f"{name}{t}" for name in NAMED}} for t in at]

    run.epoch({f"{name}{n}": given(1, 3) for n in range(len(DECLARED)) for name in "ab"})
    run.epoch({f"a{n}": given(9, 20) for n in range(len(DECLARED))})
    for n in range(len(DECLARED)):
        told = sorted((tmp_path / "out" / f"q{n}.log").read_text().splitlines())
        wanted = [f"[{t}]:+:" + ", ".join(f"{name}{t}" for name in NAMED) for t in (1, 3, 9, 20)]
        assert told == sorted(wanted), n


ELEMENT = (
    "CREATE STREAM {} (k STRING, kind STRING, vs BIGINT, ve BIGINT, old_ve BIGINT,"
    " ELEMENTS (kind, vs, ve, old_ve), DISTINCT ROWS) FROM JSON '{}';"
)


def element(
    kind: str, k: str | None, vs: int, ve: int | None = None, old: int | None = None
) -> dict[str, Any]:
    return {"k": k, "kind": kind, "vs": vs, "ve": ve, "old_ve": old}


def test_the_entries_of_a_merge_tell_which_adjusts_name_no_event(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Each input has told its own; of what the merge has forgotten nobody can say."""
    text = (
        f"{ELEMENT.format('a', 'a')} {ELEMENT.format('b', 'b')} CREATE STREAM m MERGE OF a, b;"
        "CREATE QUERY q AS SELECT k FROM m INTO PARQUET '{dir}/out/q' AS ELEMENTS;"
    )
    run = Run(spark, text, tmp_path)
    run.epoch({"a": [element("insert", "x", 5, 9)], "b": [element("insert", "x", 5)]})
    assert [name for name in run.state if name.startswith("v")] == []
    # What `a` has told is not what `b` has.
    run.epoch({"b": [element("adjust", "x", 5, 8, 9)]})
    assert run.dead_letters == 1
    run.epoch({"b": [element("adjust", "x", 5, 9)], "a": [element("stable", None, 20)]})
    run.restart()
    run.epoch({"b": [element("adjust", "x", 5, 11, 9), element("insert", "y", 20, 30)]})
    assert run.dead_letters == 1
    assert read_elements(tmp_path / "out" / "q") == {
        ("x",): {5: 1, 9: -1},
        ("y",): {20: 1, 30: -1},
    }


def test_the_state_of_merged_rows_stays_flat(spark: SparkSession, tmp_path: Path) -> None:
    """By R3 and R4: a row is decided when the merged stable passes it, though one copy lags by two
    epochs, and says it again then.
    """
    declared = "CREATE STREAM {} (t BIGINT, k STRING, ORDER BY t WITHIN 2{}) FROM JSON '{}';"
    text = "".join(
        declared.format(f"{copy}{by}", ", DISTINCT ROWS" if by == 3 else "", copy)
        for by in (3, 4)
        for copy in "ab"
    )
    for by in (3, 4):
        text += f"CREATE STREAM m{by} MERGE OF a{by}, b{by};"
        text += f"CREATE QUERY q{by} AS SELECT k FROM m{by} INTO LOG '{{dir}}/out/q{by}.log';"
    run = Run(spark, text, tmp_path)
    steps = compile_text(run.text).physical.steps
    assert [s.call.variant for s in steps if isinstance(s.call, Merged)] == ["R3", "R4"]
    held = []
    for epoch in range(9):
        at = {"a": range(10 * epoch, 10 * epoch + 10), "b": range(max(10 * epoch - 10, 0))[-10:]}
        given = {copy: [{"t": t, "k": f"r{t}"} for t in of] for copy, of in at.items()}
        run.epoch({f"{copy}{by}": part for by in (3, 4) for copy, part in given.items()})
        held.append(run.state_rows)
    assert held[3:] == [held[3]] * 6
    # What may still come before it: of each merge two rows, and the last.
    assert held[-1] == 2 * 3
    for by in (3, 4):
        told = sorted((tmp_path / "out" / f"q{by}.log").read_text().split(), key=len)
        assert sorted(told) == sorted(f"[{t}]:+:r{t}" for t in range(90))
