"""Exceptions of corpuskit.

::

    CorpusKitError
    ├── DocumentFormatError (ValueError)      a .nlp.txt or marks file violates the format; .line .found .expected
    ├── DocumentModelError (ValueError)       an invalid tree: an end without its start, a cell outside a table
    ├── ExtractionError (ValueError)          the content cannot be converted into a document
    │   ├── UnsupportedMediaTypeError         no extractor for this media type, or its extra is not installed
    │   ├── EncryptedDocumentError            a password is needed
    │   └── ResourceLimitError                a limit of time, memory or size was exceeded
    ├── FetchError (OSError)                  a URL cannot be fetched; .status .url
    │   ├── RefusedError                      fetching is not allowed: robots.txt, private address, unknown scheme
    │   └── UnreachableError                  the host or its robots.txt cannot be reached; .retry_after
    ├── SourceError (OSError)                 a file, directory or archive cannot be read
    ├── CorpusError (RuntimeError)            the corpus is damaged or cannot be read or written
    │   ├── CorpusVersionError                created by a newer version of corpuskit
    │   ├── CorpusBusyError                   another process works on this corpus
    │   └── UnknownDocumentError (KeyError)   no such document
    ├── ConfigurationError (ValueError)       an invalid option, argument or line of corpus.toml
    │   └── UnknownNameError (KeyError)       no such sub-corpus or saved query
    ├── RelevanceError (ValueError)           too few labels or texts to train a model; an unreadable model
    ├── ExportError (ValueError)              an export cannot be written
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
    """Base class of all errors raised by corpuskit.

    IPython and Jupyter show the message and the line of the call. ``%tb`` shows the full traceback.
    """

    _was_shown = False

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython prints: a short form first, the full traceback on the second call (``%tb``)."""
        import traceback
        from pathlib import Path

        if self._was_shown:
            from IPython import get_ipython

            shell = get_ipython()
            if shell is not None:
                lines: list[str] = shell.InteractiveTB.structured_traceback(type(self), self, self.__traceback__)
                return lines
            return traceback.format_exception(self)
        self._was_shown = True
        package = Path(__file__).parent
        callers = [frame for frame in traceback.extract_tb(self.__traceback__)
                 if package not in Path(frame.filename).parents and frame.line]  # fmt: skip
        location = [f"  line {callers[-1].lineno}: {callers[-1].line}"] if callers else []
        return [f"{type(self).__name__}: {self}", *location, "  (%tb shows the full traceback)"]


class DocumentFormatError(CorpusKitError, ValueError):
    """A ``.nlp.txt`` or marks file violates the format.

    Args:
        where: Name of the file, for the message.

    Attributes:
        line: 1-based line number.
        found: Content of the line, cut at 50 characters.
        expected: Content that the format requires.
    """

    def __init__(self, line: int, found: str, expected: str, *, where: str | None = None) -> None:
        self.line = line
        self.found = found if len(found) <= 50 else found[:50] + "..."
        self.expected = expected
        self.where = where
        location = f"{where}, line {line}" if where else f"line {line}"
        super().__init__(f"{location}: found {self.found!r}, expected {expected}")

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_format_error, (self.line, self.found, self.expected, self.where)


def _rebuild_format_error(line: int, found: str, expected: str, where: str | None) -> DocumentFormatError:
    error = DocumentFormatError(line, "", expected, where=where)
    error.found = found
    location = f"{where}, line {line}" if where else f"line {line}"
    error.args = (f"{location}: found {found!r}, expected {expected}",)
    return error


class DocumentModelError(CorpusKitError, ValueError):
    """A document tree is invalid."""


class ExtractionError(CorpusKitError, ValueError):
    """The content cannot be converted into a document."""


class UnsupportedMediaTypeError(ExtractionError):
    """No extractor supports this media type."""


class EncryptedDocumentError(ExtractionError):
    """A password is needed to read this document."""


class ResourceLimitError(ExtractionError):
    """An item exceeded a limit of time, memory or size."""


class FetchError(CorpusKitError, OSError):
    """A URL cannot be fetched.

    Args:
        message: The reason.

    Attributes:
        url: The URL.
        status: HTTP status, or None without a response.
    """

    def __init__(self, message: str, *, url: str = "", status: int | None = None) -> None:
        super().__init__(message)
        self.url = url
        self.status = status


class RefusedError(FetchError):
    """Fetching a URL is not allowed: robots.txt, a private address or an unknown scheme."""


class UnreachableError(FetchError):
    """A host cannot be reached, or its robots.txt cannot be read and no URL of the host may be fetched without it.

    Args:
        message: The reason.
        url: The URL.
        status: HTTP status, or None without a response.

    Attributes:
        retry_after: Seconds from the Retry-After header, or None.
    """

    def __init__(
        self, message: str, *, url: str = "", status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message, url=url, status=status)
        self.retry_after = retry_after


class SourceError(CorpusKitError, OSError):
    """A file, directory or archive cannot be read."""


class CorpusError(CorpusKitError, RuntimeError):
    """The corpus is damaged or cannot be read or written."""


class CorpusVersionError(CorpusError):
    """The corpus was created by a newer version of corpuskit."""


class CorpusBusyError(CorpusError):
    """Another process works on this corpus."""


class UnknownDocumentError(CorpusError, KeyError):
    """The corpus has no such document."""

    def __str__(self) -> str:  # KeyError would show the repr
        return str(self.args[0]) if self.args else ""


class ConfigurationError(CorpusKitError, ValueError):
    """An invalid option, argument or line of corpus.toml."""


class UnknownNameError(ConfigurationError, KeyError):
    """The corpus has no sub-corpus or saved query with this name."""

    def __str__(self) -> str:  # KeyError would show the repr
        return str(self.args[0]) if self.args else ""


class RelevanceError(CorpusKitError, ValueError):
    """Labels or texts are not sufficient to train a model, or a model cannot be read."""


class ExportError(CorpusKitError, ValueError):
    """An export cannot be written."""


class MissingFeatureError(CorpusKitError, LookupError):
    """A feature group of corpuskit is not installed, or cannot be imported."""


class MissingExtraError(CorpusKitError, ImportError):
    """A package of an optional extra is not installed.

    Args:
        package: The missing package.
        extra: The extra of corpuskit that installs it.
    """

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed; install it with: pip install 'corpuskit[{extra}]'")
        self.package = package
        self.extra = extra

    def __reduce__(self) -> tuple[object, ...]:
        return MissingExtraError, (self.package, self.extra)
