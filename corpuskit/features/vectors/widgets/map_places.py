"""Where each document stands on the map, and the regions with their names."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

_LONGEST_NAME: Final = 120
_MOST_REGIONS: Final = 1_000
_NOWHERE: Final = 0xFFFF
_WITHIN: Final = 0.75  # of the documents of a region: how far it reaches

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Region:
    """A topic on the map.

    Attributes:
        topic: its number.
        name: of its own words.
        level: 0 coarse, 1 fine.
        parent: which of the regions it is in; -1 for none.
        documents: how many of the points are in it.
        words: more of its words.
        x, y: its middle.
        radius: within which three quarters of its documents are.
    """

    topic: int
    name: str
    level: int
    parent: int
    documents: int
    words: str
    x: float
    y: float
    radius: float


class Places:
    """The points of a map: a row once given to a document is never given to another, and none moves.

    Attributes:
        ids: the document of each row.
        xy: where it is, from -1 to 1 for those that the map began with (float32).
        gone: whether it is on the map no more.
        fine: the finest region of each row; 65535 for none (uint16).
        regions: coarse ones first, the largest first.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.row: dict[str, int] = {}
        self.xy = np.empty((0, 2), np.float32)
        self.gone = np.empty(0, bool)
        self.fine = np.empty(0, np.uint16)
        self.regions: list[Region] = []
        self._members: list[Indices] = []
        self._middle: npt.NDArray[np.float64] | None = None
        self._half = 1.0

    def take(self, points: pd.DataFrame, regions: pd.DataFrame | None, known: Collection[str]) -> None:
        """Takes in how it is now.

        Args:
            points: columns doc_id, x, y; and topic (nullable integer), where there are topics.
            regions: columns topic, name, level, parent, words; None: there are no topics.
            known: the documents to show; others of the points are left out.
        """
        xy = points[["x", "y"]].to_numpy(np.float64)
        given = points["doc_id"].tolist()
        wanted = np.fromiter((doc_id in known for doc_id in given), bool, len(given)) & np.isfinite(xy).all(axis=1)
        points, xy = points[wanted], xy[wanted]
        ids = points["doc_id"].tolist()
        if self._middle is None and len(xy):
            low, high = bounds(xy)
            self._middle, self._half = (low + high) / 2, float((high - low).max() / 2) or 1.0
        here = set(ids)
        new = [i for i, doc_id in enumerate(ids) if doc_id not in self.row]
        for i in new:
            self.row[ids[i]] = len(self.ids)
            self.ids.append(ids[i])
        if new and self._middle is not None:
            self.xy = np.concatenate([self.xy, ((xy[new] - self._middle) / self._half).astype(np.float32)])
        self.gone = np.array([doc_id not in here for doc_id in self.ids], bool)
        self._take_regions(ids, points, regions)

    def _take_regions(self, ids: list[str], points: pd.DataFrame, regions: pd.DataFrame | None) -> None:
        topic = np.full(len(self.ids), -1, np.int64)
        if regions is not None and "topic" in points.columns:
            rows = np.array([self.row[doc_id] for doc_id in ids], np.int64)
            topic[rows] = points["topic"].astype("Int64").fillna(-1).to_numpy(np.int64)
        self.fine = np.full(len(self.ids), _NOWHERE, np.uint16)
        self.regions = []
        if regions is None or not len(regions):
            return
        told = regions.head(_MOST_REGIONS)
        numbers = told["topic"].astype(int).tolist()
        parents = told["parent"].astype("Int64").fillna(-1).tolist()
        sizes = {int(t): int(n) for t, n in zip(*np.unique(topic, return_counts=True), strict=True)}
        below: dict[int, int] = {}
        for number, parent in zip(numbers, parents, strict=True):
            if parent >= 0 and parent != number:
                below[parent] = below.get(parent, 0) + sizes.get(number, 0)
        count = [sizes.get(number, 0) + below.get(number, 0) for number in numbers]
        levels = told["level"].astype(int).tolist()
        order = sorted(range(len(told)), key=lambda i: (levels[i], -count[i], numbers[i]))
        place = {numbers[i]: at for at, i in enumerate(order)}
        told_of, row_of = np.unique(topic, return_inverse=True)
        self.fine = np.array([place.get(int(number), _NOWHERE) for number in told_of], np.uint16)[row_of]
        above = [-1 if parents[i] == numbers[i] else place.get(parents[i], -1) for i in order]
        words = told["words"].tolist() if "words" in told.columns else [""] * len(told)
        names = told["name"].tolist()
        self.regions = [
            Region(int(numbers[i]), _text(names[i]) or f"topic {numbers[i]}", levels[i], above[at], count[i], _text(words[i]), 0, 0, 0)
            for at, i in enumerate(order)
        ]  # fmt: skip
        self._members = self._members_of()
        self.regions = [self._measured(at, region) for at, region in enumerate(self.regions)]

    def _measured(self, at: int, region: Region) -> Region:
        inside = self.xy[self.inside(at)]
        if not len(inside):
            return region
        x, y = np.median(inside, axis=0).tolist()
        radius = float(np.quantile(np.hypot(inside[:, 0] - x, inside[:, 1] - y), _WITHIN))
        return Region(
            region.topic, region.name, region.level, region.parent, len(inside), region.words, x, y, radius
        )  # fmt: skip

    def inside(self, at: int) -> Indices:
        """The rows of a region: of a coarse one those of its fine ones too."""
        return self._members[at]

    def _members_of(self) -> list[Indices]:
        here = np.flatnonzero(~self.gone & (self.fine != _NOWHERE))
        here = here[np.argsort(self.fine[here], kind="stable")]
        ends = np.searchsorted(self.fine[here], np.arange(len(self.regions) + 1))
        own = [here[ends[at] : ends[at + 1]] for at in range(len(self.regions))]
        below: dict[int, list[Indices]] = {}
        for at, region in enumerate(self.regions):
            below.setdefault(region.parent, []).append(own[at])
        return [np.sort(np.concatenate([own[at], *below.get(at, ())])) for at in range(len(self.regions))]

    def outline(self) -> list[tuple[str, int]]:
        """The regions in the order of a list: ``2`` is followed by those in it, ``2.1`` and so on."""
        below: dict[int, list[int]] = {}
        for i, region in enumerate(self.regions):
            below.setdefault(region.parent, []).append(i)
        found = []
        for number, i in enumerate(below.get(-1, ()), 1):
            found.append((str(number), i))
            found += [(f"{number}.{part}", j) for part, j in enumerate(below.get(i, ()), 1)]
        return found

    def __len__(self) -> int:
        return int((~self.gone).sum())


def bounds(xy: npt.NDArray[Any]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The least and the most of both columns of at least one row."""
    columns = [np.ascontiguousarray(xy[:, i]) for i in (0, 1)]  # ten times as fast as along rows of two
    return np.array([c.min() for c in columns], float), np.array([c.max() for c in columns], float)


def _text(value: object) -> str:
    return " ".join(value.split())[:_LONGEST_NAME] if isinstance(value, str) else ""
