"""Kill tests: a run dies at a named step of the epoch protocol, and its successor must not show it.

`killer` is what the dying process runs, `driver` starts it and cleans up, `scenario` is
its program.
"""
