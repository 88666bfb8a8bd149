"""Programs are Python that a formatter leaves as it is, and say the same each time."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from reflow.compiler.pipeline import compile_source, compile_text
from reflow.grammar.source import Source

FILES = sorted((Path(__file__).parents[1] / "golden").glob("*.cql"))

STREAM = "CREATE STREAM s (t BIGINT, a INT, b STRING, ORDER BY t) FROM CSV 'in';\n"


@cache
def program(path: Path) -> str:
    return compile_source(Source(path.name, path.read_text(encoding="utf-8"))).program_text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_program_compiles(path: Path) -> None:
    compile(program(path), path.name, "exec")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_lines_are_short(path: Path) -> None:
    too_long = [line for line in program(path).splitlines() if len(line) > 100]
    assert too_long == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_program_imports_only_the_runtime(path: Path) -> None:
    tree = ast.parse(program(path))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node).split()[1] for node in imports] == ["reflow.runtime.program"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_imported_name_is_used(path: Path) -> None:
    tree = ast.parse(program(path))
    [imported] = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert {alias.name for alias in imported.names} <= used


def test_the_formatter_changes_nothing(tmp_path: Path) -> None:
    for path in FILES:
        (tmp_path / path.with_suffix(".py").name).write_text(program(path), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length=100", "--diff", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_program_is_the_same_in_another_process() -> None:
    path = next(path for path in FILES if path.stem == "shared")
    code = (
        "import sys; from reflow.compiler.pipeline import compile_source;"
        "from reflow.grammar.source import Source;"
        "print(compile_source(Source('shared.cql', open(sys.argv[1]).read())).program_text, end='')"
    )
    root = Path(__file__).parents[2]
    texts = {
        subprocess.run(
            [sys.executable, "-c", code, str(path)],
            cwd=root,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert texts == {program(path)}


def test_text_of_the_user_cannot_leave_its_string() -> None:
    evil = "x\"'); import os #"
    text = (
        STREAM
        + f"""SELECT a, '{evil.replace("'", "''")}' AS b FROM s WHERE b <> '\\'
      INTO PARQUET 'out/{evil.replace("'", "''")}' AS CHANGELOG;"""
    )
    tree = ast.parse(compile_text(text).program_text)
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    paths = {
        keyword.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "path" and isinstance(keyword.value, ast.Constant)
    }
    assert f"out/{evil}" in paths


def test_long_expressions_are_broken_at_blanks() -> None:
    cases = " ".join(f"WHEN a = {i} THEN 'number {i}'" for i in range(30))
    text = STREAM + f"SELECT CASE {cases} END AS c FROM s [RANGE 5] WHERE a > 1 INTO CONSOLE;"
    result = compile_text(text).program_text
    assert max(len(line) for line in result.splitlines()) <= 100
    compile(result, "query.py", "exec")


def test_a_shared_part_is_made_once() -> None:
    path = next(path for path in FILES if path.stem == "shared")
    assert program(path).count("= group(") == 1
