"""Cutting plan text at commas and words that stand outside brackets and quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator

_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`|\"[^\"]*\"")


def split_list(text: str) -> list[str]:
    """The parts between top-level commas, stripped; nothing for blank text."""
    cuts = [i for i in _outside(text) if text[i] == ","]
    starts, ends = [0, *(i + 1 for i in cuts)], [*cuts, len(text)]
    parts = [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    return [part for part in parts if part]


def clauses(text: str, *words: str) -> tuple[str, dict[str, str]]:
    """What stands before the first of the words, and what follows each word that occurs.

    The words are looked for in their order; each must stand alone and outside brackets.
    """
    free = set(_outside(text))
    found: list[tuple[str, int, int]] = []
    start = 0
    for word in words:
        for match in re.finditer(rf"(?:\A|(?<=\s)){word}(?=\s|\Z)", text):
            if match.start() in free and match.start() >= start:
                found.append((word, match.start(), match.end()))
                start = match.end()
                break
    if not found:
        return text.strip(), {}
    ends = [begin for _, begin, _ in found[1:]] + [len(text)]
    head = text[: found[0][1]].strip()
    return head, {
        w: text[after:end].strip() for (w, _, after), end in zip(found, ends, strict=True)
    }


def name_of(text: str) -> str:
    """A name without its backquotes."""
    text = text.strip()
    if text.startswith("`"):
        return text[1:-1].replace("``", "`")
    return text


def _outside(text: str) -> Iterator[int]:
    """The positions outside all quotes and brackets."""
    hidden = {i for match in _QUOTED.finditer(text) for i in range(*match.span())}
    depth = 0
    for i, char in enumerate(text):
        if i in hidden:
            continue
        depth -= char in ")]"
        if depth == 0:
            yield i
        depth += char in "(["
