"""The command line: arguments in, an exit status out; one file a command.

Exit status: 0 all is well, 1 a run failed, 2 the text or the arguments of the user are wrong.
argparse and lazy imports, because `reflow explain` has 0.6 s for the whole process: click costs
60 ms of that, typer 80 ms, argparse 6 ms.
"""

from .app import main

__all__ = ["main"]
