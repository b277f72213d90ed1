"""Discovery of pages in an index of web archives: the URL model selects pages, and only these are fetched."""

from corpuskit.discovery.discovery import Discovery
from corpuskit.discovery.estimate import Estimate, Prices
from corpuskit.discovery.index_scan import discover
from corpuskit.discovery.page_fetching import FetchReport, fetch
from corpuskit.discovery.sampling import Precision, Sample
from corpuskit.discovery.selection import SelectionCriteria

# Earlier names.
Choice = SelectionCriteria
Fetched = FetchReport

__all__ = [
    "Discovery",
    "Estimate",
    "FetchReport",
    "Precision",
    "Prices",
    "Sample",
    "SelectionCriteria",
    "discover",
    "fetch",
]
