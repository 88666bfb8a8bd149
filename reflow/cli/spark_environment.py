"""What Spark needs from the environment before it starts: a Java and a Python."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from .failure import Failure

JVM_FOLDERS = (Path("/usr/lib/jvm"), Path("/opt"))


def prepare(master: str | None) -> None:
    """Names this interpreter for Spark's Python workers and finds a Java where none is named."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    # A Spark Connect client starts no JVM.
    if (master or "").startswith("sc://") or os.environ.get("JAVA_HOME") or shutil.which("java"):
        return
    home = next(_java_homes(), None)
    if home is None:
        raise Failure(
            "no Java was found; Spark needs Java 17 or newer. Install it (on Debian or Ubuntu: "
            "sudo apt-get install openjdk-17-jre-headless) or set JAVA_HOME."
        )
    os.environ["JAVA_HOME"] = str(home)


def _java_homes() -> Iterator[Path]:
    for folder in JVM_FOLDERS:
        for program in sorted(folder.glob("*/bin/java"), reverse=True):
            yield program.resolve().parent.parent
