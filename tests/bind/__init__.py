"""What the binder makes of right files."""
