"""Every example compiles without a warning, explains itself, and finds the columns it declares."""

from __future__ import annotations

import csv
import importlib
from pathlib import Path

import pytest

from reflow.cli import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QUERIES = sorted(EXAMPLES.glob("*/*.cql"))


def named(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def test_there_are_examples() -> None:
    assert len([path for path in QUERIES if path.parent.name == "flights"]) >= 4
    assert {path.parent.name for path in QUERIES} == {
        *("corrections", "failover", "flights", "network", "plan_race", "quotes"),
    }


@pytest.mark.parametrize("path", QUERIES, ids=named)
@pytest.mark.parametrize("form", ["tree", "json", "dot", "mermaid"])
def test_explains(capsys: pytest.CaptureFixture[str], path: Path, form: str) -> None:
    assert main(["explain", str(path), "--format", form]) == 0
    out, err = capsys.readouterr()
    assert out.strip()
    assert err == ""


@pytest.mark.parametrize("path", QUERIES, ids=named)
def test_compiles(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    assert main(["compile", str(path), "-o", "-"]) == 0
    out, _ = capsys.readouterr()
    compile(out, str(path), "exec")


@pytest.mark.parametrize("name", ["network", "quotes"])
def test_prepared_data_has_the_declared_columns(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    prepare = importlib.import_module(f"examples.{name}.prepare")
    monkeypatch.setattr(prepare, "DATA", tmp_path / "data")
    monkeypatch.setattr(prepare, "ROWS", 1_000)
    prepare.main()
    prepare.main()
    (file,) = (tmp_path / "data").iterdir()
    with file.open() as lines:
        header, *rows = list(csv.reader(lines))
    assert len(rows) == 1_000
    for path in EXAMPLES.glob(f"{name}/*.cql"):
        declared = path.read_text().split("(", 1)[1].split(" OPTIONS")[0]
        assert all(f"{column} " in declared for column in header)


@pytest.mark.slow
def test_the_flights_are_all_there_and_in_order(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("pyarrow")
    prepare = importlib.import_module("examples.flights.prepare")
    monkeypatch.setattr(prepare, "DATA", tmp_path)
    prepare.main()
    instants: list[str] = []
    for file in sorted((tmp_path / "flights").iterdir()):
        with file.open() as lines:
            instants += [row["ts"] for row in csv.DictReader(lines)]
    assert len(instants) == 336_776
    assert instants == sorted(instants)
    assert len(list((tmp_path / "weather").iterdir())) == 12
