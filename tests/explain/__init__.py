"""EXPLAIN."""
