"""Where text stands on a page: columns and reading order, lines and blocks."""
