"""One page: its text and its examples, read from its file."""

from __future__ import annotations

import re
from importlib.resources import files

from reflow.grammar.value import value

from .titles import titles

DECLARATIONS = """\
CREATE STREAM quotes (ts TIMESTAMP, symbol STRING, price DOUBLE, ORDER BY ts) FROM CSV 'quotes/';
CREATE STREAM trades (ts TIMESTAMP, symbol STRING, side STRING, ORDER BY ts) FROM JSON 'trades/';
CREATE NRR companies (symbol STRING, name STRING, KEY (symbol)) FROM CSV 'companies.csv';
"""
"""What stands before every example."""

_NOT_YET = "RF9"
_NOT_YET_TEXT = """\
The language has it, and Reflow does not do it yet: the statement is read and refused. The pages
docs/language.md and CHANGELOG.md say what works.
"""


@value
class Page:
    """`wrong` and `right` are an error's examples, `example` a rewrite's; None: there is none."""

    name: str
    title: str
    text: str
    wrong: str | None = None
    right: str | None = None
    example: str | None = None


def known() -> list[str]:
    """The names of all pages, in the order of the book."""
    return list(titles())


def page(name: str) -> Page:
    """The page of a code or a rewrite; KeyError for any other name."""
    title = titles()[name]
    if name.startswith(_NOT_YET):
        return Page(name, f"{title}: not available yet", _NOT_YET_TEXT)
    content = files(__package__).joinpath("pages", f"{name}.md").read_text("utf-8")
    text, *rest = re.split(r"(?m)^## (\w+)\n\n", content)
    examples = {
        kind.lower(): _sql(block) for kind, block in zip(rest[::2], rest[1::2], strict=True)
    }
    return Page(name, title, text.strip() + "\n", **examples)


def _sql(block: str) -> str:
    found = re.search(r"(?ms)^```sql\n(.*?)^```", block)
    assert found is not None, "a page's example is a block of SQL"
    return found.group(1)
