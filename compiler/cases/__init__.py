"""Files of tests (`reflow test`): from a text to cases that can be run.

In: the Source of a test file, and a way to read the scripts that it names. Out: a `Case` for each
TEST: the text of its program and the steps that try it, or what is wrong with it. Mistakes are kept
with their case, because a case may be about them (ASSERT ERROR).
"""

from .case import Case, Located
from .read import read_cases

__all__ = ["Case", "Located", "read_cases"]
