"""What can be chosen for an export."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from corpuskit.errors import ConfigurationError
from corpuskit.text import count_words


def _only_of(format: str, default: Any) -> Any:
    """Return a field that concerns one format."""
    return field(default=default, metadata={"format": format})


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """Options of an export.

    Attributes:
        main: texts of documents (``text`` of JSON Lines, Parquet, CSV, datasets; txt, sentences, vert, conllu, chunks,
            frenchtext) and the trees of md, html, xml and tei hold the main content only. The trees of nlp.txt, JSON
            Lines and Parquet hold everything, with the main content marked. False: all formats hold everything.
        elements: jsonl: include the tree of each document. False: metadata and text, as training programs read them.
        marks: nlp.txt, nlp.txt.zst: write the attributes that the format cannot express (main, role, page, links ...) to a
            second file.
        only_licensed: Export only documents with these licences: case-insensitive shell patterns for the licence as
            stated or for its SPDX name, such as ``CC-BY*`` or ``*creativecommons.org/*``. Documents without a licence
            are skipped.
        mask_personal_data: Replace e-mail addresses, telephone numbers, IP addresses and bank accounts in texts, titles and
            metadata, not in URIs.
        shuffle: frenchtext: seed for shuffling the blocks of a site, so documents cannot be reconstructed. None: the order of
            the documents.
        preset: ``"pdf_trio"``: The format fasttext follows its recipe, as the format pdf_trio does.
        page_size_tokens: pdf_trio: write the size of the first page as the last two tokens.
        kill: pdf_trio: its kill list, documents to skip by id, URI or file name.
        chunk_tokens: chunks: maximum number of tokens of a chunk, the section path included.
        count_tokens: chunks: function that returns the number of tokens of a text, such as ``lambda text: len(tokenizer.encode(text))``; default:
            words.
    """

    main: bool = True
    elements: bool = True
    marks: bool = True
    only_licensed: Sequence[str] | None = None
    mask_personal_data: bool = False
    shuffle: int | None = _only_of("frenchtext", 0)
    preset: str | None = None
    page_size_tokens: bool = _only_of("pdf_trio", False)
    kill: Sequence[str] = _only_of("pdf_trio", ())
    chunk_tokens: int = _only_of("chunks", 512)
    count_tokens: Callable[[str], int] = count_words

    def __post_init__(self) -> None:
        if self.chunk_tokens < 8:
            raise ConfigurationError(f"chunk_tokens={self.chunk_tokens}: expected 8 or more")
        if self.preset not in {None, "pdf_trio"}:
            raise ConfigurationError(f"preset={self.preset!r}: expected 'pdf_trio'")
        if isinstance(self.only_licensed, str):
            object.__setattr__(self, "only_licensed", (self.only_licensed,))

    def as_record(self) -> dict[str, Any]:
        """Return the options as JSON for the manifest."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        counter = self.count_tokens
        name = getattr(counter, "__qualname__", type(counter).__qualname__)
        values["count_tokens"] = f"{getattr(counter, '__module__', '?')}.{name}"
        return {name: list(value) if isinstance(value, (list, tuple)) else value for name, value in values.items()}

    def unused(self, formats: Collection[str]) -> list[tuple[str, str]]:
        """Return (option, format) of the options that differ from the default and concern no format that is written.

        Args:
            formats: Names of the formats that are written.
        """
        return [
            (item.name, item.metadata["format"])
            for item in fields(self)
            if item.metadata and item.metadata["format"] not in formats and getattr(self, item.name) != item.default
        ]


def make_options(**choices: Any) -> ExportOptions:
    """Return options from keywords.

    Args:
        choices: Fields of :class:`ExportOptions`.

    Raises:
        ConfigurationError: an unknown keyword.
    """
    names = [item.name for item in fields(ExportOptions)]
    unknown = [name for name in choices if name not in names]
    if unknown:
        raise ConfigurationError(f"export option {unknown[0]!r} is unknown; there are: {', '.join(names)}")
    return ExportOptions(**choices)
