"""Sinks: one epoch's output under its number, written so that a repeat replaces it.

In: frames of output rows. Out: files outside the checkpoint (PARQUET, JSON, CSV, ORC, LOG), tables
in the checkpoint (MEMORY), text on the terminal (CONSOLE).
"""
