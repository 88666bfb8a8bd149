"""Every drawn query is a text that the compiler takes."""

from __future__ import annotations

import pytest

from ..harness.engine import emitted
from .case import draw_case


@pytest.mark.parametrize("seed", range(20, 30))
def test_a_drawn_file_compiles(seed: int) -> None:
    case = draw_case(seed)
    program = emitted(case.text().replace("{dir}", "somewhere"))
    compile(program, "program.py", "exec")
    assert all(f'"{query.name}"' in program for query in case.queries)
