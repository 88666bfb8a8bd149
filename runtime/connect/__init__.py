"""The world: declarations of streams and relations, sources, sinks, dead letters.

In: paths, formats and options as the program declares them. Out: frames, and files outside the
checkpoint.
"""
