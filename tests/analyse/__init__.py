"""Facts about plans written as plan text."""
