"""`reflow archive verify`: each test breaks one thing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from .checkpoints import (
    Archive,
    bucket,
    bucket_files,
    faults,
    head,
    manifests,
    rewrite_head,
)


@pytest.mark.parametrize("how", [(), ("--footers",)])
def test_what_a_run_leaves_is_what_its_manifests_say(
    whole: Path, archive: Archive, how: tuple[str, ...]
) -> None:
    result = archive("verify", whole, *how)
    assert (result.status, result.err) == (0, "")
    assert "all as the index says" in result.out
    page = json.loads(archive("verify", whole, "--format", "json", *how).out)
    assert page["manifests"] == [int(path.stem) for path in manifests(whole)]
    # Buckets were merged, and those that the short window of z had read are gone.
    assert page["faults"] == [] and page["files"] > 0 and page["given_up"] > 0


def test_a_file_that_is_missing(whole: Path, archive: Archive) -> None:
    gone = bucket(whole)["path"]
    (whole / "reflow" / gone).unlink()
    result = archive("verify", whole)
    assert result.status == 1 and f"{gone}: the file is not there" in result.out
    assert faults(archive("verify", whole, "--format", "json")) == [("missing", gone)]


def test_a_page_whose_bits_have_changed(whole: Path, archive: Archive) -> None:
    """The footer is whole: only reading the page, with its checksum, tells."""
    broken = bucket(whole)["path"]
    path = whole / "reflow" / broken
    content = bytearray(path.read_bytes())
    at = pq.read_metadata(path).row_group(0).column(0).data_page_offset
    size = pq.read_metadata(path).row_group(0).column(0).total_compressed_size
    content[at + size - 1] ^= 0xFF
    path.write_bytes(content)
    assert archive("verify", whole, "--footers").status == 0
    result = archive("verify", whole, "--format", "json")
    assert result.status == 1 and faults(result) == [("unreadable", broken)]


def test_a_file_that_is_cut_off(whole: Path, archive: Archive) -> None:
    broken = bucket(whole)["path"]
    path = whole / "reflow" / broken
    path.write_bytes(path.read_bytes()[:-7])
    for how in ((), ("--footers",)):
        result = archive("verify", whole, "--format", "json", *how)
        assert result.status == 1 and faults(result) == [("unreadable", broken)]


@pytest.mark.parametrize("how", [(), ("--footers",)])
def test_a_file_with_other_rows(whole: Path, archive: Archive, how: tuple[str, ...]) -> None:
    """Whole as Parquet, and not what was written."""
    path = whole / "reflow" / bucket(whole)["path"]
    table = pq.read_table(path)
    later = pc.add(table.column("_vs"), pa.scalar(1000, pa.int64()))
    table = table.set_column(table.schema.get_field_index("_vs"), "_vs", later)
    pq.write_table(pa.concat_tables([table, table]), path)
    wrong = {kind for kind, _ in faults(archive("verify", whole, "--format", "json", *how))}
    assert {"rows", "bytes", "range"} == wrong


@pytest.mark.parametrize("how", [(), ("--footers",)])
@pytest.mark.parametrize(
    ("wrong", "change"),
    [
        ("rows", {"rows": 99}),
        ("bytes", {"bytes": 1}),
        ("range", {"low": {"_vs": -5}}),
        ("range", {"high": {"_vs": 10**6}}),
        ("range", {"low": {}}),
        ("revised", {"revised": True}),
    ],
)
def test_a_manifest_with_a_wrong_entry(
    whole: Path,
    archive: Archive,
    wrong: str,
    change: dict[str, Any],
    how: tuple[str, ...],
) -> None:
    path = bucket(whole)["path"]

    def changed(page: dict[str, Any]) -> None:
        next(f for f in page["archive"]["s"]["files"] if f["path"] == path).update(change)

    rewrite_head(whole, changed)
    result = archive("verify", whole, "--format", "json", *how)
    assert result.status == 1 and faults(result) == [(wrong, path)]
    [fault] = json.loads(result.out)["faults"]
    assert fault["epochs"] == [head(whole)["epoch"]]


def test_revisions_that_the_index_does_not_know(whole: Path, archive: Archive) -> None:
    """A bucket of revisions that is taken for one of arrivals would be read by REVISE BY IGNORE."""
    path = bucket(whole, revised=True)["path"]

    def changed(page: dict[str, Any]) -> None:
        next(f for f in page["archive"]["s"]["files"] if f["path"] == path)["revised"] = False

    rewrite_head(whole, changed)
    for how in ((), ("--footers",)):
        result = archive("verify", whole, "--format", "json", *how)
        assert faults(result) == [("revised", path)]


def test_state_is_verified_too(whole: Path, archive: Archive) -> None:
    known = next(iter(head(whole)["state"].values()))
    path = known["files"][0]["path"]
    (whole / "reflow" / path).unlink()
    assert faults(archive("verify", whole, "--format", "json")) == [("missing", path)]


def test_a_pinned_version_that_is_missing(whole: Path, archive: Archive) -> None:
    version = head(whole)["nrrs"]["names"]
    shutil.rmtree(whole / "reflow" / "nrr" / "names" / version)
    found = faults(archive("verify", whole, "--format", "json"))
    assert found == [("missing", f"nrr/names/{version}")]


def test_manifests_that_are_broken_or_lost(whole: Path, archive: Archive) -> None:
    first, second, *_ = manifests(whole)
    first.write_text("{")
    assert faults(archive("verify", whole, "--format", "json")) == [
        ("unreadable", f"epochs/{first.name}")
    ]
    second.unlink()
    assert faults(archive("verify", whole, "--format", "json"))[1:] == [
        ("missing", f"epochs/{second.name}")
    ]


def test_a_newest_manifest_that_is_broken(whole: Path, archive: Archive) -> None:
    """Nobody knows then what can go."""
    newest = manifests(whole)[-1]
    newest.write_text("[]")
    result = archive("verify", whole, "--format", "json")
    assert result.status == 1 and faults(result) == [("unreadable", f"epochs/{newest.name}")]
    for verb in ("ls", "stats", "vacuum"):
        failed = archive(verb, whole)
        assert failed.status == 1 and "reflow archive verify" in failed.err
    assert bucket_files(whole)


def test_a_checkpoint_that_was_set_back_by_hand(whole: Path, archive: Archive) -> None:
    """An older epoch's files have been merged or let go since: it cannot be gone on from."""
    for newer in manifests(whole)[3:]:
        newer.unlink()
    result = archive("verify", whole, "--format", "json")
    assert result.status == 1 and {wrong for wrong, _ in faults(result)} == {"missing"}
    assert ("missing", "epochs") in faults(result)
