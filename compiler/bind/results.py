"""What functions and aggregates give, from the types of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

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


def aggregate_type(name: str, argument: Type) -> Type | None:
    """COUNT, SUM, AVG, MIN, MAX; None where the argument cannot be aggregated so."""
    if name == "count":
        return BIGINT
    if name in {"min", "max"}:
        return None if argument.family in {"map", "variant"} else argument
    if argument.family not in {"", "numeric", "interval"}:
        return None
    if not argument.family:
        return UNKNOWN
    return _sum(argument) if name == "sum" else _average(argument)


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
