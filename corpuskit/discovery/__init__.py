"""A domain corpus out of an index of web archives: the URL model chooses pages, and only these are fetched."""

from corpuskit.discovery.choosing import Choice
from corpuskit.discovery.discovery import Discovery
from corpuskit.discovery.estimate import Estimate, Prices
from corpuskit.discovery.fetching import Fetched, fetch
from corpuskit.discovery.sampling import Precision, Sample
from corpuskit.discovery.scan import discover

__all__ = ["Choice", "Discovery", "Estimate", "Fetched", "Precision", "Prices", "Sample", "discover", "fetch"]
