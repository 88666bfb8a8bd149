"""Whatever the grammar accepts is formatted, says the same, and is not changed a second time."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from sqlglot import exp

from reflow.compiler.syntax.build import read
from reflow.compiler.syntax.nodes.basic import Length
from reflow.grammar.format import formatter
from reflow.grammar.format.formatter import ChangedMeaning, format_source
from reflow.grammar.format.roles import Roles
from reflow.grammar.format.words import read_words
from reflow.grammar.source import Source, Span

ROOT = Path(__file__).parents[2]
FOLDERS = ("tests/grammar/accepted/*.cql", "tests/golden/*.cql", "examples/**/*.cql")
ACCEPTED = [*(ROOT / "tests/grammar/accepted").glob("*.cql")]
FILES = [file for folder in FOLDERS for file in sorted(ROOT.glob(folder))]

each = pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))


def spanless(node: object) -> object:
    """A syntax tree as plain values, without places."""
    if isinstance(node, Span):
        return None
    if isinstance(node, Length):  # keeps the text it was written as, units in any case
        return Length, node.microseconds, node.ticks, node.months, node.text.upper().split()
    if isinstance(node, exp.Expression):
        return type(node), {name: spanless(value) for name, value in node.args.items()}
    if dataclasses.is_dataclass(node) and not isinstance(node, type):
        names = [field.name for field in dataclasses.fields(node)]
        return type(node), [spanless(getattr(node, name)) for name in names]
    if isinstance(node, list | tuple):
        return [spanless(item) for item in node]
    return node


def statements(text: str) -> object:
    return spanless(read(Source("x.cql", text)).statements)


@each
def test_the_same_statements_and_nothing_to_do_twice(file: Path) -> None:
    text = file.read_text("utf-8")
    formatted = format_source(Source(file.name, text))
    assert statements(formatted) == statements(text)
    assert format_source(Source(file.name, formatted)) == formatted
    assert formatted.endswith("\n") and not formatted.endswith("\n\n")
    assert "\n\n\n" not in formatted


def test_other_statements_are_seen_as_other() -> None:
    assert statements("SELECT a FROM t") == statements("select  a from t")
    assert statements("SELECT a FROM t") != statements("SELECT b FROM t")
    assert statements("SELECT a + 1 FROM t") != statements("SELECT a + 2 FROM t")


@pytest.mark.parametrize("file", ACCEPTED, ids=lambda file: file.stem)
@pytest.mark.parametrize("comment", [" /* c */ ", " -- c\n", "\n-- c\n", "\n/* c\n c */\n"])
def test_a_comment_may_stand_between_any_two_words(file: Path, comment: str) -> None:
    text = file.read_text("utf-8")
    words = read_words(text).words
    full = comment.join(word.text for word in words)
    formatted = format_source(Source(file.name, full))
    assert formatted.count("c */" if "*" in comment else "-- c") == len(words) - 1
    assert format_source(Source(file.name, formatted)) == formatted


def test_a_formatter_that_would_change_a_token_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Roles.shown
    monkeypatch.setattr(
        Roles, "shown", lambda self, token: "b" if token == "a" else shown(self, token)
    )
    monkeypatch.setattr(
        formatter, "_essence", lambda found, roles: [str(word.token) for word in found.words]
    )
    with pytest.raises(ChangedMeaning, match="tokens"):
        format_source(Source("x.cql", "SELECT a FROM t"))


def test_a_formatter_that_would_lose_a_comment_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formatter, "_script", lambda words, layout: "SELECT a\nFROM t\n")
    with pytest.raises(ChangedMeaning, match="comments"):
        format_source(Source("x.cql", "SELECT a -- c\nFROM t"))
