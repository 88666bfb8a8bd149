"""The archive of a stream: immutable Parquet buckets in order of arrival, with an index of their
ranges.

In: the files an epoch landed. Out: slices of a stream by order value (REPLAY 4.1).
"""
