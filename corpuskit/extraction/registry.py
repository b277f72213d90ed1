"""Registry of extractors by media type, and the entry point of the extraction.

Extractors register themselves with a decorator. Other packages add extractors with entry points of the group
``corpuskit.extractors``: the name is the media type, the value an :class:`Extractor`.
"""

from __future__ import annotations

from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from corpuskit.document import NLPTextDocument
from corpuskit.errors import ExtractionError, ResourceLimitError, UnsupportedMediaTypeError
from corpuskit.extraction.choices import apply_choices
from corpuskit.extraction.extractors import EXTRACTORS, WITH_FOLDER, Extractor
from corpuskit.extraction.options import ExtractOptions
from corpuskit.plugins import import_all
from corpuskit.safe_folder import Folder

__all__ = ["Extractor", "extract_bytes", "media_types", "register"]

_EXPLANATIONS: Final = {
    ("application/json", "application/jsonlines", "application/geo+json", "text/csv", "text/tab-separated-values"):
        ": records are not documents; write the text of each record to a separate file (.txt, .md, .html)",
    ("application/octet-stream",): ": the content is neither text nor of a known format",
}  # fmt: skip
"""Media types → explanation in the error message."""
_registered: dict[str, Extractor] = {}  # registered in this process, or loaded from entry points


def register(media_type: str, extractor: Extractor) -> None:
    """Register an extractor for a media type in this process.

    Args:
        media_type: Media type, such as ``application/x-subrip``.
        extractor: Function that extracts a document from bytes.
    """
    _registered[media_type.lower()] = extractor


def media_types() -> list[str]:
    """Return the media types that can be extracted, sorted."""
    import_all("corpuskit.extraction")
    return sorted({*EXTRACTORS, *_registered, *_entry_points()})


def extract_bytes(
    content: bytes,
    *,
    media_type: str,
    uri: str | None = None,
    options: ExtractOptions | None = None,
    charset: str | None = None,
    artifacts: Folder | None = None,
) -> NLPTextDocument:
    """Extract the document of one resource.

    Args:
        content: The bytes.
        media_type: Media type, such as ``text/html``.
        uri: URI of the resource.
        options: Options of the extraction.
        charset: Encoding declared by the server or archive.
        artifacts: Directory of sidecar files that extractors write (segmentation and text grid of a PDF) or read (marks of a
            ``.nlp.txt``).

    Raises:
        UnsupportedMediaTypeError: There is no extractor for this media type; see :func:`media_types`.
        ResourceLimitError: The content is larger than ``options.max_bytes``.
        ExtractionError: The content is damaged, encrypted or of another type.
    """
    options = options or ExtractOptions()
    if len(content) > options.max_bytes:
        raise ResourceLimitError(f"{uri or 'input'}: {len(content):,} bytes, the limit is {options.max_bytes:,}")
    if not content.strip():
        raise ExtractionError(f"{uri or 'input'}: empty")
    kind = media_type.partition(";")[0].strip().lower()
    extractor = _find(kind)
    if artifacts is not None and kind in WITH_FOLDER:
        extractor = partial(WITH_FOLDER[kind], folder=artifacts)
    try:
        document = extractor(content, uri=uri, options=options, charset=charset)
    except RecursionError as error:
        raise ExtractionError(f"{uri or 'input'}: nested too deeply") from error
    if kind != "text/x-nlptext":  # stored documents are not filtered again
        apply_choices(document, options)
    return document


@cache  # reading the metadata of all installed packages takes tens of milliseconds
def _entry_points() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group="corpuskit.extractors")}


def _find(media_type: str) -> Extractor:
    if media_type in _registered:
        return _registered[media_type]
    import_all("corpuskit.extraction")
    if media_type in EXTRACTORS:
        return EXTRACTORS[media_type]
    if media_type in _entry_points():
        register(media_type, _entry_points()[media_type].load())
        return _registered[media_type]
    explanation = next((explanation for kinds, explanation in _EXPLANATIONS.items() if media_type in kinds), "")
    raise UnsupportedMediaTypeError(f"no extractor for {media_type}{explanation}")
