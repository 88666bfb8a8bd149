"""The checkpoint's files: a document is created once, whole, or not at all."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from reflow.runtime.ledger.storage import Storage


def test_a_document_comes_back_as_it_was(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path))
    storage.create("deep/er/x.json", {"a": [1, None], "ü": "ß"})
    assert storage.read_json("deep/er/x.json") == {"a": [1, None], "ü": "ß"}
    assert storage.read_text("deep/er/x.json").startswith('{"a":[1,null]')


def test_a_document_that_is_there_is_not_replaced(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path))
    storage.create("x.json", {"by": "first"})
    with pytest.raises(FileExistsError):
        storage.create("x.json", {"by": "second"})
    assert storage.read_json("x.json") == {"by": "first"}
    assert storage.names(".") == ["x.json"], "no half-written file is left"


def test_of_many_writers_exactly_one_wins(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path))

    def attempt(number: int) -> int | None:
        try:
            storage.create("x.json", {"by": number, "much": "x" * 50_000})
        except FileExistsError:
            return None
        return number

    with ThreadPoolExecutor(8) as pool:
        winners = [n for n in pool.map(attempt, range(32)) if n is not None]
    assert len(winners) == 1
    assert storage.read_json("x.json")["by"] == winners[0]
    assert storage.names(".") == ["x.json"]


def test_a_failed_write_leaves_no_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Storage(str(tmp_path))

    def full(path: str) -> None:
        raise OSError("no space")

    monkeypatch.setattr("reflow.runtime.ledger.storage._sync", full)
    with pytest.raises(OSError, match="no space"):
        storage.create("x.json", {})
    assert storage.names(".") == []


def test_what_is_not_there(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path / "new"))
    assert storage.names("epochs") == []
    assert storage.files("state", ".parquet") == []
    assert not storage.exists("epochs")
    storage.delete("epochs")


def test_files_are_found_below_and_by_ending_only(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path))
    for name in ("a/1/x.parquet", "a/y.parquet", "a/y.parquet.crc", "b/z.parquet"):
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("12345")
    assert storage.files("a", ".parquet") == [("a/1/x.parquet", 5), ("a/y.parquet", 5)]


def test_delete_takes_a_file_or_a_whole_directory(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path))
    storage.create("d/e/x.json", {})
    storage.create("y.json", {})
    storage.delete("d")
    storage.delete("y.json")
    assert storage.names(".") == []


def test_a_relative_path_means_the_same_to_spark_and_to_pyarrow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    storage = Storage("check point")
    storage.create("x.json", {"a": 1})
    assert Path(storage.spark_path("x.json")) == tmp_path / "check point" / "x.json"
    assert Path(storage.full("x.json")) == tmp_path / "check point" / "x.json"


def test_a_uri_is_a_root_as_well(tmp_path: Path) -> None:
    Storage(tmp_path.as_uri()).create("x.json", {"a": 1})
    assert Storage(str(tmp_path)).read_json("x.json") == {"a": 1}


def test_a_file_elsewhere_is_read_and_never_deleted(tmp_path: Path) -> None:
    """Its name is a URI, whose escapes pyarrow reads, and which Spark would take for a pattern."""
    elsewhere = tmp_path / "a [b]{%}.parquet"
    elsewhere.write_text("four")
    uri = elsewhere.as_uri()
    storage = Storage(str(tmp_path / "state"))
    assert storage.looked_at(uri) == (4, elsewhere.stat().st_mtime_ns // 1000)
    assert storage.spark_path(uri) == f"file://{tmp_path}/a \\[b\\]\\{{%\\}}.parquet"
    for touch in (storage.delete, storage.full, storage.exists):
        with pytest.raises(ValueError, match="none of the checkpoint's files"):
            touch(uri)
    assert elsewhere.exists()
