"""Generated stock quotes: a seed in, a stream as CSV files out."""
