"""Extraction of documents from bytes: a registry of extractors, and one module or package per format."""

from corpuskit.extraction.options import ExtractOptions
from corpuskit.extraction.registry import Extractor, extract_bytes, media_types, register

__all__ = ["ExtractOptions", "Extractor", "extract_bytes", "media_types", "register"]
