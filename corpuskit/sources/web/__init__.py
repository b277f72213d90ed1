"""The web: URLs, robots.txt, links, and a client that is polite and safe."""

from corpuskit.sources.web.client import Answer, Client, fetch
from corpuskit.sources.web.discovery import Listing, guessed_sitemaps, parse_listing
from corpuskit.sources.web.links import Link, PageLinks, find_links, page_language
from corpuskit.sources.web.robots import Robots
from corpuskit.sources.web.urls import canonical_url, host_of, url_key

__all__ = [
    "Answer",
    "Client",
    "Link",
    "Listing",
    "PageLinks",
    "Robots",
    "canonical_url",
    "fetch",
    "find_links",
    "guessed_sitemaps",
    "host_of",
    "page_language",
    "parse_listing",
    "url_key",
]
