"""What functions and aggregates give, from the types of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from .aggregate_table import AGGREGATES, AggregateFunction
from .calls import Call
from .ddl import read_type
from .functions import Function
from .types import (
    BIGINT,
    DOUBLE,
    INTEGRAL,
    STRING,
    UNKNOWN,
    Type,
    array,
    bounded_decimal,
    common,
    common_of,
)


def aggregate_type(call: Call, arguments: tuple[Type, ...]) -> Type | None:
    """What an aggregate gives; None where the arguments cannot be aggregated so."""
    entry = AGGREGATES[call.name]
    argument = arguments[0] if arguments else UNKNOWN
    if not _taken(entry, call, arguments):
        return None
    match entry.gives:
        case "BIGINT" | "DOUBLE" | "BOOLEAN":
            return Type(entry.gives)
        case "argument":
            return argument
        case "sum":
            return _sum(argument) if argument.family else UNKNOWN
        case "average":
            return _average(argument) if argument.family else UNKNOWN
        case "array":
            return array(argument)
        case "share":
            one = argument if entry.takes == "ordered" else DOUBLE
            several = len(arguments) > 1 and arguments[1].name == "ARRAY"
            return array(one) if several else one


def _taken(entry: AggregateFunction, call: Call, arguments: tuple[Type, ...]) -> bool:
    compared = {"map", "variant"}
    first, both = arguments[:1], arguments[:2]
    match entry.takes:
        case "any":
            distinct = call.distinct or call.name == "approx_count_distinct"
            return not distinct or all(each.family not in compared for each in arguments)
        case "ordered":
            by = both if entry.function in ("min_by", "max_by") else first
            return all(each.family not in compared for each in by)
        case "number":
            return all(each.family in {"", "numeric"} for each in first)
        case "whole":
            return all(not each.family or each.name in INTEGRAL for each in first)
        case "boolean":
            return all(each.family in {"", "boolean"} for each in first)
        case "pair":
            return all(each.family in {"", "numeric"} for each in both)


def _sum(argument: Type) -> Type:
    if argument.name in INTEGRAL:
        return BIGINT
    if argument.name == "DECIMAL":
        precision, scale = argument.numbers
        return bounded_decimal(precision + 10, scale)
    return DOUBLE if argument.family == "numeric" else argument


def _average(argument: Type) -> Type:
    if argument.name == "DECIMAL":
        precision, scale = argument.numbers
        return bounded_decimal(precision + 4, scale + 4)
    return DOUBLE if argument.family == "numeric" else argument


def call_type(function: Function, arguments: tuple[Type, ...]) -> Type:
    """The result of a scalar function; UNKNOWN where it depends on more than types."""
    special = _SPECIAL.get(function.name)
    if special is not None:
        return special(arguments)
    if function.result == "?":
        return UNKNOWN
    if function.result == "first":
        return _first(function.name, arguments)
    if function.result == "element":
        return arguments[0].of[0] if arguments and arguments[0].name == "ARRAY" else UNKNOWN
    return read_type(function.result)


def _first(name: str, arguments: tuple[Type, ...]) -> Type:
    if not arguments:
        return UNKNOWN
    first = arguments[0]
    if first.name == "DECIMAL" and name in {"round", "bround"}:
        return UNKNOWN
    if name in {"abs", "positive", "negative", "round", "bround"} and first == STRING:
        return DOUBLE
    if name == "reverse" and first.family not in {"string", "array"}:
        return UNKNOWN
    return first


def _concat(arguments: tuple[Type, ...]) -> Type:
    kinds = {a.family for a in arguments}
    if "" in kinds or "binary" in kinds:
        return UNKNOWN
    if "array" in kinds:
        return common_of(arguments) or UNKNOWN
    return STRING


def _whole(arguments: tuple[Type, ...]) -> Type:
    """CEIL and FLOOR to whole numbers."""
    if len(arguments) != 1 or arguments[0].family != "numeric":
        return UNKNOWN
    if arguments[0].name == "DECIMAL":
        precision, scale = arguments[0].numbers
        return bounded_decimal(precision - scale + 1, 0)
    return BIGINT


def _last_two(arguments: tuple[Type, ...]) -> Type:
    if len(arguments) != 3:
        return UNKNOWN
    return common(arguments[1], arguments[2]) or UNKNOWN


def _array(arguments: tuple[Type, ...]) -> Type:
    element = common_of(arguments)
    return array(element) if element is not None and element.known else UNKNOWN


def _at(arguments: tuple[Type, ...]) -> Type:
    whole = arguments[0] if arguments else UNKNOWN
    return whole.of[-1] if whole.name in {"ARRAY", "MAP"} else UNKNOWN


def _part_of_map(part: int) -> Callable[[tuple[Type, ...]], Type]:
    def result(arguments: tuple[Type, ...]) -> Type:
        whole = arguments[0] if arguments else UNKNOWN
        return array(whole.of[part]) if whole.name == "MAP" else UNKNOWN

    return result


_SPECIAL: Mapping[str, Callable[[tuple[Type, ...]], Type]] = MappingProxyType(
    {
        "concat": _concat,
        "ceil": _whole,
        "ceiling": _whole,
        "floor": _whole,
        "if": _last_two,
        "iff": _last_two,
        "nvl2": _last_two,
        "array": _array,
        "element_at": _at,
        "try_element_at": _at,
        "map_keys": _part_of_map(0),
        "map_values": _part_of_map(1),
    }
)
