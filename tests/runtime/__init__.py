"""The parts of the runtime that need no Spark session."""
