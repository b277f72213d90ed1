"""Files for others, each export with a dataset card, and readers of what can be read back."""

from corpuskit.export.exporter import ExportReport, export, format_names
from corpuskit.export.formats.json_lines import read_jsonl
from corpuskit.export.formats.nlptext import read_nlptext_archive
from corpuskit.export.formats.parquet import read_parquet
from corpuskit.export.formats.tei_reader import read_tei
from corpuskit.export.options import ExportOptions, make_options
from corpuskit.plugins import moved_names

__all__ = [
    "ExportOptions",
    "ExportReport",
    "export",
    "format_names",
    "make_options",
    "read_jsonl",
    "read_nlptext_archive",
    "read_parquet",
    "read_tei",
]

__getattr__ = moved_names(__name__)
