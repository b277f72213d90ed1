"""Finding elements by what they are and what they say; the condition is asked while the cache is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from corpuskit.document.elements import TYPE_NAMES
from corpuskit.errors import ConfigurationError
from corpuskit.store import CorpusFolder
from corpuskit.store.element_cache import Condition
from corpuskit.views.frames import element_frame

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

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
    conditions = _conditions(pattern, types, roles, lang, main, min_words, max_words)
    return element_frame(folder, doc_ids, text=text, arrow=arrow, conditions=conditions)


def _conditions(
    pattern: str | None,
    types: str | Iterable[str] | None,
    roles: str | Iterable[str] | None,
    lang: str | Iterable[str] | None,
    main: bool | None,
    min_words: int | None,
    max_words: int | None,
) -> list[Condition]:
    """The cheap ones first; what the text says is asked of the rows they leave."""
    import pyarrow.compute as pc

    conditions: list[Condition] = []
    kinds = _names(types)
    if unknown := [name for name in kinds or () if name not in TYPE_NAMES]:
        raise ConfigurationError(f"found the element type {unknown[0]!r}, expected one of {', '.join(TYPE_NAMES)}")
    for column, names in (("type", kinds), ("role", _names(roles)), ("lang", _names(lang))):
        if names is not None:
            conditions.append((column, partial(_is_one_of, names=names, or_null=column == "lang" and "?" in names)))
    if main is not None:
        conditions.append(("main", lambda column: pc.equal(column, main)))
    if min_words is not None:
        conditions.append(("words", lambda column: pc.greater_equal(column, min_words)))
    if max_words is not None:
        conditions.append(("words", lambda column: pc.less_equal(column, max_words)))
    if pattern:
        conditions.append(("text", _matches(pattern)))
    return conditions


def _names(value: str | Iterable[str] | None) -> list[str] | None:
    return None if value is None else [value] if isinstance(value, str) else list(value)


def _is_one_of(column: pa.ChunkedArray, *, names: list[str], or_null: bool) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    within = pc.is_in(column, value_set=pa.array(names, pa.string()))
    return pc.or_(within, pc.is_null(column)) if or_null else within


def _matches(pattern: str) -> Callable[[pa.ChunkedArray], pa.ChunkedArray]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if (number := _CODE_POINT.fullmatch(pattern)) and int(number[1], 16) < 0x110000:
        return partial(pc.match_substring, pattern=chr(int(number[1], 16)))
    try:
        pc.match_substring_regex(pa.array([""]), pattern, ignore_case=True)
    except pa.ArrowInvalid as error:
        raise ConfigurationError(f"{pattern!r} is no regular expression of RE2: {error}") from error
    return partial(pc.match_substring_regex, pattern=pattern, ignore_case=True)
