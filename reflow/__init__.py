"""Reflow: a compiler for continuous queries on Spark Structured Streaming."""

__version__ = "0.1.0"
