"""Options of the extraction; the section ``[extraction]`` of corpus.toml has the same names."""

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
_TRAFILATURA_ARGUMENTS: Final = frozenset((
    "record_id", "fast", "no_fallback", "favor_precision", "favor_recall", "include_comments",
    "output_format", "tei_validation", "target_language", "include_tables", "include_images", "include_formatting",
    "include_links", "deduplicate", "date_extraction_params", "with_metadata", "only_with_metadata", "max_tree_size",
    "url_blacklist", "author_blacklist", "settingsfile", "prune_xpath",
))  # fmt: skip
"""Arguments of ``trafilatura.extract``, listed here to avoid importing the package."""
_RESERVED_ARGUMENTS: Final = frozenset(("filecontent", "url", "options", "config", "as_dict"))
"""Arguments that the extraction sets itself; they are refused later."""


@dataclass(frozen=True, slots=True)
class ExtractOptions:
    """Options of one extraction.

    The options of the main content only set the flag ``main``; they do not remove elements from the document.

    Attributes:
        main: Method to find the main content of a web page: the trained ``"model"``, ``"rules"`` only, ``"trafilatura"``, or
            ``"all"`` to mark everything as main.
        favor: For uncertain content, ``"precision"`` selects less and ``"recall"`` selects more.
        classify: Find the main content. If False, everything except navigation is main, and only the tree is built.
        structure: Find sections, lists and tables in paged documents. If False, only their text is extracted, faster.
        comments: Mark reader comments under an article as main; they always have the role ``comment``.
        tables: Allow tables of web pages as main content.
        links: Write link targets in exports; the document always stores them.
        images: Extract alternative texts of images as TextBlocks.
        image_addresses: Extract each image as its alternative text, or its file name, with a link to the image.
        formatting: Store bold, italic, code and similar formatting of web pages as spans, in the column ``formatting`` of
            the frame of a document.
        hidden: Extract invisible parts of web pages.
        link_density: Maximum share of link text in main blocks (0 to 1).
        deduplicate: Do not mark repeated blocks of at least 100 characters as main.
        drop: Parts of web pages to remove before the extraction: XPaths (starting with ``/`` or ``.//``) or CSS selectors.
        target_language: Language code such as ``"en"``; texts in other languages have no main content and get a warning.
        only_with_metadata: Do the same for pages without title, date or URL.
        refused_authors: Names to remove from the authors.
        refused_urls: URLs of pages that have no main content and get a warning.
        date: Date of a page that becomes its timestamp: ``"updated"`` or ``"original"``.
        earliest_date: Date such as ``"1995-01-01"``; earlier dates of pages are ignored as errors.
        trafilatura: Arguments of ``trafilatura.extract`` for ``main="trafilatura"``; they override the options above.
        password: Password of an encrypted PDF.
        tracked_changes: State of a Word document with tracked changes: ``"accepted"`` or ``"original"``.
        ocr: Recognize PDF pages without text with OCRmyPDF, which must be installed.
        ocr_language: Language of these pages as in Tesseract: ``"eng"``, ``"deu+fra"``.
        forms: Extract values of PDF form fields. If a broken form crashes the reader, the fields are omitted.
        max_bytes: Maximum size of the input.

    Raises:
        ConfigurationError: An option has an invalid value.
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
                f"target_language = {self.target_language!r}: expected an ISO 639-1 code such as 'en'"
            )
        if self.earliest_date is not None:
            try:
                datetime.date.fromisoformat(self.earliest_date)
            except ValueError:
                raise ConfigurationError(
                    f"earliest_date = {self.earliest_date!r}: expected a date such as '1995-01-01'"
                ) from None
        if self.trafilatura and self.main != "trafilatura":
            raise ConfigurationError('arguments of trafilatura require main = "trafilatura"')
        if unknown := sorted(set(self.trafilatura) - _TRAFILATURA_ARGUMENTS - _RESERVED_ARGUMENTS):
            known_names = ", ".join(sorted(_TRAFILATURA_ARGUMENTS))
            raise ConfigurationError(
                f"trafilatura = {{{unknown[0]!r}: ...}}: unknown argument, expected one of {known_names}"
            )
