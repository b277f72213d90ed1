"""Functions of frenchtext for the files written by ``corpus.export(folder, format="frenchtext")``.

Example:
    >>> from corpuskit.compat import frenchtext as ft                   # doctest: +SKIP
    >>> folder = corpus.export("out", format="frenchtext").folder       # doctest: +SKIP
    >>> ft.list_datasets(folder)                                        # doctest: +SKIP
    >>> frame = ft.read_dataset_file(folder, "bank.example")            # doctest: +SKIP
    >>> ft.find_textblocks_with_chars(frame, "œ", count=5)              # doctest: +SKIP
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from corpuskit.errors import SourceError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "find_textblocks_with_chars",
    "get_rows_from_datasetdf",
    "get_text_from_rowindex",
    "get_textblocks_from_dataset",
    "get_url_from_rowindex",
    "list_dataset_files",
    "list_datasets",
    "read_dataset_file",
    "read_extraction_file",
    "read_urls_file",
    "show_first_rows",
    "show_first_textblocks",
]

Folder = str | os.PathLike[str]
_INDEX: Final = "datasets.csv"
_MIN_WORDS: Final = 5


def list_datasets(folder: Folder) -> pd.DataFrame:
    """Return one row per data set: Dataset, Website, Url, Pages, Words.

    Words are counted in the file of text blocks. It has repeated blocks of a site once, so that the count is lower than in
    :func:`read_urls_file`.

    Args:
        folder: The folder of the export.
    """
    return _index(folder)[["Dataset", "Website", "Url", "Pages", "Words"]]


def list_dataset_files(folder: Folder, dataset: str | None = None) -> list[str]:
    """Return the names of the files of text blocks, for one data set or all.

    Args:
        folder: The folder of the export.
        dataset: Name of a data set; None: all.
    """
    index = _index(folder)
    chosen = index if dataset is None else index[index["Dataset"] == dataset]
    return list(chosen["DatasetFile"])


def read_dataset_file(folder: Folder, dataset: str) -> pd.DataFrame:
    """Return the text blocks of a data set: Website, DocId, DocEltType, DocEltCmd, NestingLevel, Text, Lang, Words, Unique.

    Args:
        folder: The folder of the export.
        dataset: Name of the data set.
    """
    return _read(folder, dataset, "DatasetFile")


def read_urls_file(folder: Folder, dataset: str) -> pd.DataFrame:
    """Return the pages of a data set: DocId, DocUrl, License, Words, and words and shares by language.

    Words counts the title and all blocks of a page, including blocks repeated on other pages of the site. In
    ``corpus.documents()``, ``main_words`` does not include the title, and ``words`` includes blocks that are not main.

    Args:
        folder: The folder of the export.
        dataset: Name of the data set.
    """
    return _read(folder, dataset, "UrlsFile")


def read_extraction_file(path: Folder) -> pd.DataFrame:
    """Return the events of a ``.nlp.txt``: DocId, DocEltType, DocEltCmd, NestingLevel, Text.

    Args:
        path: The file.

    Raises:
        SourceError: The file cannot be read.
    """
    from corpuskit.document import read_nlptext

    try:
        return read_nlptext(path, strict=False).events()
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror or error}") from error


def get_rows_from_datasetdf(
    frame: pd.DataFrame, minwords: int | None = _MIN_WORDS, maxwords: int | None = None, lang: str | None = None
) -> pd.DataFrame:
    """Return the rows within a range of word counts and in one language; None disables a condition.

    Args:
        frame: Result of :func:`read_dataset_file`.
        minwords: Minimum number of words.
        maxwords: Maximum number of words.
        lang: ISO 639-1 code.
    """
    import pandas as pd

    mask = pd.Series(True, index=frame.index)
    if minwords is not None:
        mask &= frame["Words"] >= minwords
    if maxwords is not None:
        mask &= frame["Words"] <= maxwords
    if lang is not None:
        mask &= frame["Lang"] == lang
    return frame[mask]


def show_first_rows(frame: pd.DataFrame, count: int = 10, skip: int = 0) -> pd.DataFrame:
    """Return ``count`` rows after the first ``skip``.

    Args:
        frame: Any frame.
        count: Number of rows.
        skip: Number of rows to skip.
    """
    return frame.iloc[skip : skip + count]


def get_textblocks_from_dataset(
    folder: Folder, dataset: str | None = None, minwords: int | None = _MIN_WORDS, maxwords: int | None = None,
    lang: str | None = None,
) -> Iterator[str]:  # fmt: skip
    """Yield the texts of one data set or all, with one file in memory at a time.

    Args:
        folder: The folder of the export.
        dataset: Name of a data set; None: all.
        minwords: Minimum number of words.
        maxwords: Maximum number of words.
        lang: ISO 639-1 code.
    """
    names = _index(folder)["Dataset"] if dataset is None else [dataset]
    for name in names:
        yield from get_rows_from_datasetdf(read_dataset_file(folder, name), minwords, maxwords, lang)["Text"]


def show_first_textblocks(
    folder: Folder, dataset: str | None = None, count: int = 10, skip: int = 0, minwords: int | None = _MIN_WORDS
) -> list[str]:
    """Return ``count`` texts after the first ``skip``.

    Args:
        folder: The folder of the export.
        dataset: Name of a data set; None: all.
        count: Number of texts.
        skip: Number of texts to skip.
        minwords: Minimum number of words.
    """
    import itertools

    return list(itertools.islice(get_textblocks_from_dataset(folder, dataset, minwords), skip, skip + count))


def get_text_from_rowindex(frame: pd.DataFrame, rowindex: int) -> str:
    """Return the text of a row by its index label.

    Args:
        frame: Result of :func:`read_dataset_file`.
        rowindex: Label of the row.
    """
    return str(frame["Text"][rowindex])


def get_url_from_rowindex(frame: pd.DataFrame, rowindex: int, urls: pd.DataFrame) -> str:
    """Return the URL of the page of a row.

    Args:
        frame: Result of :func:`read_dataset_file`.
        rowindex: Label of the row.
        urls: Result of :func:`read_urls_file`.
    """
    page = urls[urls["DocId"] == frame["DocId"][rowindex]]
    return str(page["DocUrl"].iloc[0])


def find_textblocks_with_chars(
    frame: pd.DataFrame, chars: str | int, count: int = 20, ctxsize: int = 15
) -> pd.DataFrame:
    """Return the occurrences of characters in context.

    Args:
        frame: Result of :func:`read_dataset_file`.
        chars: Characters to search for, or the code point of one.
        count: Maximum number of occurrences.
        ctxsize: Number of context characters on each side; shorter contexts are padded with spaces.

    Returns:
        Columns rowindex (int64), left, char, right (str).
    """
    import pandas as pd

    letters = chr(chars) if isinstance(chars, int) else chars
    pattern = re.compile("[" + re.escape(letters) + "]")
    matches: list[tuple[int, str, str, str]] = []
    for index, text in zip(frame.index, frame["Text"], strict=True):
        for match in pattern.finditer(text):
            if len(matches) >= count:
                break
            at = match.start()
            left, right = text[max(0, at - ctxsize) : at], text[at + 1 : at + 1 + ctxsize]
            matches.append((int(index), left.rjust(ctxsize), match[0], right.ljust(ctxsize)))
    columns = {"rowindex": "int64", "left": "str", "char": "str", "right": "str"}
    return pd.DataFrame(matches, columns=list(columns)).astype(columns)


def _index(folder: Folder) -> pd.DataFrame:
    import pandas as pd

    file = _root(folder) / _INDEX
    if not file.is_file():
        raise SourceError(f'{file} does not exist: write it with corpus.export(folder, format="frenchtext")')
    return pd.read_csv(file, sep=";")


def _root(folder: Folder) -> Path:
    root = Path(folder)
    return root / "frenchtext" if (root / "frenchtext").is_dir() else root


def _read(folder: Folder, dataset: str, column: str) -> pd.DataFrame:
    import pandas as pd

    index = _index(folder)
    names = index.loc[index["Dataset"] == dataset, column]
    if names.empty:
        raise SourceError(f"no data set {dataset!r}; there are: {', '.join(index['Dataset'][:20])}")
    # The index may be untrusted: only the last part of the path is used.
    return pd.read_feather(_root(folder) / Path(str(names.iloc[0])).name)
