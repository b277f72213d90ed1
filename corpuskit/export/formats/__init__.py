"""One module a format family; here the names of the formats."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be exported.

    Attributes:
        writer: ``module:class``, imported when it is asked for.
        files: what it writes.
        about: one line for users.
    """

    writer: str
    files: str
    about: str

    def load(self) -> Any:
        """The writer's class."""
        module, _, name = self.writer.partition(":")
        return getattr(import_module(f"corpuskit.export.formats.{module}"), name)


FORMATS: Final = {
    "nlp.txt": Format("nlptext:NlpTextWriter", "nlp.txt/", "the standard document, a file each, marks beside it"),
    "nlp.txt.zst": Format("nlptext:ArchiveWriter", "corpus.nlp.txt.zst", "the same in one zstd file"),
    "jsonl": Format("json_lines:JsonLinesWriter", "corpus.jsonl", "JSON Lines: metadata, text, elements"),
    "parquet": Format("parquet:ParquetWriter", "documents.parquet, elements.parquet", "Parquet: two tables"),
    "csv": Format("delimited:CsvWriter", "documents.csv", "a row a document, for spreadsheets and R"),
    "tsv": Format("delimited:TsvWriter", "documents.tsv", "the same, parted by tabs"),
    "datasets": Format("hf_datasets:DatasetsWriter", "datasets/", "Hugging Face: datasets.load_from_disk reads it"),
    "fasttext": Format("lines:FastTextWriter", "fasttext.txt, fasttext.ids.parquet", "labelled lines for fastText"),
    "pdf_trio": Format("pdf_trio:PdfTrioWriter", "pdf_trio/", "training data as the recipe of pdf_trio makes it"),
    "txt": Format("lines:PlainTextWriter", "corpus.txt", "plain text, a block a line"),
    "sentences": Format("lines:SentencesWriter", "sentences.txt", "plain text, a sentence a line"),
    "vert": Format("tokenised:VerticalWriter", "corpus.vert", "vertical text for Sketch Engine and CWB"),
    "conllu": Format("tokenised:ConlluWriter", "corpus.conllu", "CoNLL-U: sentences and tokens, for taggers"),
    "xml": Format("xml:XmlWriter", "corpus.xml", "plain XML with a RELAX NG schema"),
    "tei": Format("tei:TeiWriter", "tei/", "TEI P5, a file a document"),
    "md": Format("markdown:MarkdownWriter", "md/", "Markdown, a file a document"),
    "html": Format("html:HtmlWriter", "html/", "HTML without scripts, a file a document"),
    "textworks": Format("textworks:TextWorksWriter", "textworks/", "segmentation and text grid of PDF documents"),
    "frenchtext": Format("frenchtext:FrenchtextWriter", "frenchtext/", "the frames of frenchtext, shuffled blocks"),
    "chunks": Format("chunks:ChunksWriter", "chunks.jsonl", "pieces of few tokens for retrieval and pre-training"),
}
"""Name → format, in the order they are shown."""
