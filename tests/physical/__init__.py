"""The choices of the planner."""
