"""The program of the checkpoint, and what its folders hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ...runtime.running import Place
from ..call import Result

Archive: TypeAlias = Callable[..., Result]
"""`reflow archive`: a command, a checkpoint, more arguments."""

TEXT = """
CREATE STREAM s (t BIGINT, id INT, a INT, op STRING, KEY (id), ORDER BY t)
  FROM CSV '{dir}/s' OPTIONS (maxFilesPerTrigger = '1')
  REVISIONS BY op (INSERT 'c', REPLACE 'u', DELETE 'd') ARCHIVE KEEP 1000;
CREATE STREAM z (t BIGINT, b INT, ORDER BY t) FROM CSV '{dir}/z' OPTIONS (maxFilesPerTrigger = '1');
CREATE NRR names (k INT, label STRING, KEY (k)) FROM CSV '{dir}/names';
CREATE QUERY counted AS SELECT a, COUNT(*) AS n FROM s [RANGE 50] GROUP BY a INTO PARQUET '{dir}/c';
CREATE QUERY named AS SELECT z.b, n.label FROM z [RANGE 2], names AS n WHERE z.b = n.k
  INTO PARQUET '{dir}/n' AS CHANGELOG;
"""
EPOCHS = 6


@dataclass
class Made:
    """A checkpoint after a run, and the same with an epoch behind it that died."""

    place: Place
    whole: Path
    killed: Path


def manifests(checkpoint: Path) -> list[Path]:
    files = (checkpoint / "reflow" / "epochs").glob("*.json")
    return sorted(path for path in files if not path.name.endswith(".intent.json"))


def head(checkpoint: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(manifests(checkpoint)[-1].read_text())
    return found


def rewrite_head(checkpoint: Path, change: Callable[[dict[str, Any]], None]) -> None:
    page = head(checkpoint)
    change(page)
    manifests(checkpoint)[-1].write_text(json.dumps(page))


def bucket(checkpoint: Path, revised: bool = False) -> dict[str, Any]:
    """A file of the archive of `s`, as the newest manifest names it."""
    files = head(checkpoint)["archive"]["s"]["files"]
    found: dict[str, Any] = next(file for file in files if file["revised"] == revised)
    return found


def faults(result: Result) -> list[tuple[str, str]]:
    return [(fault["wrong"], fault["file"]) for fault in json.loads(result.out)["faults"]]


def bucket_files(checkpoint: Path) -> set[str]:
    """All files that manifests may name, with the checksums beside them."""
    folder = checkpoint / "reflow"
    return {
        str(path.relative_to(folder))
        for kind in ("archive", "landing", "nrr", "state")
        for path in (folder / kind).rglob("*")
        if path.is_file()
    }
