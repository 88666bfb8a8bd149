"""Tests of `reflow archive`."""
