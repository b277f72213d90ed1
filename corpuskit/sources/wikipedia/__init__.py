"""Articles of Wikipedia and other wikis of MediaWiki."""

from corpuskit.sources.wikipedia.articles import read_articles
from corpuskit.sources.wikipedia.client import WikiOptions

__all__ = ["WikiOptions", "read_articles"]
