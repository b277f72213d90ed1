"""Word documents: WordprocessingML packages of ECMA-376 (ISO/IEC 29500), transitional and strict."""

from corpuskit.extraction.docx.extract import extract_docx

__all__ = ["extract_docx"]
