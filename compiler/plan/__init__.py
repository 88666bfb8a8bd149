"""The intermediate representation: a DAG of immutable operators with scalar expressions as text.

In: nothing. Out: operators, the plan as a graph, its text (`render`, `parse`) and its checks
(`validate`).
"""
