"""The table of codes, the page about it and the calls agree."""

from __future__ import annotations

import re
from pathlib import Path

from reflow.compiler.bind.codes import CODES

ROOT = Path(__file__).parents[2]


def test_the_page_lists_every_code_of_the_binder() -> None:
    page = (ROOT / "docs" / "errors.md").read_text("utf-8")
    listed = dict(re.findall(r"(?m)^\| (RF[239]\d{3}) \| (.+?) \|", page))
    assert listed == dict(CODES)


def test_every_code_is_given_somewhere() -> None:
    folders = [ROOT / "compiler" / name for name in ("bind", "cases")]
    files = [path for folder in folders for path in folder.glob("*.py")]
    texts = [path.read_text("utf-8") for path in files if path.stem != "codes"]
    given = {code for text in texts for code in re.findall(r"RF\d{4}", text)}
    assert given == set(CODES)


def test_the_language_page_lists_all_that_is_not_available_yet() -> None:
    page = (ROOT / "docs" / "language.md").read_text("utf-8")
    listed = re.findall(r"(?m)^\| .+ \| (RF9\d{3}) \|$", page)
    assert listed == sorted(code for code in CODES if code.startswith("RF9"))


def test_both_pages_list_every_code_of_the_syntax() -> None:
    sources = [*(ROOT / "grammar").glob("*.py"), *(ROOT / "compiler" / "syntax").glob("*.py")]
    given = {c for path in sources for c in re.findall(r"RF\d{4}", path.read_text("utf-8"))}
    errors = (ROOT / "docs" / "errors.md").read_text("utf-8")
    assert set(re.findall(r"(?m)^\| (RF1\d{3}) \|", errors)) == given
    language = (ROOT / "docs" / "language.md").read_text("utf-8")
    rows = re.findall(r"(?m)^\| (RF1[^|]+) \|", language)
    assert {code for row in rows for code in row.split(", ")} == given
