"""Export formats of the re-created systems."""
