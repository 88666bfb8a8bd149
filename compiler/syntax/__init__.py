"""Syntax: a parse tree comes in, statements (`nodes.Script`) go out; nothing is resolved yet."""
