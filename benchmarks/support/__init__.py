"""What the benchmarks share: processes in, figures out; no benchmark of its own."""
