"""Settings that follow the size of an epoch."""

from __future__ import annotations

from typing import Any

import pytest

from reflow.runtime.epoch.tuning import BY_EPOCH_SIZE, SMALL_EPOCH, is_small, tune


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
