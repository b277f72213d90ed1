"""Widgets of vectors: the map of documents."""
