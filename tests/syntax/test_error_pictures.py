"""Broken files and what is said about them: `tests/errors/syntax/NAME.cql` and `NAME.txt`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from reflow.compiler.syntax.build import read
from reflow.grammar.diagnostic import CqlError
from reflow.grammar.source import Source

BROKEN = sorted((Path(__file__).parents[1] / "errors" / "syntax").glob("*.cql"))


@pytest.mark.parametrize("file", BROKEN, ids=lambda file: file.stem)
def test_picture(file: Path, golden: Callable[[Path, str], None]) -> None:
    with pytest.raises(CqlError) as caught:
        read(Source(file.name, file.read_text(encoding="utf-8")))
    golden(file.with_suffix(".txt"), f"{caught.value}\n")
