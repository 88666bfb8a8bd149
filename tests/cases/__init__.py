"""Files of tests to cases."""
