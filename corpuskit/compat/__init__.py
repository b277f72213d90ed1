"""The verbs of other systems, on our files."""
