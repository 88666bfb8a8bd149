"""State: immutable Parquet files that the manifest names, laid out by update pattern.

In: frames that operators add each epoch. Out: frames of what was added before, pruned by the files'
ranges.
"""
