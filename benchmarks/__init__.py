"""Workloads, each a module of its own: `make bench` lists them, `make bench-NAME` runs one.

Generators come in (`generators/`), figures go out (appended to RESULTS.md). Both sides of a
comparison run on the same machine in the same call, and their outputs are compared before any time
is believed.
"""
