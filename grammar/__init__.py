"""The grammar wing: a Source comes in, a parse tree or a CqlError with diagnostics goes out.

Knows nobody of ours and imports nothing but lark.
"""
