"""See the docstrings of the modules here."""
