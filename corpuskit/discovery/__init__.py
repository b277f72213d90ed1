"""A domain corpus out of an index of web archives: the URL model chooses pages, and only these are fetched."""

from corpuskit.discovery.discovery import Discovery
from corpuskit.discovery.estimate import Estimate, Prices
from corpuskit.discovery.index_scan import discover
from corpuskit.discovery.page_fetching import Fetched, fetch
from corpuskit.discovery.sampling import Precision, Sample
from corpuskit.discovery.selection import Choice

__all__ = ["Choice", "Discovery", "Estimate", "Fetched", "Precision", "Prices", "Sample", "discover", "fetch"]
