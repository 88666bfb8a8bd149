"""`reflow test` behind its arguments: cases in, outcomes out, told on the terminal or as JUnit."""
