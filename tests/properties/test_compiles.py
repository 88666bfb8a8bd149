"""Every drawn query is a text that the compiler takes."""

from __future__ import annotations

import pytest

from ..harness.engine import emitted
from .case import Form, draw_case

DRAWN: list[tuple[Form, int]] = [
    *(("nested", seed) for seed in range(20, 30)),
    *(("mixed", seed) for seed in range(100, 110)),
]


@pytest.mark.parametrize(("form", "seed"), DRAWN)
def test_a_drawn_file_compiles(form: Form, seed: int) -> None:
    case = draw_case(seed, form)
    program = emitted(case.text().replace("{dir}", "somewhere"))
    compile(program, "program.py", "exec")
    assert all(f'"{query.name}"' in program for query in case.queries)
