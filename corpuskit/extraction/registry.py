"""Which function extracts which media type: each says it itself, with a decorator.

Other packages add theirs with an entry point of the group ``corpuskit.extractors``, whose name is the media type and
whose value an :class:`Extractor`.
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

_NO_DOCUMENT: Final = {
    ("application/json", "application/jsonlines", "application/geo+json", "text/csv", "text/tab-separated-values"):
        ": records are no document; write the text of each into a file of its own (.txt, .md, .html)",
    ("application/octet-stream",): ": these bytes are neither text nor of a format that is known",
}  # fmt: skip
"""Media types → what is said of them, behind that there is no extractor."""
_registered: dict[str, Extractor] = {}  # of this session, and of other packages


def register(media_type: str, extractor: Extractor) -> None:
    """Make an extractor the one for a media type, in this process.

    Args:
        media_type: Such as ``application/x-subrip``.
        extractor: Turns bytes into a document.
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
    if artifacts is not None and kind in WITH_FOLDER:
        extractor = partial(WITH_FOLDER[kind], folder=artifacts)
    try:
        document = extractor(content, uri=uri, options=options, charset=charset)
    except RecursionError as error:
        raise ExtractionError(f"{uri or 'input'}: nested too deeply") from error
    if kind != "text/x-nlptext":  # that is as it was written
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
    what = next((what for kinds, what in _NO_DOCUMENT.items() if media_type in kinds), "")
    raise UnsupportedMediaTypeError(f"no extractor for {media_type}{what}")
