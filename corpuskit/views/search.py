"""Search for elements by type, properties and text while the element cache is read."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from corpuskit.document.elements import TYPE_NAMES
from corpuskit.errors import ConfigurationError
from corpuskit.store import CorpusFolder
from corpuskit.store.element_cache import is_one_of
from corpuskit.text.patterns import compiled_pattern, search_mask
from corpuskit.views.frames import element_frame

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from corpuskit.store.element_cache import Conditions

_INT32_MAX: Final = 2**31 - 1
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
    """Return the elements for which all conditions hold; columns as :func:`corpuskit.views.frames.elements`.

    Other elements are not kept in memory, so this works on corpora that exceed it.

    Args:
        folder: The corpus.
        pattern: A regular expression that is found in the text, case-insensitive, in the syntax of the package ``regex``:
            Python's, with ``\\p{Greek}`` and other properties; or a character by its number, ``U+00A0``.
        types: Types: TextBlock, Section, List, NavigationList, ListItem, Table, TableHeader, TableCell.
        roles: Roles such as section-heading, caption, code.
        lang: Languages of the documents, ISO 639-1; ``?`` means unknown.
        main: True for main content, False for the rest.
        min_words: Minimum number of words.
        max_words: Maximum number of words.
        doc_ids: Documents to search. None: all.
        text: Include the columns text, links, tex and locator.
        arrow: Return columns of ArrowDtype.

    Raises:
        ConfigurationError: An unknown type, or a pattern that is not a regular expression or takes too long.
    """
    conditions = _conditions(pattern, types, roles, lang, main, min_words, max_words)
    return element_frame(folder, doc_ids, text=text, arrow=arrow, where=conditions)


def _conditions(
    pattern: str | None,
    types: str | Iterable[str] | None,
    roles: str | Iterable[str] | None,
    lang: str | Iterable[str] | None,
    main: bool | None,
    min_words: int | None,
    max_words: int | None,
) -> Conditions:
    """Return the conditions by column."""
    import pyarrow.compute as pc

    conditions: dict[str, Callable[[pa.ChunkedArray], Any]] = {}
    kinds = _names(types)
    if unknown := [name for name in kinds or () if name not in TYPE_NAMES]:
        raise ConfigurationError(f"found the element type {unknown[0]!r}, expected one of {', '.join(TYPE_NAMES)}")
    for column, names in (("type", kinds), ("role", _names(roles)), ("lang", _names(lang))):
        if names is not None:
            conditions[column] = functools.partial(_is_in, names=names, unknown=column == "lang" and "?" in names)
    if main is not None:
        conditions["main"] = functools.partial(pc.equal, main)
    if min_words is not None or max_words is not None:
        conditions["words"] = functools.partial(_between, minimum=min_words, maximum=max_words)
    if pattern:
        conditions["text"] = _matches(pattern)
    return conditions


def _is_in(column: pa.ChunkedArray, names: list[str], *, unknown: bool) -> Any:
    import pyarrow.compute as pc

    mask = is_one_of(column, names)
    return pc.or_(mask, pc.is_null(column)) if unknown else mask


def _between(column: pa.ChunkedArray, minimum: int | None, maximum: int | None) -> Any:
    import pyarrow.compute as pc

    return pc.and_(
        pc.greater_equal(column, -1 if minimum is None else minimum),
        pc.less_equal(column, _INT32_MAX if maximum is None else maximum),
    )


def _names(value: str | Iterable[str] | None) -> list[str] | None:
    return None if value is None else [value] if isinstance(value, str) else list(value)


def _matches(pattern: str) -> Callable[[pa.ChunkedArray], Any]:
    """Return the test of a column of texts."""
    if (number := _CODE_POINT.fullmatch(pattern)) and int(number[1], 16) < 0x110000:
        import pyarrow.compute as pc

        return functools.partial(pc.match_substring, pattern=chr(int(number[1], 16)))
    return functools.partial(search_mask, pattern=compiled_pattern(pattern))
