"""Concordance: key words in context."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from corpuskit.errors import ConfigurationError
from corpuskit.store import CorpusFolder
from corpuskit.store.element_cache import element_table
from corpuskit.text import WORD

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS: Final = {"doc_id": "str", "element_id": "int32", "left": "str", "match": "str", "right": "str"}
_SORT: Final = re.compile(r"([1-9])([LR])")


def kwic(
    folder: CorpusFolder,
    pattern: str,
    *,
    window: int = 8,
    sort: str | None = None,
    doc_ids: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Each place where a pattern stands, with the words around it.

    Args:
        folder: the corpus.
        pattern: a regular expression, case-insensitive, matched within one element.
        window: words on each side.
        sort: by the nth word to the left or right, as ``"1R"`` or ``"2L"``; None: in reading order.
        doc_ids: only in these documents.

    Returns:
        Columns doc_id, left, match, right (str), element_id (int32).

    Raises:
        ConfigurationError: the pattern or ``sort`` cannot be read.
    """
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        compiled = re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise ConfigurationError(f"pattern {pattern!r}: {error}") from error
    table = element_table(folder, doc_ids, columns=["doc_id", "element_id", "text"])
    table = table.filter(pc.is_valid(table.column("text")))
    # RE2 finds the candidates without making Python strings of all texts; look-around is Python's only.
    with contextlib.suppress(pa.ArrowInvalid):
        table = table.filter(pc.match_substring_regex(table.column("text"), pattern, ignore_case=True))
    rows = []
    ids = table.column("doc_id").cast(pa.string()).to_pylist()
    for doc_id, element_id, text in zip(
        ids, table.column("element_id").to_pylist(), table.column("text").to_pylist(), strict=True
    ):
        for match in compiled.finditer(text):
            if match.end() > match.start():
                rows.append(
                    (
                        doc_id,
                        element_id,
                        _left(text, match.start(), window),
                        match[0],
                        _right(text, match.end(), window),
                    )
                )
    frame = pd.DataFrame(rows, columns=list(_COLUMNS)).astype(_COLUMNS)
    return frame if sort is None else _sorted(frame, sort)


def _left(text: str, position: int, window: int) -> str:
    reach = max(0, position - 24 * window - 24)
    words = list(WORD.finditer(text, reach, position))[-window:] if window else []
    start = words[0].start() if words else position
    return " ".join(text[start:position].split())


def _right(text: str, position: int, window: int) -> str:
    end = position
    for count, word in enumerate(WORD.finditer(text, position), 1):
        if count > window:
            break
        end = word.end()
    return " ".join(text[position:end].split())


def _sorted(frame: pd.DataFrame, sort: str) -> pd.DataFrame:
    match = _SORT.fullmatch(sort.upper())
    if match is None:
        raise ConfigurationError(f"sort {sort!r}: expected a place such as '1R' or '2L'")
    place, side = int(match[1]), match[2]
    words = frame["left" if side == "L" else "right"].map(lambda text: [w.casefold() for w in WORD.findall(text)])
    key = words.map(lambda found: (found[-place] if side == "L" else found[place - 1]) if len(found) >= place else "")
    return frame.assign(key=key).sort_values("key", kind="stable").drop(columns="key").reset_index(drop=True)
