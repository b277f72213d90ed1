"""Web access: HTTP client with safety limits, URLs, robots.txt, sitemaps and links."""

from corpuskit.sources.web.client import Answer, Client, fetch
from corpuskit.sources.web.discovery import Listing, guessed_sitemaps, is_listing, parse_listing
from corpuskit.sources.web.links import Link, PageLinks, find_links, page_language, says_nofollow
from corpuskit.sources.web.names import media_type_by_name
from corpuskit.sources.web.robots import Robots
from corpuskit.sources.web.urls import advice, canonical_url, host_of, url_key

__all__ = [
    "Answer",
    "Client",
    "Link",
    "Listing",
    "PageLinks",
    "Robots",
    "advice",
    "canonical_url",
    "fetch",
    "find_links",
    "guessed_sitemaps",
    "host_of",
    "is_listing",
    "media_type_by_name",
    "page_language",
    "parse_listing",
    "says_nofollow",
    "url_key",
]
