"""What emitted programs import: DataFrame operations over deltas, state and an archive.

In: rows of streaming sources and the operators of one program. Out: sinks, a checkpoint, progress.
`program` holds every name that emitted code may use. Nothing here knows the compiler.
"""
