"""Documents that are removed: nothing of them stays in vectors/."""

from __future__ import annotations

from collections.abc import Sequence

from corpuskit.store import CorpusFolder
from corpuskit.vectors import kept_topics, layout, making

__all__ = ["forget"]


def forget(folder: CorpusFolder, doc_ids: Sequence[str]) -> None:
    """Take documents out of all that vectors/ holds, so that nothing of them stays on disk.

    The corpus' own space goes, it knows words of their texts; it is made again when it is asked for.

    Args:
        folder: The corpus folder.
        doc_ids: The documents.
    """
    gone = set(doc_ids)
    for name in making.names(folder):
        room = making.room_of(folder, name)
        layout.forget_positions(room, gone)
        kept_topics.forget_topics(room, gone)
        making.forget(folder, name, gone)
