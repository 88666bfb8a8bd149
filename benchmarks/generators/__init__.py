"""Seeded generators, shared by benchmarks and examples: parameters in, tables or CSV files out.

The same seed gives the same rows on any machine, whatever the sizes of the files.
"""
