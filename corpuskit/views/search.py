"""Finding elements by what they are and what they say; the condition is asked while the cache is read."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from corpuskit.document.elements import TYPE_NAMES
from corpuskit.errors import ConfigurationError
from corpuskit.store import CorpusFolder
from corpuskit.text.patterns import ignoring_case, problem_of
from corpuskit.views.frames import element_frame

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.interruptible import polars as pl

_CODE_POINT: Final = re.compile(r"U\+([0-9A-Fa-f]{1,6})")


def find(  # noqa: PLR0913 (all are named)
    folder: CorpusFolder,
    pattern: str | None = None,
    *,
    types: str | Iterable[str] | None = None,
    roles: str | Iterable[str] | None = None,
    lang: str | Iterable[str] | None = None,
    main: bool | None = None,
    min_words: int | None = None,
    max_words: int | None = None,
    doc_ids: Sequence[str] | None = None,
    text: bool = True,
    arrow: bool = False,
) -> pd.DataFrame:
    """The elements for which all conditions hold; columns as :func:`corpuskit.views.frames.elements`.

    What does not match is never taken into memory, so this works on corpora larger than it.

    Args:
        folder: the corpus.
        pattern: a regular expression that the text matches somewhere, without regard to case, in the syntax of Rust's
            ``regex``: as Python's, without look-around and back-references; or a character by its number, ``U+00A0``.
        types: of TextBlock, Section, List, NavigationList, ListItem, Table, TableHeader, TableCell.
        roles: such as section-heading, caption, code.
        lang: languages of the documents, ISO 639-1; ``?`` where it is not known.
        main: True for main content, False for the rest.
        min_words: at least so many words.
        max_words: at most so many words.
        doc_ids: only elements of these documents.
        text: False leaves out text, links, tex and locator.
        arrow: ArrowDtype columns.

    Raises:
        ConfigurationError: an unknown type, or a pattern that is no regular expression.
    """
    conditions = _conditions(pattern, types, roles, lang, main, min_words, max_words)
    where = functools.reduce(operator.and_, conditions) if conditions else None
    return element_frame(folder, doc_ids, text=text, arrow=arrow, where=where)


def _conditions(
    pattern: str | None,
    types: str | Iterable[str] | None,
    roles: str | Iterable[str] | None,
    lang: str | Iterable[str] | None,
    main: bool | None,
    min_words: int | None,
    max_words: int | None,
) -> list[pl.Expr]:
    from corpuskit.interruptible import polars as pl

    conditions: list[pl.Expr] = []
    kinds = _names(types)
    if unknown := [name for name in kinds or () if name not in TYPE_NAMES]:
        raise ConfigurationError(f"found the element type {unknown[0]!r}, expected one of {', '.join(TYPE_NAMES)}")
    for column, names in (("type", kinds), ("role", _names(roles)), ("lang", _names(lang))):
        if names is not None:
            within = pl.col(column).is_in(names)
            conditions.append(within | pl.col(column).is_null() if column == "lang" and "?" in names else within)
    if main is not None:
        conditions.append(pl.col("main") == main)
    if min_words is not None:
        conditions.append(pl.col("words") >= min_words)
    if max_words is not None:
        conditions.append(pl.col("words") <= max_words)
    if pattern:
        conditions.append(_matches(pattern))
    return conditions


def _names(value: str | Iterable[str] | None) -> list[str] | None:
    return None if value is None else [value] if isinstance(value, str) else list(value)


def _matches(pattern: str) -> pl.Expr:
    from corpuskit.interruptible import polars as pl

    text = pl.col("text")
    if (number := _CODE_POINT.fullmatch(pattern)) and int(number[1], 16) < 0x110000:
        return text.str.contains(chr(int(number[1], 16)), literal=True)
    if (problem := problem_of(pattern)) is not None:
        raise ConfigurationError(f"{pattern!r} cannot be searched for: {problem}")
    return text.str.contains(ignoring_case(pattern))
