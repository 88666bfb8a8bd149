"""The operators of a delta program, one file each: (deltas, state, clock) -> (delta, state).

In: Intervals and Points of this epoch; what they keep is read from and added to the epoch's state.
Out: the change of their answer, new minus old.
"""
