"""Bytes become documents: one module a media type, found through a registry."""

from corpuskit.extraction.options import ExtractOptions
from corpuskit.extraction.registry import Extractor, extract_bytes, media_types, register

__all__ = ["ExtractOptions", "Extractor", "extract_bytes", "media_types", "register"]
