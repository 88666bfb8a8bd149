"""Classes and methods of Java are asked for once, the values of fields each time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

from py4j.java_gateway import JVMView

from .gateway import remember_classes

CLASS, METHOD, NUMBER = "yca.B", "ym", "yi"
"""What Java answers, as py4j writes it."""
IS_CLASS: Final = "u"


class Java:
    """Knows one class, with a method and a field that counts; remembers what it was asked."""

    converters = None
    gateway_property = SimpleNamespace(pool=None)

    def __init__(self) -> None:
        self.asked: list[str] = []

    def send_command(self, command: str, *_: Any) -> str:
        _, kind, *names = command.split("\n")
        self.asked.append(names[0] if kind == IS_CLASS else names[1])
        if kind == IS_CLASS:
            return CLASS
        return METHOD if self.asked[-1] == "method" else f"{NUMBER}{len(self.asked)}"


def test_a_class_and_its_methods_are_asked_for_once_and_a_field_each_time() -> None:
    remember_classes()
    java = Java()
    view = JVMView(java, "view", "o1")
    assert view.B is view.B
    assert view.B.method is view.B.method
    assert java.asked == ["B", "method"]
    assert view.B.field != view.B.field
    assert java.asked == ["B", "method", "field", "field"]
