"""Failures that a command ends with, each with its exit status."""

from __future__ import annotations


class Failure(Exception):
    """A command cannot go on; `str` of it is what the user reads."""

    status = 1


class UsageError(Failure):
    """The arguments are wrong: a file is missing, a folder in the way, a setting not one."""

    status = 2
