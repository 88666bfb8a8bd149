"""Documents that name files, commands and texts name those that there are."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from reflow.cli.app import parser
from reflow.compiler.pipeline import compile_text
from reflow.compiler.syntax.build import read
from reflow.grammar.source import Source

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*/README.md")])
TOPS = "grammar|compiler|runtime|reflow/cli|tests|docs|examples|benchmarks|scripts"

named = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```", page.read_text("utf-8"))


@named
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (page.parent / link).exists()] == []


@named
def test_files_that_are_named_exist(page: Path) -> None:
    paths = re.findall(rf"`((?:{TOPS})/[\w/.*-]*)`", page.read_text("utf-8"))
    real = [path for path in paths if "NAME" not in path]
    assert [path for path in real if not any(ROOT.glob(path.rstrip("/")))] == []


@named
def test_commands_are_taken_by_the_command_line(page: Path) -> None:
    lines = re.findall(r"(?m)^    (?:\.venv/bin/)?reflow (.+?)(?:  +#.*| &&.*)?$", page.read_text())
    for line in lines:
        if "[" not in line and "NAME" not in line:
            parser().parse_args(shlex.split(line))


@pytest.mark.parametrize("text", blocks(ROOT / "README.md", "sql"))
def test_the_query_of_the_front_page_compiles(text: str) -> None:
    assert compile_text(text).warnings == ()


@pytest.mark.parametrize("text", blocks(ROOT / "docs" / "language.md", "sql"))
def test_texts_of_the_language_page_are_cql(text: str) -> None:
    assert read(Source("page.cql", text)).statements


def test_every_rule_has_its_place_in_the_architecture() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    whole = page.replace("`…_", "`push_filter_below_")
    rules = {path.stem for path in (ROOT / "compiler/rewrite/rules").glob("[a-z]*.py")}
    assert {rule for rule in rules if f"`{rule}`" not in whole} == set()
