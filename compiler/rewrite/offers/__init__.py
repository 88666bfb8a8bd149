"""One offer of candidates a file, named like its offer. In: an operator and the facts. Out:
operators that mean the same.

Offers know plans and facts, never each other, and no cost: `explore` compares.
"""
