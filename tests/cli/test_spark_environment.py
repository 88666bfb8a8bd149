"""Spark is told which Python and which Java to use."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from reflow.cli import spark_environment
from reflow.cli.failure import Failure


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An environment without Java; what is put into the folder is found."""
    for name in ("JAVA_HOME", "PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(spark_environment, "JVM_FOLDERS", (tmp_path / "jvm",))
    return tmp_path / "jvm"


def test_workers_use_this_interpreter(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spark_environment.prepare("sc://somewhere")
    assert spark_environment.os.environ["PYSPARK_PYTHON"] == sys.executable


def test_a_java_that_is_not_on_the_path(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = bare / "java-17" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.touch()
    spark_environment.prepare(None)
    assert spark_environment.os.environ["JAVA_HOME"] == str(bare / "java-17")


def test_no_java(bare: Path) -> None:
    with pytest.raises(Failure, match="Java 17 or newer"):
        spark_environment.prepare("local[2]")
