"""Which function extracts which media type.

Other packages add theirs with an entry point of the group ``corpuskit.extractors``, whose name is the media type and
whose value an :class:`Extractor`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import entry_points
from typing import Final, Protocol

from corpuskit.document import NLPTextDocument
from corpuskit.errors import ExtractionError, ResourceLimitError, UnsupportedMediaTypeError
from corpuskit.extraction.choices import apply_choices
from corpuskit.extraction.options import ExtractOptions
from corpuskit.safe_folder import Folder


class Extractor(Protocol):
    """Turns the bytes of one resource into a document."""

    def __call__(
        self, content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None
    ) -> NLPTextDocument:
        """Return the document that bytes hold.

        Args:
            content: The bytes.
            uri: Where they came from.
            options: Choices for the extraction.
            charset: The encoding that the server or archive named, if it named one.
        """


_DOCX: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml."
# Media type → module:function, imported when first needed.
_BUILT_IN: Final[Mapping[str, str]] = {
    "text/html": "corpuskit.extraction.html:extract_html",
    "application/xhtml+xml": "corpuskit.extraction.html:extract_html",
    "text/x-mediawiki-html": "corpuskit.extraction.wikipedia:extract_wikipedia",
    "text/x-wiki": "corpuskit.extraction.wikitext:extract_wikitext",
    "text/plain": "corpuskit.extraction.plain:extract_plain",
    "text/markdown": "corpuskit.extraction.plain:extract_plain",
    "text/x-nlptext": "corpuskit.extraction.plain:extract_nlptext",
    "message/rfc822": "corpuskit.extraction.mail:extract_mail",
    "application/epub+zip": "corpuskit.extraction.epub:extract_epub",
    "application/pdf": "corpuskit.extraction.pdf:extract_pdf",
    _DOCX + "document": "corpuskit.extraction.docx:extract_docx",
    _DOCX + "template": "corpuskit.extraction.docx:extract_docx",
    "application/vnd.ms-word.document.macroenabled.12": "corpuskit.extraction.docx:extract_docx",
    "application/vnd.ms-word.template.macroenabled.12": "corpuskit.extraction.docx:extract_docx",
}
_WITH_ARTIFACTS: Final = {
    "application/pdf": "corpuskit.extraction.pdf:extract_pdf_with_artifacts",
    "text/x-nlptext": "corpuskit.extraction.plain:extract_marked",
}
_OFFICE: Final = "corpuskit.extraction.office:"
# Read through LibreOffice where that is installed; else the error says what to install.
_THROUGH_OFFICE: Final[Mapping[str, str]] = {
    "application/msword": _OFFICE + "extract_text_document",
    "application/vnd.oasis.opendocument.text": _OFFICE + "extract_text_document",
    "application/rtf": _OFFICE + "extract_text_document",
    "text/rtf": _OFFICE + "extract_text_document",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": _OFFICE + "extract_presentation",
    "application/vnd.oasis.opendocument.presentation": _OFFICE + "extract_presentation",
}
_registered: dict[str, Extractor] = {}


def register(media_type: str, extractor: Extractor) -> None:
    """Make an extractor the one for a media type, in this process.

    Args:
        media_type: Such as ``application/x-subrip``.
        extractor: Turns bytes into a document.
    """
    _registered[media_type.lower()] = extractor


def media_types() -> list[str]:
    """Return the media types that can be extracted, sorted."""
    return sorted(
        {
            *_BUILT_IN,
            *_THROUGH_OFFICE,
            *_registered,
            *(point.name for point in entry_points(group="corpuskit.extractors")),
        }
    )


def extract_bytes(
    content: bytes,
    *,
    media_type: str,
    uri: str | None = None,
    options: ExtractOptions | None = None,
    charset: str | None = None,
    artifacts: Folder | None = None,
) -> NLPTextDocument:
    """Extract one resource.

    ``artifacts`` is a folder for what an extractor writes beside the document, segmentation and text grid of a PDF, or
    finds there: the marks of a ``.nlp.txt``.

    Args:
        content: The bytes.
        media_type: What they are, such as ``text/html``.
        uri: Where they came from.
        options: Choices for the extraction.
        charset: The encoding that the server or archive named.
        artifacts: A folder for what is written beside the document (segmentation and text grid of a PDF) or found there (the
            marks of a ``.nlp.txt``).

    Raises:
        UnsupportedMediaTypeError: no extractor for this media type; :func:`media_types` lists those there are.
        ResourceLimitError: the content is larger than ``options.max_bytes``.
        ExtractionError: the content is damaged, encrypted or of another type.
    """
    options = options or ExtractOptions()
    if len(content) > options.max_bytes:
        raise ResourceLimitError(f"{uri or 'input'}: {len(content):,} bytes, the limit is {options.max_bytes:,}")
    if not content.strip():
        raise ExtractionError(f"{uri or 'input'}: empty")
    kind = media_type.partition(";")[0].strip().lower()
    extractor = _find(kind)
    if artifacts is not None and kind in _WITH_ARTIFACTS:
        module, _, name = _WITH_ARTIFACTS[kind].partition(":")
        extractor = partial(getattr(importlib.import_module(module), name), folder=artifacts)
    try:
        document = extractor(content, uri=uri, options=options, charset=charset)
    except RecursionError as error:
        raise ExtractionError(f"{uri or 'input'}: nested too deeply") from error
    if kind != "text/x-nlptext":  # that is as it was written
        apply_choices(document, options)
    return document


def _find(media_type: str) -> Extractor:
    if media_type in _registered:
        return _registered[media_type]
    if known := _BUILT_IN.get(media_type) or _THROUGH_OFFICE.get(media_type):
        module, _, name = known.partition(":")
        found: Callable[..., NLPTextDocument] = getattr(importlib.import_module(module), name)
        return _keep(media_type, found)
    for point in entry_points(group="corpuskit.extractors", name=media_type):
        return _keep(media_type, point.load())
    raise UnsupportedMediaTypeError(f"no extractor for {media_type}")


def _keep(media_type: str, extractor: Extractor) -> Extractor:
    """Keeps what was found for the next call."""
    register(media_type, extractor)
    return extractor
