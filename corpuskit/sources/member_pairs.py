"""A ``.nlp.txt`` in an archive and the marks beside it, in whatever order they come."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from corpuskit.document.marks import MARKS
from corpuskit.sources.resource import Resource
from corpuskit.sources.trees import MARKS_SUFFIX, TEXT_SUFFIX

_MOST_BYTES: Final = 256 * 1024 * 1024  # that wait; what does not fit goes on without its other half


class MemberPairs:
    """Members that wait for what belongs to them."""

    def __init__(self) -> None:
        self._marks: dict[str, bytes] = {}
        self._texts: dict[str, Resource] = {}
        self._size = 0

    def add(self, name: str, resource: Resource) -> Iterator[Resource]:
        """Take a text or its marks; yield the texts that need not wait any more."""
        if name.endswith(MARKS_SUFFIX):
            stem = name.removesuffix(MARKS_SUFFIX)
            if stem in self._texts:
                yield self._whole(stem, resource.content)
                return
            self._marks[stem] = resource.content
        else:
            stem = name.removesuffix(TEXT_SUFFIX)
            if stem in self._marks:
                marks = self._marks.pop(stem)
                self._size -= len(marks)
                yield replace(resource, beside={**resource.beside, MARKS: marks})
                return
            self._texts[stem] = resource
        self._size += len(resource.content)
        while self._size > _MOST_BYTES and self._texts:
            yield self._whole(next(iter(self._texts)), None)
        if self._size > _MOST_BYTES:
            self._marks.clear()
            self._size = 0

    def rest(self) -> Iterator[Resource]:
        """Yield the texts that have no marks."""
        for stem in list(self._texts):
            yield self._whole(stem, None)

    def lone(self) -> list[str]:
        """Names of marks that have no text."""
        return [stem + MARKS_SUFFIX for stem in self._marks]

    def _whole(self, stem: str, marks: bytes | None) -> Resource:
        text = self._texts.pop(stem)
        self._size -= len(text.content)
        return text if marks is None else replace(text, beside={**text.beside, MARKS: marks})


def is_of_a_pair(name: str) -> bool:
    """Whether a member is a text or marks, by its name."""
    return name.endswith((TEXT_SUFFIX, MARKS_SUFFIX))
