"""Finding elements by what they are and what they say; the condition is asked while the cache is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from corpuskit.document.elements import TYPE_NAMES
from corpuskit.errors import ConfigurationError
from corpuskit.store import CorpusFolder
from corpuskit.views.frames import element_frame

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow.compute as pc

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
        pattern: a regular expression (RE2, so no look-around and no back-references) that the text matches somewhere,
            without regard to case; or a character by its number, ``U+00A0``.
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
    condition = _condition(pattern, types, roles, lang, main, min_words, max_words)
    return element_frame(folder, doc_ids, text=text, arrow=arrow, condition=condition)


def _condition(
    pattern: str | None,
    types: str | Iterable[str] | None,
    roles: str | Iterable[str] | None,
    lang: str | Iterable[str] | None,
    main: bool | None,
    min_words: int | None,
    max_words: int | None,
) -> pc.Expression | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = []
    kinds = _names(types)
    if unknown := [name for name in kinds or () if name not in TYPE_NAMES]:
        raise ConfigurationError(f"found the element type {unknown[0]!r}, expected one of {', '.join(TYPE_NAMES)}")
    for column, names in (("type", kinds), ("role", _names(roles)), ("lang", _names(lang))):
        if names is not None:
            within = pc.field(column).cast(pa.string()).isin(pa.array([n for n in names if n != "?"], pa.string()))
            parts.append(within | pc.field(column).is_null() if column == "lang" and "?" in names else within)
    if main is not None:
        parts.append(pc.field("main") == main)
    if min_words is not None:
        parts.append(pc.field("words") >= min_words)
    if max_words is not None:
        parts.append(pc.field("words") <= max_words)
    if pattern:
        parts.append(_matches(pattern))
    condition = None
    for part in parts:
        condition = part if condition is None else condition & part
    return condition


def _names(value: str | Iterable[str] | None) -> list[str] | None:
    return None if value is None else [value] if isinstance(value, str) else list(value)


def _matches(pattern: str) -> pc.Expression:
    import pyarrow as pa
    import pyarrow.compute as pc

    if (number := _CODE_POINT.fullmatch(pattern)) and int(number[1], 16) < 0x110000:
        return pc.match_substring(pc.field("text"), chr(int(number[1], 16)))
    try:
        pc.match_substring_regex(pa.array([""]), pattern, ignore_case=True)
    except pa.ArrowInvalid as error:
        raise ConfigurationError(f"{pattern!r} is no regular expression of RE2: {error}") from error
    return pc.match_substring_regex(pc.field("text"), pattern, ignore_case=True)
