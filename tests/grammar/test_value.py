"""Values are frozen dataclasses in all that can be seen of them."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace

import pytest

from reflow.grammar.value import value


@value
class Pair:
    """Two fields, one with a default."""

    left: int
    right: tuple[str, ...] = ()


@value
class Other:
    left: int
    right: tuple[str, ...] = ()


@value
class Placed:
    name: str
    place: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True)
class Model:
    left: int
    right: tuple[str, ...] = ()


def test_a_value_is_made_as_a_dataclass_is() -> None:
    assert Pair(1) == Pair(left=1, right=())
    assert repr(Pair(1, ("a",))) == repr(Model(1, ("a",))).replace("Model", "Pair")
    assert replace(Pair(1), left=2) == Pair(2)
    assert [each.name for each in fields(Pair)] == ["left", "right"]  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Pair()  # type: ignore[call-arg]
    match Pair(3, ("b",)):
        case Pair(left, right=("b",)):
            assert left == 3


def test_equal_fields_of_one_class_are_equal_and_have_one_hash() -> None:
    assert Pair(1, ("a",)) != Pair(1)
    assert Pair(1) != Other(1)
    assert {Pair(1): "first"}[Pair(1, ())] == "first"
    assert Placed("a", 1) == Placed("a", 2)
    assert hash(Placed("a", 1)) == hash(Placed("a", 2))
    assert repr(Placed("a", 1)) == "Placed(name='a')"


def test_nothing_can_be_changed() -> None:
    one = Pair(1)
    with pytest.raises(FrozenInstanceError):
        one.left = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        one.more = 2  # type: ignore[attr-defined]
    with pytest.raises(FrozenInstanceError):
        del one.left
    assert one == Pair(1)


def test_copies_are_equal() -> None:
    one = Pair(1, ("a",))
    assert copy.deepcopy(one) == one
    assert pickle.loads(pickle.dumps(one)) == one
