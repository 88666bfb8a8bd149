"""Dead letters of a plain program are counted while Spark writes more of them."""

from __future__ import annotations

from pathlib import Path

from reflow.runtime.connect.sink_log import committed_files
from reflow.runtime.ledger.storage import Storage


def test_only_committed_files_are_read(tmp_path: Path) -> None:
    log = tmp_path / "letters" / "_spark_metadata"
    log.mkdir(parents=True)
    (log / "0").write_text('v1\n{"path":"file:///x/letters/a.parquet","action":"add"}')
    (log / "9.compact").write_text(
        'v1\n{"path":"file:///x/letters/a.parquet","action":"add"}\n'
        '{"path":"file:///x/letters/b.parquet","action":"add"}'
    )
    (log / ".10.tmp").write_text("v1")
    (tmp_path / "letters" / "half.parquet").touch()
    found = committed_files(Storage(str(tmp_path)), "letters")
    assert found == ["letters/a.parquet", "letters/b.parquet"]


def test_nothing_is_committed_before_the_first_batch(tmp_path: Path) -> None:
    assert committed_files(Storage(str(tmp_path)), "letters") == []
