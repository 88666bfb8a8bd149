"""Tests of the formatter: `pairs/` holds texts and what they are formatted to."""
