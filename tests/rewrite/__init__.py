"""Rewrite rules, by fixtures named like the rules."""
