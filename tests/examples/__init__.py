"""The examples compile and explain themselves; their data is what it says."""
