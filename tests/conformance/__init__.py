"""Scripts and cases of other engines, translated to Reflow's CQL, with their expected values.

The material lies outside the project, in `../shared/conformance` beside the repository, and is not
copied: the tests skip where it is absent.
"""
