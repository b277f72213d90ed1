"""Every error that corpuskit raises on purpose.

::

    CorpusKitError
    ├── DocumentFormatError (ValueError)      a .nlp.txt or marks file breaks the format; .line .found .expected
    ├── DocumentModelError (ValueError)       a tree is built wrongly: an end without its start, a cell outside a table
    ├── ExtractionError (ValueError)          bytes cannot be turned into a document
    │   ├── UnsupportedMediaTypeError         no extractor for this media type, or its extra is not installed
    │   ├── EncryptedDocumentError            a password is needed
    │   └── ResourceLimitError                the time, memory or size limit was reached
    ├── FetchError (OSError)                  a URL cannot be fetched; .status .url
    │   ├── RefusedError                      we do not want to fetch it: robots.txt, private address, scheme
    │   └── UnreachableError                  its host cannot be reached, or robots.txt not be read; .retry_after
    ├── SourceError (OSError)                 a file, folder or archive cannot be read
    ├── CorpusError (RuntimeError)            the corpus folder is not as it should be
    │   ├── CorpusVersionError                made by a newer version of corpuskit
    │   ├── CorpusBusyError                   another crawl runs on this corpus
    │   └── UnknownDocumentError (KeyError)   no such doc_id
    ├── ConfigurationError (ValueError)       a wrong option, keyword or line of corpus.toml
    │   └── UnknownNameError (KeyError)       no such sub-corpus or saved query
    ├── RelevanceError (ValueError)           labels or texts no model can be trained from; a model folder that cannot be read
    ├── ExportError (ValueError)              an export cannot be written as asked
    ├── MissingFeatureError (LookupError)     a feature group of corpuskit is not installed
    └── MissingExtraError (ImportError)       a package of an optional extra is not installed
"""

from __future__ import annotations

__all__ = [
    "ConfigurationError",
    "CorpusBusyError",
    "CorpusError",
    "CorpusKitError",
    "CorpusVersionError",
    "DocumentFormatError",
    "DocumentModelError",
    "EncryptedDocumentError",
    "ExportError",
    "ExtractionError",
    "FetchError",
    "MissingExtraError",
    "MissingFeatureError",
    "RefusedError",
    "RelevanceError",
    "ResourceLimitError",
    "SourceError",
    "UnknownDocumentError",
    "UnknownNameError",
    "UnreachableError",
    "UnsupportedMediaTypeError",
]


class CorpusKitError(Exception):
    """The root of all errors raised on purpose.

    In IPython and Jupyter its message and the line that asked are shown; ``%tb`` shows the whole traceback.
    """

    _was_told = False

    def _render_traceback_(self) -> list[str]:
        """Return what IPython prints; the second time, for ``%tb``, all of it."""
        import traceback
        from pathlib import Path

        if self._was_told:
            from IPython import get_ipython

            shell = get_ipython()
            if shell is not None:
                whole: list[str] = shell.InteractiveTB.structured_traceback(type(self), self, self.__traceback__)
                return whole
            return traceback.format_exception(self)
        self._was_told = True
        package = Path(__file__).parent
        asked = [frame for frame in traceback.extract_tb(self.__traceback__)
                 if package not in Path(frame.filename).parents and frame.line]  # fmt: skip
        place = [f"  line {asked[-1].lineno}: {asked[-1].line}"] if asked else []
        return [f"{type(self).__name__}: {self}", *place, "  (%tb shows the whole traceback)"]


class DocumentFormatError(CorpusKitError, ValueError):
    """A ``.nlp.txt`` file breaks the format.

    Args:
        where: The file, which the message names.

    Attributes:
        line: 1-based number of the line.
        found: what stands there, cut at 50 characters.
        expected: what the format asks for.
    """

    def __init__(self, line: int, found: str, expected: str, *, where: str | None = None) -> None:
        self.line = line
        self.found = found if len(found) <= 50 else found[:50] + "..."
        self.expected = expected
        self.where = where
        place = f"{where}, line {line}" if where else f"line {line}"
        super().__init__(f"{place}: found {self.found!r}, expected {expected}")

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_format_error, (self.line, self.found, self.expected, self.where)


def _rebuild_format_error(line: int, found: str, expected: str, where: str | None) -> DocumentFormatError:
    error = DocumentFormatError(line, "", expected, where=where)
    error.found = found
    place = f"{where}, line {line}" if where else f"line {line}"
    error.args = (f"{place}: found {found!r}, expected {expected}",)
    return error


class DocumentModelError(CorpusKitError, ValueError):
    """A document tree is built wrongly."""


class ExtractionError(CorpusKitError, ValueError):
    """Bytes cannot be turned into a document."""


class UnsupportedMediaTypeError(ExtractionError):
    """There is no extractor for this media type."""


class EncryptedDocumentError(ExtractionError):
    """A password is needed to read this document."""


class ResourceLimitError(ExtractionError):
    """The work on one item reached its limit of time, memory or size."""


class FetchError(CorpusKitError, OSError):
    """A URL cannot be fetched.

    Args:
        message: What happened.

    Attributes:
        url: the URL.
        status: the HTTP status, or None where no answer came.
    """

    def __init__(self, message: str, *, url: str = "", status: int | None = None) -> None:
        super().__init__(message)
        self.url = url
        self.status = status


class RefusedError(FetchError):
    """A URL that must not be fetched: robots.txt, a private address, an unknown scheme."""


class UnreachableError(FetchError):
    """A host cannot be reached, or its robots.txt cannot be read, without which nothing of it may be fetched.

    Args:
        message: What happened.
        url: The URL.
        status: The HTTP status, or None where no answer came.

    Attributes:
        retry_after: how long the server asks to be left alone, in seconds; None where it says nothing.
    """

    def __init__(
        self, message: str, *, url: str = "", status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message, url=url, status=status)
        self.retry_after = retry_after


class SourceError(CorpusKitError, OSError):
    """A file, folder or archive cannot be read."""


class CorpusError(CorpusKitError, RuntimeError):
    """The corpus folder is not as it should be."""


class CorpusVersionError(CorpusError):
    """The corpus was made by a newer version of corpuskit."""


class CorpusBusyError(CorpusError):
    """Another crawl runs on this corpus."""


class UnknownDocumentError(CorpusError, KeyError):
    """There is no document with this ``doc_id``."""

    def __str__(self) -> str:  # KeyError would show the repr
        return str(self.args[0]) if self.args else ""


class ConfigurationError(CorpusKitError, ValueError):
    """A wrong option, keyword or line of corpus.toml."""


class UnknownNameError(ConfigurationError, KeyError):
    """There is no sub-corpus or saved query of this name."""

    def __str__(self) -> str:  # KeyError would show the repr
        return str(self.args[0]) if self.args else ""


class RelevanceError(CorpusKitError, ValueError):
    """Labels or texts from which no model can be trained, or a model folder that cannot be read."""


class ExportError(CorpusKitError, ValueError):
    """An export cannot be written as asked."""


class MissingFeatureError(CorpusKitError, LookupError):
    """A feature group of corpuskit is not installed, or cannot be imported."""


class MissingExtraError(CorpusKitError, ImportError):
    """A package of an optional extra is not installed.

    Args:
        package: The package that is not installed.
        extra: The extra of corpuskit that brings it.
    """

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed; install it with: pip install 'corpuskit[{extra}]'")
        self.package = package
        self.extra = extra

    def __reduce__(self) -> tuple[object, ...]:
        return MissingExtraError, (self.package, self.extra)
