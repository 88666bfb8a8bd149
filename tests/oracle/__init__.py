"""The oracle: a brute-force evaluator of continuous queries. It never imports reflow.

In: what arrived and when (`history`), and a relational query over window snapshots (`query`).
Out: the answer over time, as a multiplicity function (`multiplicity`).
"""
