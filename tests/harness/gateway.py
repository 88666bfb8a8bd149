"""What PySpark asks Java for again and again, asked for once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from py4j.java_gateway import JavaClass, JavaMember, JVMView


def remember_classes() -> None:
    """From now on a view of Java keeps the classes that it was asked for, and a class its methods.

    For every list of columns PySpark asks for the class PythonUtils, which Java looks for in each
    of the packages that PySpark imports, and so in each of Spark's jars. What the names stand for
    does not change while a gateway is there.
    """
    for kind in (JVMView, JavaClass):
        kind.__getattr__ = _remembering(_ASKED[kind])


def _remembering(ask: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    def get(owner: Any, name: str) -> Any:
        found = ask(owner, name)
        # The value of a static field may change.
        if isinstance(found, JavaClass | JavaMember):
            owner.__dict__[name] = found
        return found

    return get


_ASKED: Final = {kind: kind.__getattr__ for kind in (JVMView, JavaClass)}
