"""Indexes of web archives, such as those of Common Crawl: pages with the locations of their records."""

from corpuskit.sources.commoncrawl.filters import Filters
from corpuskit.sources.commoncrawl.index import Index, Partition, commoncrawl
from corpuskit.sources.commoncrawl.index_files import Read, read_partition
from corpuskit.sources.commoncrawl.index_rows import COLUMNS, place_schema, wrong_places

__all__ = [
    "COLUMNS",
    "Filters",
    "Index",
    "Partition",
    "Read",
    "commoncrawl",
    "place_schema",
    "read_partition",
    "wrong_places",
]
