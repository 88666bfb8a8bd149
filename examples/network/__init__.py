"""Generated network flows: a seed in, a stream as CSV files out."""
