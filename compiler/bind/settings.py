"""SET: settings of Reflow, checked here, and of Spark, passed on; and those of a command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from reflow.compiler.syntax import nodes
from reflow.grammar.source import Source, Span
from reflow.grammar.value import value

from ..plan.settings import (
    EXECUTIONS,
    LENGTHS,
    MOST_PARTITIONS,
    ON_ANOMALY,
    ON_PROPERTY_VIOLATION,
    ORDERS,
    REVISE_WHEN,
    microseconds,
    ticks,
)
from .findings import Findings
from .names import listing, meant


class BadSetting(Exception):
    """A setting from outside the file is unknown or has a wrong value; `str` of it says why."""


@value
class Settings:
    """`pairs` are all of the file's settings as text; the rest are those that binding itself
    needs.
    """

    pairs: tuple[tuple[str, str], ...] = ()
    timezone: str = "UTC"
    unbounded_state: bool = False


def _zone(value: str) -> bool:
    # Here and not above: few files set a zone, and every start would pay for the import.
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo(value)
    except (ValueError, OSError, LookupError):
        return False
    return True


def _one_of(*words: str) -> tuple[Callable[[str], bool], str]:
    *rest, last = map(repr, words)
    wanted = f"{', '.join(rest)} or {last}"
    return lambda value: value in words, wanted


_LENGTH: tuple[Callable[[str], bool], str] = (
    lambda value: (ticks(value) or microseconds(value)) is not None,
    "an interval, such as '5 SECONDS', or a number of ticks",
)
_KNOWN: Mapping[str, tuple[Callable[[str], bool], str]] = MappingProxyType(
    {
        "timezone": (_zone, "the name of a time zone, such as 'Europe/Berlin'"),
        "unbounded_state": _one_of("refuse", "allow"),
        "optimizer": _one_of("on", "rules", "off"),
        "eager_interval": _LENGTH,
        "lazy_interval": _LENGTH,
        "max_delay": (
            lambda value: microseconds(value) is not None,
            "an interval of the clock, such as '5 SECONDS'",
        ),
        "expiry_partitions": (
            lambda value: 0 < (ticks(value) or 0) <= MOST_PARTITIONS,
            f"a whole number from 1 to {MOST_PARTITIONS}",
        ),
        "expiry_order": _one_of(*ORDERS),
        "execution": _one_of(*EXECUTIONS),
        "on_anomaly": _one_of(*ON_ANOMALY),
        "on_property_violation": _one_of(*ON_PROPERTY_VIOLATION),
        "revise_when": _one_of(*REVISE_WHEN),
        "feedback": _one_of("on", "off"),
    }
)
# Spark's settings that would say otherwise than ours.
_OURS = {"spark.sql.session.timezone": "timezone"}


def checked_overrides(settings: Mapping[str, str]) -> dict[str, str]:
    """Reflow's settings from a command line, by their names in lower case. Raises BadSetting."""
    found: dict[str, str] = {}
    for given, setting in settings.items():
        name = given.lower()
        if name in _OURS:
            raise BadSetting(f"`{given}` follows from `{_OURS[name]}`")
        if name not in _KNOWN:
            known = f"{listing(tuple(_KNOWN), len(_KNOWN))}, or a setting of Spark (`spark.…`)"
            raise BadSetting(f"there is no setting `{given}`; expected {known}")
        allows, wanted = _KNOWN[name]
        if not allows(setting):
            raise BadSetting(f"{setting!r} is not a value of `{name}`; expected {wanted}")
        found[name] = setting
    return found


def is_of_spark(name: str) -> bool:
    """Whether a setting is passed on to the Spark session."""
    return name.startswith("spark.") and name.lower() not in _OURS


def read_settings(
    script: nodes.Script,
    source: Source,
    findings: Findings,
    overrides: Mapping[str, str] = MappingProxyType({}),
) -> Settings:
    """All SET statements of a file; the last of a name counts, and `overrides` win over all."""
    values: dict[str, str] = {}
    for statement in script.statements:
        if isinstance(statement, nodes.SetSetting):
            name = statement.name if statement.name.startswith("spark.") else statement.name.lower()
            if _checked(name, statement, source, findings):
                values[name] = text_of(statement.value)
    values |= overrides
    return Settings(
        tuple(sorted(values.items())),
        values.get("timezone", "UTC"),
        values.get("unbounded_state") == "allow",
    )


def check_lengths(
    script: nodes.Script,
    source: Source,
    timestamps: bool,
    findings: Findings,
    overrides: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Lengths of the streams' time are of the kind of their clock. Raises BadSetting for one from
    outside.
    """
    for name in LENGTHS:
        text = overrides.get(name)
        if text is not None and (ticks(text) is None) != timestamps:
            kind = "timestamps" if timestamps else "ticks"
            raise BadSetting(f"{text!r} is no `{name}`: the streams are ordered by {kind}")
    for statement in script.statements:
        if not isinstance(statement, nodes.SetSetting) or statement.name.lower() not in LENGTHS:
            continue
        text = text_of(statement.value)
        if (ticks(text) is None) == timestamps or not _KNOWN[statement.name.lower()][0](text):
            continue
        kind = "timestamps" if timestamps else "ticks"
        findings.error(
            "RF3002",
            f"the streams of this file are ordered by {kind}",
            _value_place(statement, source),
            "an interval, such as '5 SECONDS'" if timestamps else "a number, such as 100",
        )


def _checked(name: str, statement: nodes.SetSetting, source: Source, findings: Findings) -> bool:
    if is_of_spark(name):
        return True
    if name.lower() in _OURS:
        own = _OURS[name.lower()]
        message = f"`{statement.name}` follows from `{own}`"
        place = _name_place(statement, source)
        findings.error("RF2013", message, place, hint=f"write SET {own} = …")
        return False
    if name not in _KNOWN:
        findings.error(
            "RF2013",
            f"there is no setting `{statement.name}`",
            _name_place(statement, source),
            f"{listing(tuple(_KNOWN), len(_KNOWN))}, or a setting of Spark (`spark.…`)",
            meant(name, tuple(_KNOWN)),
        )
        return False
    allows, wanted = _KNOWN[name]
    if not allows(text_of(statement.value)):
        findings.error(
            "RF2013",
            f"{text_of(statement.value)!r} is not a value of `{name}`",
            _value_place(statement, source),
            wanted,
        )
        return False
    return True


def _name_place(statement: nodes.SetSetting, source: Source) -> Span:
    start = source.text.find(statement.name, statement.span.start, statement.span.end)
    return statement.span if start < 0 else Span(start, start + len(statement.name))


def _value_place(statement: nodes.SetSetting, source: Source) -> Span:
    """What follows the sign `=`."""
    equal = source.text.find("=", statement.span.start, statement.span.end)
    written = source.text[equal + 1 : statement.span.end]
    return Span(statement.span.end - len(written.lstrip()), statement.span.end)


def text_of(value: str | int | float | bool) -> str:
    """A setting or an option as the text that Spark takes."""
    return str(value).lower() if isinstance(value, bool) else str(value)
