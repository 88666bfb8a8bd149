"""Operators of MERGE OF: several physical streams of one logical stream become one (LMERGE IV, V).

In: the elements of each input in an epoch and its last stable (`inputs.Input`). Out: the elements
of the merged stream, and its stable (`operator.Merged`).
LMERGE: Chandramouli, Maier, Goldstein, *Physically Independent Stream Merging*, ICDE 2012.
"""
