"""Immutable values: frozen dataclasses that are quick to make.

`dataclass(frozen=True)` writes and compiles seven methods for each class whenever its module is
loaded; over the nodes and steps of the compiler that was a tenth of the time of `reflow explain`.
Here only `__init__` is written; the classes share the others, which go by the names of the fields.
"""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, fields
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def value(cls: type[T]) -> type[T]:
    """The class as a frozen dataclass. Methods that it has already stay.

    Equal are values of one class with equal fields; fields with `compare=False` do not count.
    """
    if cls.__doc__ is None:
        # Or dataclass would write the signature there, which takes as long as all the rest.
        cls.__doc__ = cls.__name__
    made = dataclass(eq=False, repr=False)(cls)
    listed = fields(made)  # type: ignore[arg-type]
    shared = {
        "_compared": tuple(each.name for each in listed if each.compare),
        "__eq__": _equal,
        "__hash__": _hash,
        "__repr__": _shown,
        "__setattr__": _set_once,
        "__delattr__": _refused,
    }
    for name, method in shared.items():
        if name not in cls.__dict__:
            setattr(made, name, method)
    return made


def _values(self: Any) -> tuple[object, ...]:
    own = self.__dict__
    return tuple(own[name] for name in self._compared)


def _equal(self: Any, other: object) -> bool:
    return self is other or (type(self) is type(other) and _values(self) == _values(other))


def _hash(self: Any) -> int:
    return hash(_values(self))


def _shown(self: Any) -> str:
    listed = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
    return f"{type(self).__qualname__}({listed})"


def _set_once(self: Any, name: str, new: object) -> None:
    """`__init__` sets each field; nobody sets one again."""
    if name in self.__dict__ or name not in self.__dataclass_fields__:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    self.__dict__[name] = new


def _refused(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
