"""Looks whether what vectors/ holds is whole."""

from __future__ import annotations

from collections.abc import Iterator

from corpuskit.errors import CorpusKitError
from corpuskit.relevance.vector_space import VectorSpace
from corpuskit.safe_folder import SafeFolder
from corpuskit.store import CorpusFolder
from corpuskit.store.check import Problem
from corpuskit.vectors import edits, kept_topics, layout, making

__all__ = ["check"]

_AGAIN = "damaged; it is made again when it is asked for"
_LOST = "damaged: these documents are embedded again by embed() with its function"


def check(folder: CorpusFolder) -> list[Problem]:
    """Return what in vectors/ is damaged; nothing is changed.

    Args:
        folder: The corpus folder.
    """
    try:
        return [
            Problem("vectors", f"vectors/{name}/{file}", message)
            for name in making.names(folder)
            for file, message in _of_room(making.room_of(folder, name), name)
        ]
    except (CorpusKitError, OSError) as error:
        return [Problem("vectors", "vectors", str(error))]


def _of_room(room: SafeFolder, name: str) -> Iterator[tuple[str, str]]:
    for file in making.damaged_parts(room):
        yield file, _AGAIN if name == making.OWN else _LOST
    if name == making.OWN and room.exists("space"):
        try:
            VectorSpace.load(room.subfolder("space"))
        except CorpusKitError as error:
            yield "space", f"{_AGAIN} ({error})"
    if room.exists(layout.FILE) and layout.read(room) is None:
        yield layout.FILE, "damaged: the map is laid out anew when it is asked for"
    if (room.exists(kept_topics.CLUSTERS) or room.exists(kept_topics.TOLD)) and not kept_topics.are_whole(room):
        yield kept_topics.CLUSTERS, "damaged: topics are made anew; what people said of them is kept apart"
    if lines := edits.unread(room):
        yield edits.FILE, f"{lines} lines say nothing of topics: they are passed over"
