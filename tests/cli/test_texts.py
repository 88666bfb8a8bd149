"""check, explain and compile on right and wrong texts."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from .call import call

RIGHT = """\
CREATE STREAM s (t BIGINT, x INT, ORDER BY t) FROM CSV 'data/s/';
CREATE QUERY q AS SELECT DISTINCT x FROM s [RANGE 10] INTO LOG 'q.log';
"""
WRONG = RIGHT.replace("DISTINCT x", "DISTINCT y")


@pytest.fixture
def right(tmp_path: Path) -> str:
    path = tmp_path / "right.cql"
    path.write_text(RIGHT)
    return str(path)


@pytest.fixture
def wrong(tmp_path: Path) -> str:
    path = tmp_path / "wrong.cql"
    path.write_text(WRONG)
    return str(path)


def test_check_reports_every_file(
    capsys: pytest.CaptureFixture[str], right: str, wrong: str
) -> None:
    result = call(capsys, "check", wrong, right, wrong)
    assert (result.status, result.out) == (2, f"{right}: ok\n")
    assert result.err.count("error[RF") == 2
    assert f"{wrong}:2:" in result.err


@pytest.mark.parametrize(
    "command", [["explain"], ["compile", "-o", "-"], ["run", "--checkpoint", "never-made"]]
)
def test_a_wrong_text_gives_status_2_and_nothing_else(
    capsys: pytest.CaptureFixture[str], wrong: str, command: list[str]
) -> None:
    result = call(capsys, *command, wrong)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("error[RF")
    assert not Path("never-made").exists()


def test_compile_writes_a_program(
    capsys: pytest.CaptureFixture[str], right: str, tmp_path: Path
) -> None:
    out = tmp_path / "q.py"
    assert call(capsys, "compile", right, "-o", str(out)).status == 0
    shown = call(capsys, "compile", right, "-o", "-").out
    assert out.read_text() == shown
    ast.parse(shown)
    assert "reflow.runtime.program" in shown
    assert "reflow.compiler" not in shown


def test_compile_into_a_missing_folder(
    capsys: pytest.CaptureFixture[str], right: str, tmp_path: Path
) -> None:
    result = call(capsys, "compile", right, "-o", str(tmp_path / "no" / "q.py"))
    assert result.status == 2
    assert result.err.startswith("reflow: ")


@pytest.mark.parametrize("form", ["tree", "json", "dot", "mermaid"])
def test_explain_forms(capsys: pytest.CaptureFixture[str], right: str, form: str) -> None:
    result = call(capsys, "explain", right, "--format", form)
    assert (result.status, result.err) == (0, "")
    assert result.out.endswith("\n")


def test_explain_json_has_the_documented_names(
    capsys: pytest.CaptureFixture[str], right: str
) -> None:
    page = json.loads(call(capsys, "explain", right, "--format", "json").out)
    pages = page if isinstance(page, list) else [page]
    for one in pages:
        assert {"query", "pattern", "nodes", "edges", "rewrites", "sinks"} <= set(one)
        for node in one["nodes"]:
            assert {"id", "op", "pattern", "state", "reason", "detail"} <= set(node)
        for edge in one["edges"]:
            assert {"from", "to", "pattern"} <= set(edge)


def test_explain_loads_neither_spark_nor_the_runtime(right: str) -> None:
    code = (
        "import sys; from reflow.cli import main; status = main(sys.argv[1:]);"
        "loaded = {'pyspark', 'reflow.runtime', 'pyarrow', 'rich'} & set(sys.modules);"
        "sys.exit(status or repr(loaded) if loaded else status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "explain", right], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
