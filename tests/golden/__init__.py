"""Golden files: a .cql, and beside it its plan, its explanations and its program."""
