"""Property tests: drawn queries over drawn data must give the oracle's answer after every epoch.

In: a seed. Out: a case (`case`), which is one .cql text, the oracle's form of each of its queries,
and a plan of feeding: what arrives together, restarts, changes of relations. `play` runs it and
compares.
"""
