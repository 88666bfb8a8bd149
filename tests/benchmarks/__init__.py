"""What the benchmarks stand on: generators are repeatable, comparisons see differences."""
