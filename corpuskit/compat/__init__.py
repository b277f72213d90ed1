"""Compatibility with other systems: their functions, file formats and directory layouts."""
