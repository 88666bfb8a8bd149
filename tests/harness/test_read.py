"""Readers of sinks, on files made by hand."""

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from .read import read_changelog, read_log, read_log_text


def write(path: Path, rows: list[tuple[object, ...]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = list(zip(*rows, strict=True))
    pq.write_table(pa.table(dict(zip(("k", "vs", "ve", "w", "epoch"), columns, strict=True))), path)


def test_an_open_row_is_closed_by_a_later_epoch(tmp_path: Path) -> None:
    write(tmp_path / "part-1.parquet", [("a", 1, None, 1, 1), ("b", 2, 9, 1, 1)])
    write(tmp_path / "more" / "part-2.parquet", [("a", 1, None, -1, 2), ("a", 1, 7, 1, 2)])
    write(tmp_path / "_staged" / "part-3.parquet", [("c", 1, 2, 1, 3)])
    assert read_changelog(tmp_path) == {("a",): {1: 1, 7: -1}, ("b",): {2: 1, 9: -1}}
    assert read_changelog(tmp_path, ["k"], 1) == {("a",): {1: 1}, ("b",): {2: 1, 9: -1}}
    assert read_changelog(tmp_path / "none", ["k"]) == {}


def test_times_are_microseconds(tmp_path: Path) -> None:
    second = datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
    write(tmp_path / "part-1.parquet", [("a", second, None, 1, 1)])
    assert read_changelog(tmp_path, ["k"]) == {("a",): {1_000_000: 1}}


def test_log_lines_add_up() -> None:
    text = "[1]:+:a, 1\n[3]:-:a, 1\n[3]:+:NULL, 2\n[3]:-:a, 1\n[3]:+:a, 1\n"
    assert read_log_text(text) == {("a", "1"): {1: 1, 3: -1}, ("NULL", "2"): {3: 1}}
    assert read_log_text(text, ["text", "int"]) == {("a", 1): {1: 1, 3: -1}, (None, 2): {3: 1}}


def test_log_times_may_be_iso() -> None:
    assert read_log_text("[1970-01-01T00:00:01]:+:1\n") == {("1",): {1_000_000: 1}}


def test_a_log_is_read_up_to_a_length(tmp_path: Path) -> None:
    log = tmp_path / "q.log"
    log.write_text("[1]:+:1\n[2]:+:2\n")
    assert read_log(log, ["int"], 8) == {(1,): {1: 1}}
    assert read_log(tmp_path / "none.log") == {}


def test_other_text_is_refused() -> None:
    with pytest.raises(ValueError, match="not a line"):
        read_log_text("nonsense\n")
