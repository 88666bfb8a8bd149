"""`reflow archive ls` and `stats`: what the archives of a checkpoint are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .checkpoints import EPOCHS, Archive, head


def test_ls_says_what_the_archive_of_each_stream_is_made_of(whole: Path, archive: Archive) -> None:
    page = json.loads(archive("ls", whole, "--format", "json").out)
    [s] = [each for each in page["streams"] if each["name"] == "s"]
    files = head(whole)["archive"]["s"]["files"]
    # Twelve rows; a replacement withdraws a row and puts one, a deletion withdraws one.
    assert (s["rows"], s["revised_rows"], s["files"]) == (15, 3, len(files))
    assert s["bytes"] == sum(file["bytes"] for file in files)
    assert (s["first"], s["last"]) == (0, 10 * EPOCHS - 9)
    assert 1 <= s["revised_files"] < s["files"] and s["buckets"] <= s["files"]
    text = archive("ls", whole)
    assert (text.status, text.err) == (0, "")
    titles, line = text.out.splitlines()[0], text.out.splitlines()[1]
    assert titles.split()[:5] == ["stream", "files", "buckets", "rows", "bytes"]
    assert line.split()[0] == "s" and "15" in line.split()


def test_stats_are_of_the_buckets_of_each_stream(whole: Path, archive: Archive) -> None:
    page = json.loads(archive("stats", whole, "--format", "json").out)
    s = next(each for each in page["streams"] if each["name"] == "s")
    # Twelve rows in order, and two that correct them.
    assert s["revision_rate"] == round(2 / 14, 6) and s["oldest_kept"] == 0
    assert s["suited_bucket"] == 100_000
    assert s["rows_per_bucket"]["mean"] == round(15 / s["buckets"], 3)
    assert s["index"]["entries"] == len(head(whole)["archive"]["s"]["files"])
    assert page["epoch"] == head(whole)["epoch"]
    text = archive("stats", whole).out
    assert "14.29%" in text and "100,000" in text


def test_a_place_that_there_cannot_be(archive: Archive) -> None:
    result = archive("ls", Path("nosuch://there/checkpoint"))
    assert result.status == 2


def test_a_checkpoint_before_its_first_epoch(tmp_path: Path, archive: Archive) -> None:
    (tmp_path / "reflow" / "epochs").mkdir(parents=True)
    assert archive("ls", tmp_path).out == "no stream is archived (epoch 0)\n"
    assert json.loads(archive("stats", tmp_path, "--format", "json").out)["streams"] == []
    assert archive("verify", tmp_path).status == 0
    assert archive("vacuum", tmp_path).out == "nothing to free\n"


@pytest.mark.parametrize("verb", ["ls", "stats", "verify", "vacuum"])
def test_a_folder_that_is_no_checkpoint(tmp_path: Path, archive: Archive, verb: str) -> None:
    (tmp_path / "landing").mkdir()
    (tmp_path / "landing" / "mine.txt").write_text("mine")
    for place in (tmp_path, tmp_path / "none"):
        result = archive(verb, place)
        assert result.status == 2 and "no checkpoint" in result.err
    assert not (tmp_path / "none").exists() and (tmp_path / "landing" / "mine.txt").exists()


def test_the_checkpoint_of_a_plain_program(tmp_path: Path, archive: Archive) -> None:
    (tmp_path / "reflow").mkdir()
    (tmp_path / "reflow" / "plain.json").write_text('{"fingerprint": "f"}')
    result = archive("ls", tmp_path)
    assert result.status == 2 and "keeps no archive" in result.err
