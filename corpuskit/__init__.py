"""Build a clean domain corpus from web sites, PDF and Word files and a few labels.

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
    """Open a corpus. The folder is created if it does not exist.

    A corpus from an untrusted source can be opened safely: links in it are not followed, and a catalog that is opened
    for the first time on this machine is validated.

    Args:
        path: The folder.
        trust: Follow symbolic links and skip the validation of the catalog. For your own corpus, for example one on
            several disks or with a damaged catalog.

    Raises:
        CorpusError: The folder is not a corpus, its catalog is damaged, or it contains a link.
        CorpusVersionError: The corpus was created by a newer version of corpuskit.
        SourceError: The path is empty.
    """
    from corpuskit.corpus import Corpus

    return Corpus(path, trust=trust)


def commoncrawl(index: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], **filters: Any) -> Index:
    """Return an index of web archives, such as ``CC-MAIN-2024-22``, for ``corpus.archives.discover()``.

    Args:
        index: A crawl of Common Crawl, or files, directories and patterns of indexes on disk, over https or in a
            bucket.
        filters: ``domains``, ``tld``, ``languages``, ``mime``, ``status``, ``since``, ``base``, ``anonymous``; see
            :func:`corpuskit.sources.commoncrawl.commoncrawl`.

    Raises:
        SourceError: No such file, or the files are not an index.
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
    """Extract a document from one resource.

    Args:
        source: A path, a URL, bytes, a binary file object, or a parsed lxml element.
        media_type: For example ``"text/html"``. Detected from the content by default.
        uri: Origin of the content: base of relative links and ``uri`` of the document.
        options: Options of the extraction, a :class:`corpuskit.extraction.ExtractOptions`.

    Raises:
        ExtractionError: The content is damaged, encrypted, too large or of an unsupported type.
        FetchError: The URL cannot be fetched.
        SourceError: The file cannot be read.
        TypeError: The source has another type. HTML in a str has no known encoding: pass ``text.encode()``.
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

        # In a worker process: a malicious PDF can crash the PDF library.
        try:
            return engine.call(_extract_opened, opened, options)
        except engine.WorkerDiedError:  # damaged forms can crash the library
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
        path_or_file: A path, or a file object opened for reading bytes or text.
        strict: Raise if the file violates the format. If False, repair it and add to the document's ``warnings``.

    Raises:
        DocumentFormatError: ``strict``, and the file violates the format; ``.line`` is the line number.
        SourceError: The file does not exist or is a directory.
        TypeError: The argument is neither a path nor a file object.
    """
    from corpuskit.document.reader import read_nlptext

    return read_nlptext(path_or_file, strict=strict)


def write_nlptext(document: NLPTextDocument, path_or_file: str | os.PathLike[str] | IO[bytes] | IO[str]) -> None:
    """Write a document in normal form as ``.nlp.txt``: UTF-8 with line feeds.

    Args:
        document: The document. It is not changed.
        path_or_file: A path, or a file object opened for writing bytes or text.
    """
    from corpuskit.document.writer import write_nlptext

    write_nlptext(document, path_or_file)
