"""Files for others: one module a format family, and a manifest with each export."""

from corpuskit.export.run import ExportReport, export, format_names

__all__ = ["ExportReport", "export", "format_names"]
