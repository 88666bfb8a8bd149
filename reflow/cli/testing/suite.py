"""All cases, one after the other, in one Spark session."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from reflow.compiler.cases import Case

from ..texts import write_text
from .collect import Ready
from .junit import junit
from .outcome import Outcome, Trouble
from .report import Reporter

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUICK: Final = {
    # Every program is another one: compiling its code, in Spark or well in Java, never pays off.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # Every hash map and every sort takes a page at once, of 16 MB and more if Spark may choose.
    "spark.buffer.pageSize": "1m",
    # With the first compiler alone, Java keeps 48 MB for code, which many programs fill: then it
    # compiles no more and interprets what is new.
    "spark.driver.extraJavaOptions": (
        "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC"
    ),
}
"""Spark settings of a process that runs programs for a short time each."""

SETTINGS = {
    # A case has a handful of rows: one task does what more would only share out.
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    **QUICK,
}


def run_all(cases: Sequence[Ready], master: str | None, junit_path: str | None) -> bool:
    """Runs the cases and tells of each; whether all passed. No case at all is none that failed."""
    started = time.monotonic()
    reporter = Reporter()
    outcomes: list[Outcome] = []
    spark = _session(master) if any(ready.case.program for ready in cases) else None
    for ready in cases:
        outcome = _outcome(ready, spark)
        reporter.case(outcome)
        outcomes.append(outcome)
    seconds = time.monotonic() - started
    reporter.summary(outcomes, seconds)
    if junit_path is not None:
        write_text(junit_path, junit(outcomes, seconds))
    return all(outcome.passed for outcome in outcomes)


def _session(master: str | None) -> SparkSession:
    from .. import spark_environment

    spark_environment.prepare(master)

    from reflow.runtime.run.session import open_session

    # Its errors are told where they belong: at the rows, or at the case.
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL + 1)
    return open_session("reflow test", master, SETTINGS, "UTC")


def _outcome(ready: Ready, spark: SparkSession | None) -> Outcome:
    case = ready.case
    if not case.program or spark is None:
        return _compiled(case)

    from .play import play

    try:
        return play(case, spark, ready.folder)
    except Exception:
        # A bug of the engine is a failure of this case; the others still run.
        return Outcome(case, 0.0, (Trouble(case.place, traceback.format_exc().rstrip()),))


def _compiled(case: Case) -> Outcome:
    """A case of which there is nothing to run: its errors were asserted, or are its failure."""
    if case.as_asserted:
        return Outcome(case, 0.0)
    if not case.codes:
        return Outcome(case, 0.0, (Trouble(case.place, case.errors),))
    wanted = ", ".join(case.codes)
    got = f"got these errors:\n\n{case.errors}" if case.errors else "it compiles"
    return Outcome(case, 0.0, (Trouble(case.place, f"asserted {wanted}, but {got}"),))
