"""Outcomes as JUnit XML, for the servers that build and test."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, tostring

from rich.console import Console

from .outcome import Outcome
from .report import Reporter


def junit(outcomes: Sequence[Outcome], seconds: float) -> str:
    """A suite a file, a case a case; the difference is the text of a failure."""
    top = Element("testsuites", _counts(outcomes, seconds))
    for path, group in groupby(outcomes, key=lambda outcome: outcome.case.place.path):
        of_file = list(group)
        spent = sum(outcome.seconds for outcome in of_file)
        suite = SubElement(top, "testsuite", {"name": path, **_counts(of_file, spent)})
        for outcome in of_file:
            _add(suite, outcome)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(top, encoding="unicode") + "\n"


def _counts(outcomes: Sequence[Outcome], seconds: float) -> dict[str, str]:
    failed = sum(not outcome.passed for outcome in outcomes)
    return {"tests": str(len(outcomes)), "failures": str(failed), "time": f"{seconds:.3f}"}


def _add(suite: Element, outcome: Outcome) -> None:
    case = outcome.case
    attributes = {
        "classname": case.place.path,
        "name": case.name,
        "file": case.place.path,
        "line": str(case.place.line),
        "time": f"{outcome.seconds:.3f}",
    }
    element = SubElement(suite, "testcase", attributes)
    if not outcome.passed:
        message = f"line {outcome.failures[0].place.line}"
        SubElement(element, "failure", {"message": message}).text = _printable(outcome)


def _printable(outcome: Outcome) -> str:
    """What the terminal shows, without the characters that XML cannot hold."""
    out = StringIO()
    Reporter(Console(file=out, width=200, color_system=None)).case(outcome)
    text = out.getvalue()
    return "".join(char for char in text if char in "\n\t" or ord(char) >= 0x20)
