"""Fixtures of rewrites: `-- title:` and plan texts, `----` between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Fixture:
    """`name` is the file's, `texts` the plans in their order."""

    name: str
    title: str
    texts: tuple[str, ...]


def fixtures(folder: Path) -> Iterator[Fixture]:
    for path in sorted(folder.glob("*.txt")):
        for part in re.split(r"^-- title: ", path.read_text(encoding="utf-8"), flags=re.M)[1:]:
            title, _, body = part.partition("\n")
            yield Fixture(path.stem, title, tuple(body.split("----\n")))
