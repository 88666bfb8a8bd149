"""What the binder refuses: one `.cql` file a subject, and the text of all its errors."""
