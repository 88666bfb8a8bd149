"""Settings that follow the size of an epoch."""

from __future__ import annotations

from typing import Any

import pytest

from reflow.runtime.epoch.tuning import (
    BY_EPOCH_SIZE,
    ROWS_AS_THEY_ARE,
    SMALL_EPOCH,
    is_cut,
    is_small,
    tune,
)


class Session:
    """What `tune` asks of a session: which settings were given at its start, and its own."""

    def __init__(self, *given: str) -> None:
        self._given = given
        self.settings: dict[str, str] = {}

    @property
    def sparkContext(self) -> Session:
        return self

    @property
    def conf(self) -> Session:
        return self

    def getConf(self) -> Session:
        return self

    def contains(self, name: str) -> bool:
        return name in self._given

    def set(self, name: str, value: str) -> None:
        self.settings[name] = value


@pytest.mark.parametrize(("rows", "which"), [(0, 0), (SMALL_EPOCH, 0), (SMALL_EPOCH + 1, 1)])
def test_settings_follow_the_rows(rows: int, which: int) -> None:
    session: Any = Session()
    tune(session, is_small(rows))
    assert session.settings == {name: values[which] for name, values in BY_EPOCH_SIZE.items()}


def test_what_the_user_has_set_stays() -> None:
    session: Any = Session(*BY_EPOCH_SIZE)
    tune(session, True)
    assert session.settings == {}


@pytest.mark.parametrize(
    ("rows", "master", "cut"),
    [
        (ROWS_AS_THEY_ARE, "local[2]", True),
        (ROWS_AS_THEY_ARE + 1, "local[2]", False),
        (1, "local", True),
        (1, "local-cluster[2,1,1024]", False),
        (1, "spark://somewhere:7077", False),
        (1, "", False),
    ],
)
def test_plans_are_cut_where_rows_are_few_and_cannot_be_lost(
    rows: int, master: str, cut: bool
) -> None:
    assert is_cut(rows, master) == cut
