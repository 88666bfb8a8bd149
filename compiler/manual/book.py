"""The whole manual as one text."""

from __future__ import annotations

from .page import DECLARATIONS, known, page
from .shown import shown

_HEAD = """\
# The manual of errors, warnings and rewrites

Written by `reflow rule --all`. The examples stand after these declarations:
"""


def everything() -> str:
    """All pages in order; the RF9xxx, which share their text, as one list."""
    pages = [page(name) for name in known()]
    waiting = [each for each in pages if each.name.startswith("RF9")]
    parts = [_HEAD + f"\n```sql\n{DECLARATIONS}```\n"]
    parts += [_lower(shown(each)) for each in pages if each not in waiting]
    if waiting:
        lines = "\n".join(f"* {each.name}: {each.title}" for each in waiting)
        parts.append(f"## Not available yet\n\n{waiting[0].text}\n{lines}\n")
    return "\n".join(parts)


def _lower(text: str) -> str:
    """Headings one level down."""
    return "".join(
        f"#{line}" if line.startswith("#") else line for line in text.splitlines(keepends=True)
    )
