"""Where the conformance material lies."""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "conformance"

needs_material = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="no conformance material beside the repository"
)
