"""Every wrong file gives exactly the errors of its golden text; every code has one."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from reflow.compiler.bind import bind
from reflow.compiler.bind.codes import CODES
from reflow.compiler.syntax.build import read_what_can_be
from reflow.grammar.diagnostic import CqlError
from reflow.grammar.source import Source

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob("*.cql"))
# Warnings, and what the grammar refuses before the binder sees it: tests/bind has those.
ELSEWHERE = {"RF2009", "RF2012", "RF3105", "RF3201", "RF3302", "RF3304"}


def errors_of(path: Path) -> CqlError:
    source = Source(path.name, path.read_text("utf-8"))
    with pytest.raises(CqlError) as caught:
        bind(source, read_what_can_be(source), path.stem)
    return caught.value


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_wrong_file_gives_its_picture(path: Path, golden: Callable[[Path, str], None]) -> None:
    golden(path.with_suffix(".txt"), f"{errors_of(path)}\n")


def test_every_code_has_a_picture() -> None:
    shown = {
        code
        for folder in (FOLDER, FOLDER.parent / "trials")
        for path in folder.glob("*.txt")
        for code in re.findall(r"\[(RF\d{4})\]", path.read_text("utf-8"))
    }
    assert set(CODES) - ELSEWHERE <= shown
