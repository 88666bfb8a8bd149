"""Emission: a physical plan as the text of one readable Python program.

In: a physical plan. Out: text that imports only `reflow.runtime.program`, is laid out as a
formatter would, and is the same from run to run.
"""

from .program import emit

__all__ = ["emit"]
