"""spark-submit runs a compiled program, in a process that never sees the compiler."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..harness.engine import emitted
from .running import Place

ROOT = Path(__file__).resolve().parents[2]
SUBMIT = Path(sys.executable).parent / "spark-submit"
TEXT = """
CREATE STREAM s (t BIGINT, x INT, ORDER BY t) FROM CSV '{dir}/in/';
CREATE QUERY q AS SELECT x FROM s [RANGE 10] INTO LOG '{dir}/q.log';
"""
WITHOUT_COMPILER = """
import sys
sys.modules.update(dict.fromkeys(["reflow.compiler", "reflow.grammar", "lark", "sqlglot"]))
"""
"""None in sys.modules: an import fails."""


@pytest.mark.slow
@pytest.mark.spark
def test_a_compiled_program_is_submitted(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.put("in/1.csv", "1,5", "20,6")
    program = place.path("program.py")
    head, separator, body = emitted(TEXT.replace("{dir}", str(tmp_path))).partition('"""\n\nfrom')
    program.write_text(f'{head}"""\n{WITHOUT_COMPILER}\nfrom{body}')
    assert separator
    command = [str(SUBMIT), "--master", "local[1]", str(program)]
    done = subprocess.run(
        [*command, "--checkpoint", str(place.path("state")), "--drain", "--quiet"],
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert '"epochs": 2' in done.stdout
    assert place.path("q.log").read_text() == "[1]:+:5\n[11]:-:5\n[20]:+:6\n"
