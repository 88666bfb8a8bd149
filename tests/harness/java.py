"""Java's options for the Sparks that tests start."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Final

from reflow.cli.testing.suite import QUICK

_OPTIONS: Final = "spark.driver.extraJavaOptions"
# Hadoop starts `chmod` for every file and folder that it makes, some 20 in an epoch of one query.
# Java by itself starts another program that starts it.
_FORK: Final = (
    "-Djdk.lang.Process.launchMechanism=VFORK" if sys.platform.startswith("linux") else ""
)


def quick(*options: str) -> Mapping[str, str]:
    """The settings of `reflow test`, with further options of Java."""
    return {**QUICK, _OPTIONS: " ".join(filter(None, [QUICK[_OPTIONS], _FORK, *options]))}
