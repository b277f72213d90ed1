"""The standard document: a flat, ordered table of elements with nesting levels, and its ``.nlp.txt`` file format."""

from corpuskit.document.builder import DocumentBuilder
from corpuskit.document.elements import ElementTable
from corpuskit.document.model import (
    DocumentElement,
    List,
    ListItem,
    NavigationList,
    NLPTextDocument,
    Section,
    Table,
    TableCell,
    TableHeader,
    TextBlock,
)
from corpuskit.document.reader import from_nlptext, read_nlptext
from corpuskit.document.writer import to_nlptext, write_nlptext

__all__ = [
    "DocumentBuilder",
    "DocumentElement",
    "ElementTable",
    "List",
    "ListItem",
    "NLPTextDocument",
    "NavigationList",
    "Section",
    "Table",
    "TableCell",
    "TableHeader",
    "TextBlock",
    "from_nlptext",
    "read_nlptext",
    "to_nlptext",
    "write_nlptext",
]
