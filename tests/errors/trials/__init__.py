"""Files of tests that are wrong, and the pictures of their errors."""
