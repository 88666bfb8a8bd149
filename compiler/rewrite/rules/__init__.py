"""One rewrite rule a file, named like its rule. In: an operator and the facts. Out: an operator or
None.

Rules know plans and facts, never each other.
"""
