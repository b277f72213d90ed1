"""The verbs of frenchtext, on what ``corpus.export(folder, format="frenchtext")`` has written.

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
_LEAST_WORDS: Final = 5


def list_datasets(folder: Folder) -> pd.DataFrame:
    """Return one row a data set: Dataset, Website, Url, Pages, Words.

    Words are those of its file of blocks, where equal blocks of a site stand once, so that they are fewer than those of
    :func:`read_urls_file`.

    Args:
        folder: The folder of the export.
    """
    return _index(folder)[["Dataset", "Website", "Url", "Pages", "Words"]]


def list_dataset_files(folder: Folder, dataset: str | None = None) -> list[str]:
    """Return the names of the files of blocks, of one data set or of all.

    Args:
        folder: The folder of the export.
        dataset: Name of a data set; None: all.
    """
    index = _index(folder)
    chosen = index if dataset is None else index[index["Dataset"] == dataset]
    return list(chosen["DatasetFile"])


def read_dataset_file(folder: Folder, dataset: str) -> pd.DataFrame:
    """Return the blocks of a data set: Website, DocId, DocEltType, DocEltCmd, NestingLevel, Text, Lang, Words, Unique.

    Args:
        folder: The folder of the export.
        dataset: Name of the data set.
    """
    return _read(folder, dataset, "DatasetFile")


def read_urls_file(folder: Folder, dataset: str) -> pd.DataFrame:
    """Return the pages of a data set: DocId, DocUrl, License, Words, and words and shares by language.

    Words of a page are those of its title and of its blocks, also of those that other pages of the site have too. The
    ``main_words`` of ``corpus.documents()`` are fewer by those of the title, ``words`` count what is not main as well.

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
    frame: pd.DataFrame, minwords: int | None = _LEAST_WORDS, maxwords: int | None = None, lang: str | None = None
) -> pd.DataFrame:
    """Return the rows with some number of words, in one language; None leaves a condition out.

    Args:
        frame: Of :func:`read_dataset_file`.
        minwords: The least number of words.
        maxwords: The greatest number of words.
        lang: ISO 639-1 code.
    """
    import pandas as pd

    wanted = pd.Series(True, index=frame.index)
    if minwords is not None:
        wanted &= frame["Words"] >= minwords
    if maxwords is not None:
        wanted &= frame["Words"] <= maxwords
    if lang is not None:
        wanted &= frame["Lang"] == lang
    return frame[wanted]


def show_first_rows(frame: pd.DataFrame, count: int = 10, skip: int = 0) -> pd.DataFrame:
    """Return ``count`` rows behind the first ``skip``.

    Args:
        frame: Any frame.
        count: Number of rows.
        skip: Number of rows before.
    """
    return frame.iloc[skip : skip + count]


def get_textblocks_from_dataset(
    folder: Folder, dataset: str | None = None, minwords: int | None = _LEAST_WORDS, maxwords: int | None = None,
    lang: str | None = None,
) -> Iterator[str]:  # fmt: skip
    """Yield the texts of a data set, or of all, one file in memory at a time.

    Args:
        folder: The folder of the export.
        dataset: Name of a data set; None: all.
        minwords: The least number of words.
        maxwords: The greatest number of words.
        lang: ISO 639-1 code.
    """
    names = _index(folder)["Dataset"] if dataset is None else [dataset]
    for name in names:
        yield from get_rows_from_datasetdf(read_dataset_file(folder, name), minwords, maxwords, lang)["Text"]


def show_first_textblocks(
    folder: Folder, dataset: str | None = None, count: int = 10, skip: int = 0, minwords: int | None = _LEAST_WORDS
) -> list[str]:
    """Return ``count`` texts behind the first ``skip``.

    Args:
        folder: The folder of the export.
        dataset: Name of a data set; None: all.
        count: Number of texts.
        skip: Number of texts before.
        minwords: The least number of words.
    """
    import itertools

    return list(itertools.islice(get_textblocks_from_dataset(folder, dataset, minwords), skip, skip + count))


def get_text_from_rowindex(frame: pd.DataFrame, rowindex: int) -> str:
    """Return the text of a row, by its label in the index.

    Args:
        frame: Of :func:`read_dataset_file`.
        rowindex: Label of the row.
    """
    return str(frame["Text"][rowindex])


def get_url_from_rowindex(frame: pd.DataFrame, rowindex: int, urls: pd.DataFrame) -> str:
    """Return the address of the page that a row came from.

    Args:
        frame: Of :func:`read_dataset_file`.
        rowindex: Label of the row.
        urls: Of :func:`read_urls_file`.
    """
    page = urls[urls["DocId"] == frame["DocId"][rowindex]]
    return str(page["DocUrl"].iloc[0])


def find_textblocks_with_chars(
    frame: pd.DataFrame, chars: str | int, count: int = 20, ctxsize: int = 15
) -> pd.DataFrame:
    """Return where characters stand, in context.

    Args:
        frame: of :func:`read_dataset_file`.
        chars: any of these characters, or the code point of one.
        count: at most so many places.
        ctxsize: characters on either side; fewer are filled up with blanks.

    Returns:
        Columns rowindex (int64), left, char, right (str).
    """
    import pandas as pd

    letters = chr(chars) if isinstance(chars, int) else chars
    pattern = re.compile("[" + re.escape(letters) + "]")
    found: list[tuple[int, str, str, str]] = []
    for index, text in zip(frame.index, frame["Text"], strict=True):
        for match in pattern.finditer(text):
            if len(found) >= count:
                break
            at = match.start()
            left, right = text[max(0, at - ctxsize) : at], text[at + 1 : at + 1 + ctxsize]
            found.append((int(index), left.rjust(ctxsize), match[0], right.ljust(ctxsize)))
    columns = {"rowindex": "int64", "left": "str", "char": "str", "right": "str"}
    return pd.DataFrame(found, columns=list(columns)).astype(columns)


def _index(folder: Folder) -> pd.DataFrame:
    import pandas as pd

    file = _root(folder) / _INDEX
    if not file.is_file():
        raise SourceError(f'{file} is not there: corpus.export(folder, format="frenchtext") writes it')
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
    # Only a name: an index may come from a stranger.
    return pd.read_feather(_root(folder) / Path(str(names.iloc[0])).name)
