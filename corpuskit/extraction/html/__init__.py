"""HTML becomes a document: the whole page as a tree, its main content marked."""

from corpuskit.extraction.html.extract import extract_html, extract_tree

__all__ = ["extract_html", "extract_tree"]
