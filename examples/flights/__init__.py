"""The flights that left New York City in 2013: package data in, streams as CSV files out."""
