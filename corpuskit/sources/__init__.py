"""Sources of documents: files, archives, web archives, wikis and the web."""

from corpuskit.sources.files import find_files, read_resource
from corpuskit.sources.media import detect_media_type
from corpuskit.sources.resource import Resource

__all__ = ["Resource", "detect_media_type", "find_files", "read_resource"]
