"""What can be chosen about extraction; ``[extraction]`` of corpus.toml has the same names."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal

from corpuskit.errors import ConfigurationError

_LANGUAGE: Final = re.compile(r"[a-z]{2,3}")
CHOICES: Final = {
    "favor": (None, "precision", "recall"),
    "main": ("model", "rules", "trafilatura", "all"),
    "tracked_changes": ("accepted", "original"),
    "date": ("updated", "original"),
}
_TRAFILATURAS: Final = frozenset((
    "record_id", "fast", "no_fallback", "favor_precision", "favor_recall", "include_comments",
    "output_format", "tei_validation", "target_language", "include_tables", "include_images", "include_formatting",
    "include_links", "deduplicate", "date_extraction_params", "with_metadata", "only_with_metadata", "max_tree_size",
    "url_blacklist", "author_blacklist", "settingsfile", "prune_xpath",
))  # fmt: skip
"""Arguments of ``trafilatura.extract``, whose import would slow down who does not use it."""
_NOT_CHOSEN: Final = frozenset(("filecontent", "url", "options", "config", "as_dict"))
"""Others, which the extraction refuses, for it gives them itself."""


@dataclass(frozen=True, slots=True)
class ExtractOptions:
    """Choices for one extraction.

    None of those about the main content takes a part of the page away: what is not main stays in the document, marked so.

    Attributes:
        main: who marks the main content of a web page: our ``"model"``, ``"rules"`` alone, ``"trafilatura"``, or ``"all"``
            is main.
        favor: where the main content is uncertain, ``"precision"`` takes less and ``"recall"`` more.
        classify: mark the main content; else all but navigation is main and only the tree is made.
        structure: find sections, lists and tables in paged documents; else their text alone, faster.
        comments: comments of readers under an article are main; they have the role ``comment`` either way.
        tables: tables of web pages can be main.
        links: exports of the page show where its links lead; the document always knows.
        images: alternative texts of images are TextBlocks.
        image_addresses: an image is its alternative text, else its file name, with a link to it.
        formatting: bold, italic, code and the like of web pages are kept as spans beside the plain text: the column
            ``formatting`` of a document's frame.
        hidden: parts of web pages that nobody can see are kept.
        link_density: blocks with a greater share of link text than this (0 to 1) are not main.
        deduplicate: a block of at least 100 characters that stood in the page before is not main.
        drop: parts of web pages that are taken away before: XPaths (they begin with ``/`` or ``.//``) or CSS selectors.
        target_language: as ``"en"``; in a text in another language nothing is main, and a warning tells.
        only_with_metadata: so it is in a page without title, date or address.
        refused_authors: names that are no authors.
        refused_urls: pages of these addresses have no main content, and a warning tells.
        date: which date of a page is its timestamp: when it was ``"updated"``, or the ``"original"`` one.
        earliest_date: as ``"1995-01-01"``; dates of pages before are errors, and passed over.
        trafilatura: for ``main="trafilatura"``: arguments of ``trafilatura.extract``, which come before those above.
        password: opens an encrypted PDF.
        tracked_changes: of a Word document, as ``"accepted"`` or as in the ``"original"``.
        ocr: pages of a PDF without text are read by OCRmyPDF, which must be installed.
        ocr_language: of those pages, as Tesseract names it: ``"eng"``, ``"deu+fra"``.
        forms: values of form fields of a PDF. Some broken forms end the process that reads them: then they are left out.
        max_bytes: larger input is refused.

    Raises:
        ConfigurationError: A value that is none of those named here.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid", "strict": True}

    favor: Literal["precision", "recall"] | None = None
    classify: bool = True
    structure: bool = True
    comments: bool = False
    images: bool = True
    password: str | None = None
    tracked_changes: Literal["accepted", "original"] = "accepted"
    ocr: bool = False
    ocr_language: str = "eng"
    forms: bool = True
    max_bytes: int = 100_000_000
    main: Literal["model", "rules", "trafilatura", "all"] = "model"
    tables: bool = True
    links: bool = False
    image_addresses: bool = False
    formatting: bool = False
    hidden: bool = False
    link_density: float | None = None
    deduplicate: bool = False
    drop: tuple[str, ...] = ()
    target_language: str | None = None
    only_with_metadata: bool = False
    refused_authors: tuple[str, ...] = ()
    refused_urls: tuple[str, ...] = ()
    date: Literal["updated", "original"] = "updated"
    earliest_date: str | None = None
    trafilatura: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                expected = ", ".join(repr(value) for value in allowed)
                raise ConfigurationError(f"{name} = {getattr(self, name)!r}: expected one of {expected}")
        if self.link_density is not None and not 0 <= self.link_density <= 1:
            raise ConfigurationError(f"link_density = {self.link_density}: expected a share, 0 to 1")
        if self.target_language is not None and not _LANGUAGE.fullmatch(self.target_language):
            raise ConfigurationError(
                f"target_language = {self.target_language!r}: expected a code of ISO 639-1, such as 'en'"
            )
        if self.earliest_date is not None:
            try:
                datetime.date.fromisoformat(self.earliest_date)
            except ValueError:
                raise ConfigurationError(
                    f"earliest_date = {self.earliest_date!r}: expected a date as '1995-01-01'"
                ) from None
        if self.trafilatura and self.main != "trafilatura":
            raise ConfigurationError('arguments of trafilatura do nothing without main = "trafilatura"')
        if unknown := sorted(set(self.trafilatura) - _TRAFILATURAS - _NOT_CHOSEN):
            there = ", ".join(sorted(_TRAFILATURAS))
            raise ConfigurationError(f"trafilatura = {{{unknown[0]!r}: ...}}: no argument of it; there are: {there}")
