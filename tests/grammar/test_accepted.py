"""Every form of the language parses and is built."""

from __future__ import annotations

from pathlib import Path

import pytest

from reflow.compiler.syntax.build import read
from reflow.grammar.source import Source

ACCEPTED = sorted(Path(__file__).with_name("accepted").glob("*.cql"))
STATEMENTS = {
    "sources": 25,
    "queries": 57,
    "windows": 16,
    "papers": 9,
    "stream_cql": 19,
    "trials": 25,
}


@pytest.mark.parametrize("file", ACCEPTED, ids=lambda file: file.stem)
def test_accepted(file: Path) -> None:
    script = read(Source(file.name, file.read_text(encoding="utf-8")))
    assert len(script.statements) == STATEMENTS[file.stem]


@pytest.mark.parametrize("text", ["", ";", ";;", " \n", "-- only a comment", "/* ; */"])
def test_nothing_is_an_empty_script(text: str) -> None:
    assert read(Source("x", text)).statements == ()
