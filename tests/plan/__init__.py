"""Plan text and scalar expressions."""
