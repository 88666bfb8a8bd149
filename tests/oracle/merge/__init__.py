"""LMerge, one element at a time: the paper's algorithms as a reference for the merge operators.

In: the elements of several physical streams of one logical stream (`elements`). Out: the elements
of their merge (`r0` to `r4`, behind `cleanse` where order is enforced). What must hold of any such
merge is in `conditions`, which `watch` checks after every step; `presentations` draws streams.
LMERGE: Chandramouli, Maier, Goldstein, *Physically Independent Stream Merging*, ICDE 2012.
"""
