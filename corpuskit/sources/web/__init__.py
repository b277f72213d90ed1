"""The web: URLs, robots.txt, links, and a client that is polite and safe."""

from corpuskit.sources.web.client import Answer, Client, fetch
from corpuskit.sources.web.links import Link, PageLinks, find_links
from corpuskit.sources.web.robots import Robots
from corpuskit.sources.web.urls import canonical_url, host_of, url_key

__all__ = [
    "Answer",
    "Client",
    "Link",
    "PageLinks",
    "Robots",
    "canonical_url",
    "fetch",
    "find_links",
    "host_of",
    "url_key",
]
