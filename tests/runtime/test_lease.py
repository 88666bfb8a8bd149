"""One process at a time is at work on a checkpoint."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from reflow.runtime.ledger.lease import Taken, lease
from reflow.runtime.ledger.storage import Storage
from reflow.runtime.program import CheckpointError, RunOptions

from .running import Place, load

TEXT = """
CREATE STREAM s (t BIGINT, a INT, ORDER BY t) FROM CSV '/nowhere';
SELECT COUNT(*) AS n FROM s [RANGE 2] INTO MEMORY;
"""
HOLDER = """
import sys, time
from reflow.runtime.ledger.lease import lease
from reflow.runtime.ledger.storage import Storage
with lease(Storage(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_lease_keeps_others_out_until_it_ends(tmp_path: Path) -> None:
    root = Storage(str(tmp_path / "new"))
    for _ in range(2):
        with lease(root) as held:
            assert held
            with pytest.raises(Taken, match="another process"), lease(root):
                pass


def test_a_lease_ends_with_a_failure(tmp_path: Path) -> None:
    root = Storage(str(tmp_path))
    with pytest.raises(ValueError, match="fails"), lease(root):
        raise ValueError("fails")
    with lease(root) as held:
        assert held


def test_a_lease_ends_with_its_process(tmp_path: Path) -> None:
    """Killed, it leaves the file: whether it is locked is what counts."""
    root = Storage(str(tmp_path))
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
    with pytest.raises(Taken), lease(root):
        pass
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    with lease(root) as held:
        assert held


def test_a_second_run_is_refused_before_it_starts_anything(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with lease(Storage(str(tmp_path / "state"))):
        for rebuild in (False, True):
            with pytest.raises(CheckpointError, match="another process is at work"):
                load(TEXT).run(RunOptions(str(place.path("state")), drain=True, rebuild=rebuild))
    assert sorted(path.name for path in place.path("state").iterdir()) == ["run.lock"]
