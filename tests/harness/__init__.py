"""Runs Reflow for the tests: text and epochs of rows in, multiplicity functions out.

`engine` is the one place that calls the compiler and the runtime; `read` reads what sinks wrote;
`declared` says the harness's streams and relations in CQL.
"""
