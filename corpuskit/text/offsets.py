"""Where each character of a text came from, through any number of replacements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Edit = tuple[int, int, str]
"""Start, end (exclusive) and replacement."""


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """Return the text with the edits applied; they are in order and do not overlap."""
    parts: list[str] = []
    done = 0
    for start, end, replacement in edits:
        parts += (text[done:start], replacement)
        done = end
    parts.append(text[done:])
    return "".join(parts)


@dataclass(frozen=True, slots=True, eq=False)
class OffsetMap:
    """Two texts, character by character.

    Attributes:
        starts: int64 array, for each character of the result where its source begins; one more for the end.
        ends: int64 array, where its source ends (exclusive); one more for the end.
    """

    starts: Any
    ends: Any

    @classmethod
    def identity(cls, length: int) -> OffsetMap:
        """Return the map of a text onto itself.

        Args:
            length: Number of characters.
        """
        import numpy as np

        starts = np.arange(length + 1, dtype=np.int64)
        ends = starts + 1
        ends[-1] = length
        return cls(starts, ends)

    def after(self, edits: Sequence[Edit]) -> OffsetMap:
        """Return the map after edits of the result.

        Args:
            edits: The edits.
        """
        import numpy as np

        if not edits:
            return self
        begin, stop = (np.fromiter((edit[side] for edit in edits), np.int64, len(edits)) for side in (0, 1))
        size = np.fromiter((len(edit[2]) for edit in edits), np.int64, len(edits))
        # Rows of the old map interleaved with one row an edit; then each is repeated as often as it has characters.
        length = len(self.starts)
        retained = np.ones(length + 1, np.int64)
        np.add.at(retained, begin, -1)
        np.add.at(retained, stop, 1)
        retained = (np.cumsum(retained - 1) + 1)[:length]
        empty = begin == stop
        starts = np.insert(self.starts, begin, self.starts[begin])
        lasts = np.where(empty, self.starts[begin], np.maximum(self.ends[np.maximum(stop - 1, 0)], self.starts[begin]))
        ends = np.insert(self.ends, begin, lasts)
        counts = np.insert(retained, begin, size)
        return OffsetMap(np.repeat(starts, counts), np.repeat(ends, counts))

    def repeated(self, counts: Any) -> OffsetMap:
        """Return the map after each character of the result was replaced by several, or none.

        Args:
            counts: How many stand for each character (int64 array).
        """
        import numpy as np

        sizes = np.append(counts, 1)
        return OffsetMap(np.repeat(self.starts, sizes), np.repeat(self.ends, sizes))

    def to_source(self, start: int, end: int | None = None) -> tuple[int, int]:
        """Return the span of the source that characters of the result came from.

        Args:
            start: First character of the result, from 0.
            end: Behind the last one; None: one character.

        Raises:
            IndexError: outside the text.
        """
        length = len(self.starts) - 1
        stop = start + 1 if end is None else end
        if not 0 <= start <= stop <= length:
            raise IndexError(f"characters {start} to {stop} of a text of {length}")
        if start == stop:
            return int(self.starts[start]), int(self.starts[start])
        return int(self.starts[start]), int(self.ends[stop - 1])

    def to_result(self, start: int, end: int | None = None) -> tuple[int, int]:
        """Return the span of the result that characters of the source became.

        Args:
            start: First character of the source, from 0.
            end: Behind the last one; None: one character.

        Raises:
            IndexError: outside the text.
        """
        import numpy as np

        length = int(self.ends[-1])
        stop = start + 1 if end is None else end
        if not 0 <= start <= stop <= length:
            raise IndexError(f"characters {start} to {stop} of a text of {length}")
        first = int(np.searchsorted(self.ends[:-1], start, side="right"))
        last = int(np.searchsorted(self.starts[:-1], stop, side="left"))
        return first, max(first, last)
