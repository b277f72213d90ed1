"""Integrity check of the files in vectors/."""

from __future__ import annotations

from collections.abc import Iterator

from corpuskit.errors import CorpusKitError
from corpuskit.relevance.vector_space import VectorSpace
from corpuskit.safe_folder import SafeFolder
from corpuskit.store import CorpusFolder
from corpuskit.store.check import Problem
from corpuskit.vectors import edits, kept_topics, layout, making

__all__ = ["check"]

_AGAIN = "damaged; it is rebuilt on the next use"
_LOST = "damaged: call embed() with the same function to embed these documents again"


def check(folder: CorpusFolder) -> list[Problem]:
    """Return the damaged files in vectors/. Nothing is changed.

    Args:
        folder: The corpus.
    """
    try:
        return [
            Problem("vectors", f"vectors/{name}/{file}", message)
            for name in making.names(folder)
            for file, message in _of_room(making.vectors_folder(folder, name), name)
        ]
    except (CorpusKitError, OSError) as error:
        return [Problem("vectors", "vectors", str(error))]


def _of_room(subfolder: SafeFolder, name: str) -> Iterator[tuple[str, str]]:
    for file in making.damaged_parts(subfolder):
        yield file, _AGAIN if name == making.OWN else _LOST
    if name == making.OWN and subfolder.exists("space"):
        try:
            VectorSpace.load(subfolder.subfolder("space"))
        except CorpusKitError as error:
            yield "space", f"{_AGAIN} ({error})"
    if subfolder.exists(layout.FILE) and layout.read(subfolder) is None:
        yield layout.FILE, "damaged: the layout is recomputed on the next use"
    if (subfolder.exists(kept_topics.CLUSTERS) or subfolder.exists(kept_topics.STATE)) and not kept_topics.is_readable(
        subfolder
    ):
        yield kept_topics.CLUSTERS, "damaged: topics are recomputed; your edits of topics are in a separate file"
    if lines := edits.unread(subfolder):
        yield edits.FILE, f"{lines} lines are invalid edits of topics and are ignored"
