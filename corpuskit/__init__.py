"""From web sites, PDF and Word files and a few labels to a clean domain corpus.

>>> import corpuskit as ck
>>> doc = ck.extract(b"<h1>Rates</h1><p>3 % a year.</p>", media_type="text/html")
>>> doc.to_text()
'Rates\\n3 % a year.'
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

from corpuskit._version import __version__ as __version__
from corpuskit.errors import CorpusKitError, DocumentFormatError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from corpuskit.corpus import Corpus
    from corpuskit.document import NLPTextDocument
    from corpuskit.extraction import ExtractOptions
    from corpuskit.sources.commoncrawl import Index
    from corpuskit.sources.single import Opened

__all__ = ["CorpusKitError", "DocumentFormatError", "commoncrawl", "extract", "open", "read_nlptext", "write_nlptext"]


def open(path: str | os.PathLike[str], *, trust: bool = False) -> Corpus:
    """Open a corpus folder, and create it if it is missing.

    A corpus may be untrusted: links out of its folder are not followed, and a catalog that this machine opens for the
    first time is validated.

    Args:
        path: The folder.
        trust: The corpus is your own: follow symbolic links to other disks, and open the catalog without validation.

    Raises:
        CorpusError: The folder has other content, its catalog is damaged, or a link leads out of it.
        CorpusVersionError: A newer version of corpuskit created it.
        SourceError: The path is empty.
    """
    from corpuskit.corpus import Corpus

    return Corpus(path, trust=trust)


def commoncrawl(index: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], **filters: Any) -> Index:
    """Return an index of web archives, such as ``CC-MAIN-2024-22``, for ``corpus.archives.discover()``.

    Args:
        index: A crawl of Common Crawl, or files, folders and patterns of index files on disk, over https or in a bucket.
        filters: ``domains``, ``tld``, ``languages``, ``mime``, ``status``, ``since``, ``base``, ``anonymous``; see
            :func:`corpuskit.sources.commoncrawl.commoncrawl`.

    Raises:
        SourceError: The file does not exist, or is not an index.
        ConfigurationError: A filter is invalid.
        MissingExtraError: The extra ``dask`` is not installed.
    """
    from corpuskit.hooks import hook

    opened: Index = hook("commoncrawl")(index, **filters)
    return opened


def extract(
    source: str | os.PathLike[str] | bytes | IO[bytes] | Any,
    *,
    media_type: str | None = None,
    uri: str | None = None,
    options: ExtractOptions | None = None,
) -> NLPTextDocument:
    """Return one resource as a document.

    Args:
        source: a path, a URL, bytes, a file opened for reading bytes, or a parsed lxml element.
        media_type: such as ``"text/html"``; else it is found from the content.
        uri: where the content came from, for its links and its ``uri``.
        options: choices for the extraction, a :class:`corpuskit.extraction.ExtractOptions`.

    Raises:
        ExtractionError: the content is damaged, encrypted, too large or of an unknown type.
        FetchError: the URL cannot be fetched.
        SourceError: the file cannot be read.
        TypeError: nothing of these; or HTML in a str: its encoding is not known, so pass ``text.encode()``.
    """
    from corpuskit.extraction import ExtractOptions
    from corpuskit.sources.single import Opened, open_source

    options = options or ExtractOptions()
    opened = open_source(source, media_type=media_type, uri=uri, max_bytes=options.max_bytes)
    if not isinstance(opened, Opened):
        from corpuskit.extraction.choices import apply_choices
        from corpuskit.extraction.html import extract_tree

        document = extract_tree(opened, uri=uri, options=options)
        apply_choices(document, options)
        return document
    if opened.media_type == "application/pdf":
        from corpuskit import engine

        # A hostile PDF can end the whole process from within the PDF library.
        try:
            return engine.call(_extract_opened, opened, options)
        except engine.WorkerDiedError:  # some broken forms do that
            from dataclasses import replace

            from corpuskit.extraction import ExtractOptions

            return engine.call(_extract_opened, opened, replace(options or ExtractOptions(), forms=False))
    return _extract_opened(opened, options)


def _extract_opened(opened: Opened, options: ExtractOptions) -> NLPTextDocument:
    from corpuskit.extraction import extract_bytes

    document = extract_bytes(
        opened.content, media_type=opened.media_type, uri=opened.uri, options=options, charset=opened.charset
    )
    if document.timestamp is None and (date := opened.modified or opened.fetched):
        document.timestamp = date
        document.metadata["timestamp_source"] = "last-modified" if opened.modified else "fetched"
    document.original = opened.path
    return document


def read_nlptext(path_or_file: str | os.PathLike[str] | IO[bytes] | IO[str], *, strict: bool = True) -> NLPTextDocument:
    """Read a ``.nlp.txt`` file.

    Args:
        path_or_file: Path, or a file opened for reading bytes or text.
        strict: Reject violations of the format; otherwise repair them and fill the document's ``warnings``.

    Raises:
        DocumentFormatError: ``strict`` is set and the file violates the format; ``.line`` is its line.
        SourceError: The file does not exist, or is a directory.
        TypeError: The argument is neither a path nor a file.
    """
    from corpuskit.document.reader import read_nlptext

    return read_nlptext(path_or_file, strict=strict)


def write_nlptext(document: NLPTextDocument, path_or_file: str | os.PathLike[str] | IO[bytes] | IO[str]) -> None:
    """Write a document as ``.nlp.txt``: UTF-8, line feeds, normal form.

    Args:
        document: The document; it is not changed.
        path_or_file: A path, or a file opened for writing bytes or text.
    """
    from corpuskit.document.writer import write_nlptext

    write_nlptext(document, path_or_file)
