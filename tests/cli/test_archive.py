"""`reflow archive`: what a checkpoint holds, whether it is whole, what can go.

One run makes the checkpoint: streams with and without an archive, corrections, merged buckets, a
relation, and an epoch that dies before its commit. Each test breaks a copy of its own.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from reflow.runtime.archive import index
from reflow.runtime.epoch import protocol
from reflow.runtime.ledger import lease as leasing
from reflow.runtime.ledger.lease import lease
from reflow.runtime.ledger.storage import Storage
from reflow.runtime.program import RunError

from ..runtime.running import Place
from .call import Result, call

TEXT = """
CREATE STREAM s (t BIGINT, id INT, a INT, op STRING, KEY (id), ORDER BY t)
  FROM CSV '{dir}/s' OPTIONS (maxFilesPerTrigger = '1')
  REVISIONS BY op (INSERT 'c', REPLACE 'u', DELETE 'd') ARCHIVE KEEP 1000;
CREATE STREAM z (t BIGINT, b INT, ORDER BY t) FROM CSV '{dir}/z' OPTIONS (maxFilesPerTrigger = '1');
CREATE NRR names (k INT, label STRING, KEY (k)) FROM CSV '{dir}/names';
CREATE QUERY counted AS SELECT a, COUNT(*) AS n FROM s [RANGE 50] GROUP BY a INTO PARQUET '{dir}/c';
CREATE QUERY named AS SELECT z.b, n.label FROM z [RANGE 2], names AS n WHERE z.b = n.k
  INTO PARQUET '{dir}/n' AS CHANGELOG;
"""
EPOCHS = 6


class Struck(Exception):
    """The process dies here."""


@dataclass
class Made:
    """A checkpoint after a run, and the same with an epoch behind it that died."""

    place: Place
    whole: Path
    killed: Path


@pytest.fixture(scope="module")
def made(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    place = Place(tmp_path_factory.mktemp("archive"))
    place.put("names/1.csv", "1,one", "2,two")
    for n in range(EPOCHS):
        place.put(f"s/{n}.csv", f"{10 * n},{n},{n % 2},c", f"{10 * n + 1},{100 + n},1,c")
        place.put(f"z/{n}.csv", f"{10 * n},{n % 3}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "MERGE_AFTER", 3)
        place.put("s/x.csv", "20,2,7,u", "41,104,1,d")
        place.run(TEXT)
        whole = place.path("whole")
        shutil.copytree(place.path("state"), whole)
        place.put("s/y.csv", "90,90,1,c", "91,0,5,u")
        patch.setattr(protocol, "reached", _dies_at("sink"))
        with pytest.raises(RunError, match="dies here"):
            place.run(TEXT)
    yield Made(place, whole, place.path("state"))


def _dies_at(struck: str) -> Callable[[str, int], None]:
    def reached(step: str, epoch: int) -> None:
        if step == struck:
            raise Struck("dies here")

    return reached


@pytest.fixture
def whole(made: Made, tmp_path: Path) -> Path:
    shutil.copytree(made.whole, tmp_path / "whole")
    return tmp_path / "whole"


@pytest.fixture
def killed(made: Made, tmp_path: Path) -> Path:
    shutil.copytree(made.killed, tmp_path / "killed")
    return tmp_path / "killed"


@pytest.fixture
def archive(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    def called(verb: str, checkpoint: Path, *more: str) -> Result:
        return call(capsys, "archive", verb, str(checkpoint), *more)

    return called


def manifests(checkpoint: Path) -> list[Path]:
    files = (checkpoint / "reflow" / "epochs").glob("*.json")
    return sorted(path for path in files if not path.name.endswith(".intent.json"))


def head(checkpoint: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(manifests(checkpoint)[-1].read_text())
    return found


def rewrite_head(checkpoint: Path, change: Callable[[dict[str, Any]], None]) -> None:
    page = head(checkpoint)
    change(page)
    manifests(checkpoint)[-1].write_text(json.dumps(page))


def bucket(checkpoint: Path, revised: bool = False) -> dict[str, Any]:
    """A file of the archive of `s`, as the newest manifest names it."""
    files = head(checkpoint)["archive"]["s"]["files"]
    found: dict[str, Any] = next(file for file in files if file["revised"] == revised)
    return found


def faults(result: Result) -> list[tuple[str, str]]:
    return [(fault["wrong"], fault["file"]) for fault in json.loads(result.out)["faults"]]


def test_ls_says_what_the_archive_of_each_stream_is_made_of(
    whole: Path, archive: Callable[..., Result]
) -> None:
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


def test_stats_are_of_the_buckets_of_each_stream(
    whole: Path, archive: Callable[..., Result]
) -> None:
    page = json.loads(archive("stats", whole, "--format", "json").out)
    s = next(each for each in page["streams"] if each["name"] == "s")
    assert s["revision_rate"] == 3 / 15 and s["oldest_kept"] == 0
    assert s["rows_per_bucket"]["mean"] == round(15 / s["buckets"], 3)
    assert s["index"]["entries"] == len(head(whole)["archive"]["s"]["files"])
    assert page["epoch"] == head(whole)["epoch"]
    assert "20.00%" in archive("stats", whole).out


@pytest.mark.parametrize("how", [(), ("--footers",)])
def test_what_a_run_leaves_is_what_its_manifests_say(
    whole: Path, archive: Callable[..., Result], how: tuple[str, ...]
) -> None:
    result = archive("verify", whole, *how)
    assert (result.status, result.err) == (0, "")
    assert "all as the index says" in result.out
    page = json.loads(archive("verify", whole, "--format", "json", *how).out)
    assert page["manifests"] == [int(path.stem) for path in manifests(whole)]
    # Buckets were merged, and those that the short window of z had read are gone.
    assert page["faults"] == [] and page["files"] > 0 and page["given_up"] > 0


def test_a_file_that_is_missing(whole: Path, archive: Callable[..., Result]) -> None:
    gone = bucket(whole)["path"]
    (whole / "reflow" / gone).unlink()
    result = archive("verify", whole)
    assert result.status == 1 and f"{gone}: the file is not there" in result.out
    assert faults(archive("verify", whole, "--format", "json")) == [("missing", gone)]


def test_a_page_whose_bits_have_changed(whole: Path, archive: Callable[..., Result]) -> None:
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


def test_a_file_that_is_cut_off(whole: Path, archive: Callable[..., Result]) -> None:
    broken = bucket(whole)["path"]
    path = whole / "reflow" / broken
    path.write_bytes(path.read_bytes()[:-7])
    for how in ((), ("--footers",)):
        result = archive("verify", whole, "--format", "json", *how)
        assert result.status == 1 and faults(result) == [("unreadable", broken)]


@pytest.mark.parametrize("how", [(), ("--footers",)])
def test_a_file_with_other_rows(
    whole: Path, archive: Callable[..., Result], how: tuple[str, ...]
) -> None:
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
    archive: Callable[..., Result],
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


def test_revisions_that_the_index_does_not_know(
    whole: Path, archive: Callable[..., Result]
) -> None:
    """A bucket of revisions that is taken for one of arrivals would be read by REVISE BY IGNORE."""
    path = bucket(whole, revised=True)["path"]

    def changed(page: dict[str, Any]) -> None:
        next(f for f in page["archive"]["s"]["files"] if f["path"] == path)["revised"] = False

    rewrite_head(whole, changed)
    for how in ((), ("--footers",)):
        result = archive("verify", whole, "--format", "json", *how)
        assert faults(result) == [("revised", path)]


def test_state_is_verified_too(whole: Path, archive: Callable[..., Result]) -> None:
    known = next(iter(head(whole)["state"].values()))
    path = known["files"][0]["path"]
    (whole / "reflow" / path).unlink()
    assert faults(archive("verify", whole, "--format", "json")) == [("missing", path)]


def test_a_pinned_version_that_is_missing(whole: Path, archive: Callable[..., Result]) -> None:
    version = head(whole)["nrrs"]["names"]
    shutil.rmtree(whole / "reflow" / "nrr" / "names" / version)
    found = faults(archive("verify", whole, "--format", "json"))
    assert found == [("missing", f"nrr/names/{version}")]


def test_manifests_that_are_broken_or_lost(whole: Path, archive: Callable[..., Result]) -> None:
    first, second, *_ = manifests(whole)
    first.write_text("{")
    assert faults(archive("verify", whole, "--format", "json")) == [
        ("unreadable", f"epochs/{first.name}")
    ]
    second.unlink()
    assert faults(archive("verify", whole, "--format", "json"))[1:] == [
        ("missing", f"epochs/{second.name}")
    ]


def test_a_newest_manifest_that_is_broken(whole: Path, archive: Callable[..., Result]) -> None:
    """Nobody knows then what can go."""
    newest = manifests(whole)[-1]
    newest.write_text("[]")
    result = archive("verify", whole, "--format", "json")
    assert result.status == 1 and faults(result) == [("unreadable", f"epochs/{newest.name}")]
    for verb in ("ls", "stats", "vacuum"):
        failed = archive(verb, whole)
        assert failed.status == 1 and "reflow archive verify" in failed.err
    assert bucket_files(whole)


def test_a_checkpoint_that_was_set_back_by_hand(
    whole: Path, archive: Callable[..., Result]
) -> None:
    """An older epoch's files have been merged or let go since: it cannot be gone on from."""
    for newer in manifests(whole)[3:]:
        newer.unlink()
    result = archive("verify", whole, "--format", "json")
    assert result.status == 1 and {wrong for wrong, _ in faults(result)} == {"missing"}
    assert ("missing", "epochs") in faults(result)


@pytest.mark.parametrize("kept", [0, 3])
def test_nothing_goes_where_manifests_are_lost(
    whole: Path, archive: Callable[..., Result], kept: int
) -> None:
    """What no manifest names is then all that there is."""
    for newer in manifests(whole)[kept:]:
        newer.unlink()
    before = bucket_files(whole)
    for how in ((), ("--dry-run",), ("--stopped",)):
        result = archive("vacuum", whole, *how)
        assert result.status == 1 and "manifests are lost" in result.err
    assert archive("verify", whole).status == 1 and bucket_files(whole) == before


def test_what_an_epoch_that_died_has_left(
    killed: Path, made: Made, archive: Callable[..., Result]
) -> None:
    """No fault: it will be begun anew. Until then its files can go, and nothing else does."""
    begun = head(killed)["epoch"] + 1
    result = archive("verify", killed)
    assert result.status == 0 and "reflow archive vacuum" in result.out
    listed = json.loads(archive("vacuum", killed, "--dry-run", "--format", "json").out)
    names = [each["file"] for each in listed["files"]]
    assert any(name.startswith(f"landing/{begun:08d}") for name in names)
    before = bucket_files(killed)
    assert set(names) <= before
    freed = json.loads(archive("vacuum", killed, "--format", "json").out)
    assert {**freed, "dry_run": True} == listed and freed["bytes"] > 0
    assert bucket_files(killed) == before - set(names)
    assert not (killed / "reflow" / f"landing/{begun:08d}").exists()
    assert archive("vacuum", killed).out == "nothing to free\n"
    again = json.loads(archive("verify", killed, "--format", "json").out)
    assert again["faults"] == again["orphans"] == []


def test_a_run_goes_on_from_what_vacuum_leaves(
    made: Made, archive: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = made.place
    checkpoint = place.path("vacuumed")
    shutil.copytree(made.killed, checkpoint)
    assert archive("vacuum", checkpoint).status == 0
    monkeypatch.setattr(index, "MERGE_AFTER", 3)
    place.run(TEXT, checkpoint="vacuumed")
    assert archive("verify", checkpoint).status == 0
    rows = place.rows("c", "parquet", "a", "n", "vs", "ve", "w")
    at_91 = {}
    for a, n, vs, ve, w in rows:
        if vs <= 91 and (ve is None or ve > 91):
            at_91[a, n] = at_91.get((a, n), 0) + w
    # [RANGE 50] at 91: rows of 50, 51 and 90.
    assert {row: times for row, times in at_91.items() if times} == {(1, 3): 1}


def test_what_vacuum_frees_is_said(killed: Path, archive: Callable[..., Result]) -> None:
    text = archive("vacuum", killed, "--dry-run").out
    assert text.splitlines()[-1].endswith("would be freed")
    done = archive("vacuum", killed).out
    assert done.splitlines()[-1].endswith(") freed") and "landing/" in done


def test_versions_that_an_epoch_has_pinned_stay(
    killed: Path, archive: Callable[..., Result]
) -> None:
    """The repeated epoch reads the version that its intent names, and does not take it again."""
    folder = killed / "reflow" / "nrr" / "names"
    intent = killed / "reflow" / "epochs" / f"{head(killed)['epoch'] + 1:08d}.intent.json"
    page = json.loads(intent.read_text())
    for version in ("pinned", "forgotten"):
        shutil.copytree(folder / page["nrrs"]["names"], folder / version)
    intent.write_text(json.dumps({**page, "nrrs": {"names": "pinned"}}))
    archive("vacuum", killed)
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        ["pinned", head(killed)["nrrs"]["names"]]
    )


def test_nothing_goes_while_a_run_is_at_work(killed: Path, archive: Callable[..., Result]) -> None:
    before = bucket_files(killed)
    with lease(Storage(str(killed))):
        result = archive("vacuum", killed)
        assert result.status == 1 and "another process is at work" in result.err
        assert archive("verify", killed).status == 0
    assert bucket_files(killed) == before


def test_where_nobody_can_tell_the_user_says_so(
    killed: Path, archive: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on an object store, which has no locks."""
    monkeypatch.setattr(leasing, "fcntl", None)
    before = bucket_files(killed)
    result = archive("vacuum", killed)
    assert result.status == 2 and "--stopped" in result.err and bucket_files(killed) == before
    assert archive("vacuum", killed, "--dry-run").status == 0
    assert archive("vacuum", killed, "--stopped").status == 0
    assert bucket_files(killed) < before


def test_a_place_that_there_cannot_be(archive: Callable[..., Result]) -> None:
    result = archive("ls", Path("nosuch://there/checkpoint"))
    assert result.status == 2


def test_a_checkpoint_before_its_first_epoch(
    tmp_path: Path, archive: Callable[..., Result]
) -> None:
    (tmp_path / "reflow" / "epochs").mkdir(parents=True)
    assert archive("ls", tmp_path).out == "no stream is archived (epoch 0)\n"
    assert json.loads(archive("stats", tmp_path, "--format", "json").out)["streams"] == []
    assert archive("verify", tmp_path).status == 0
    assert archive("vacuum", tmp_path).out == "nothing to free\n"


@pytest.mark.parametrize("verb", ["ls", "stats", "verify", "vacuum"])
def test_a_folder_that_is_no_checkpoint(
    tmp_path: Path, archive: Callable[..., Result], verb: str
) -> None:
    (tmp_path / "landing").mkdir()
    (tmp_path / "landing" / "mine.txt").write_text("mine")
    for place in (tmp_path, tmp_path / "none"):
        result = archive(verb, place)
        assert result.status == 2 and "no checkpoint" in result.err
    assert not (tmp_path / "none").exists() and (tmp_path / "landing" / "mine.txt").exists()


def test_the_checkpoint_of_a_plain_program(tmp_path: Path, archive: Callable[..., Result]) -> None:
    (tmp_path / "reflow").mkdir()
    (tmp_path / "reflow" / "plain.json").write_text('{"fingerprint": "f"}')
    result = archive("ls", tmp_path)
    assert result.status == 2 and "keeps no archive" in result.err


def bucket_files(checkpoint: Path) -> set[str]:
    """All files that manifests may name, with the checksums beside them."""
    folder = checkpoint / "reflow"
    return {
        str(path.relative_to(folder))
        for kind in ("archive", "landing", "nrr", "state")
        for path in (folder / kind).rglob("*")
        if path.is_file()
    }
