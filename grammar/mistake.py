"""A common mistake as a value: how it is recognised and what is said of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from .situation import Situation
from .value import value


@value
class Mistake:
    """`{text}` in the texts is the token as shown, `{raw}` as written, `{last}` the one before.

    `at` says what the caret points to: the token, the one before it, or the one before that.
    """

    example: str
    when: Callable[[Situation], bool]
    message: str
    hint: str = ""
    code: str = "RF1005"
    at: Literal["token", "last", "second last"] = "token"
