"""The text of programs."""
