"""What is said about wrong files of tests: `NAME.cql` and `NAME.txt`, case by case."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from reflow.compiler.cases import read_cases
from reflow.grammar.source import Source

FOLDER = Path(__file__).parent
WRONG = sorted(FOLDER.glob("*.cql"))


def read_script(path: str) -> Source:
    whole = FOLDER / path
    return Source(path, whole.read_bytes().decode("utf-8"))


@pytest.mark.parametrize("file", WRONG, ids=lambda file: file.stem)
def test_picture(file: Path, golden: Callable[[Path, str], None]) -> None:
    source = Source(file.name, file.read_text(encoding="utf-8"))
    cases = read_cases(source, read_script, "folder")
    texts = [f"== {case.name}\n{case.errors or 'no errors'}\n" for case in cases]
    assert any(case.errors for case in cases)
    golden(file.with_suffix(".txt"), "\n".join(texts))
