"""The page of `explain --format html`: whole, self-contained, and alive in a browser."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from reflow.cli.app import main
from reflow.compiler.pipeline import compile_text, explain

from ..golden.test_golden import FOLDER

TEXTS = sorted(FOLDER.glob("*.cql"))
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
_OPEN = {"meta", "rect", "path", "br"}


class _Page(HTMLParser):
    """Tags with their attributes; a tag that is not closed is an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in _OPEN:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag


def test_a_sink_shows_how_far_inputs_of_its_query_reach() -> None:
    text = (FOLDER / "lineage.cql").read_text("utf-8")
    page = explain(compile_text(text), "html")
    assert "an input of news at t reaches outputs in [t, t + 10 MINUTES)" in page
    # One query reads the trades, which are not kept, alone.
    assert page.count("<dt>lineage</dt>") == text.count("CREATE QUERY") - 1


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_every_operator_has_its_place_and_its_details(path: Path) -> None:
    compiled = compile_text(path.read_text("utf-8"), path.stem)
    page = _Page(explain(compiled, "html"))
    steps = {step.id for step in compiled.physical.steps}
    nodes = {a["data-id"] for tag, a in page.found if tag == "a" and "data-id" in a}
    details = {a["id"] for tag, a in page.found if tag == "section"}
    assert nodes == details == steps
    links = [a[name] for _, a in page.found for name in ("src", "href") if a.get(name)]
    assert all(link is not None and link.startswith("#") for link in links)


def test_boxes_do_not_cover_each_other() -> None:
    text = (FOLDER / "shared.cql").read_text("utf-8")
    page = explain(compile_text(text, "shared"), "html")
    boxes = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="(\d+)" height="(\d+)"', page)
    places = [tuple(map(float, box)) for box in boxes]
    for i, (x, y, width, height) in enumerate(places):
        for other_x, other_y, _, _ in places[i + 1 :]:
            assert abs(x - other_x) >= width or abs(y - other_y) >= height


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_a_browser_shows_what_is_chosen(tmp_path: Path) -> None:
    text, page = FOLDER / "shared.cql", tmp_path / "page.html"
    assert main(["explain", str(text), "--format", "html", "-o", str(page)]) == 0
    compiled = compile_text(text.read_text("utf-8"), "shared")
    chosen = compiled.physical.steps[-1].id
    command = [str(CHROMIUM), *_QUIET, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    shown = subprocess.run(
        [*command, f"{page.as_uri()}#{chosen}"], capture_output=True, text=True, timeout=120
    ).stdout
    current = re.findall(r'data-id="(\w+)"[^>]*aria-current="true"', shown)
    assert current == [chosen]
    assert re.search(r'data-zoom="\d\.\d\d"', shown)
    assert f'<span data-id="{chosen}" class="here">' in shown
    assert 'data-query="" aria-pressed="true"' in shown
