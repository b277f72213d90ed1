"""Positions of documents on the map, and its named regions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

_MAX_NAME: Final = 120
_MAX_REGIONS: Final = 1_000
_NOWHERE: Final = 0xFFFF
_WITHIN: Final = 0.75  # of the documents of a region are within its radius

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Region:
    """A topic on the map.

    Attributes:
        topic: Number of the topic.
        name: Name of the topic.
        level: 0 coarse, 1 fine.
        parent: Index of the enclosing region, or -1.
        documents: Number of points in the region.
        words: Characteristic words.
        x, y: Centre.
        radius: Radius that contains three quarters of its documents.
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


class PointLayout:
    """Points of a map. The row and position of a document never change.

    Attributes:
        ids: Document of each row.
        xy: Position of each row, from -1 to 1 for the initial documents (float32).
        gone: Whether the document was removed.
        fine: Index of the finest region of each row, 65535 for none (uint16).
        regions: Regions, coarse ones first, the largest first.
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
        """Update points and regions to the present state.

        Args:
            points: Columns doc_id, x, y and optionally topic (nullable integer).
            regions: Columns topic, name, level, parent, words. None: there are no topics.
            known: Documents to show. Other points are ignored.
        """
        xy = points[["x", "y"]].to_numpy(np.float64)
        doc_ids = points["doc_id"].tolist()
        selected = np.fromiter((doc_id in known for doc_id in doc_ids), bool, len(doc_ids)) & np.isfinite(xy).all(
            axis=1
        )
        points, xy = points[selected], xy[selected]
        ids = points["doc_id"].tolist()
        if self._middle is None and len(xy):
            low, high = bounds(xy)
            self._middle, self._half = (low + high) / 2, float((high - low).max() / 2) or 1.0
        present = set(ids)
        new = [i for i, doc_id in enumerate(ids) if doc_id not in self.row]
        for i in new:
            self.row[ids[i]] = len(self.ids)
            self.ids.append(ids[i])
        if new and self._middle is not None:
            self.xy = np.concatenate([self.xy, ((xy[new] - self._middle) / self._half).astype(np.float32)])
        self.gone = np.array([doc_id not in present for doc_id in self.ids], bool)
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
        shown = regions.head(_MAX_REGIONS)
        numbers = shown["topic"].astype(int).tolist()
        parents = shown["parent"].astype("Int64").fillna(-1).tolist()
        sizes = {int(t): int(n) for t, n in zip(*np.unique(topic, return_counts=True), strict=True)}
        below: dict[int, int] = {}
        for number, parent in zip(numbers, parents, strict=True):
            if parent >= 0 and parent != number:
                below[parent] = below.get(parent, 0) + sizes.get(number, 0)
        count = [sizes.get(number, 0) + below.get(number, 0) for number in numbers]
        levels = shown["level"].astype(int).tolist()
        order = sorted(range(len(shown)), key=lambda i: (levels[i], -count[i], numbers[i]))
        position_of = {numbers[i]: at for at, i in enumerate(order)}
        topics, row_of = np.unique(topic, return_inverse=True)
        self.fine = np.array([position_of.get(int(number), _NOWHERE) for number in topics], np.uint16)[row_of]
        above = [-1 if parents[i] == numbers[i] else position_of.get(parents[i], -1) for i in order]
        words = shown["words"].tolist() if "words" in shown.columns else [""] * len(shown)
        names = shown["name"].tolist()
        self.regions = [
            Region(int(numbers[i]), _text(names[i]) or f"topic {numbers[i]}", levels[i], above[at], count[i], _text(words[i]), 0, 0, 0)
            for at, i in enumerate(order)
        ]  # fmt: skip
        self._members = self._members_of()
        self.regions = [self._measured(at, region) for at, region in enumerate(self.regions)]

    def _measured(self, at: int, region: Region) -> Region:
        positions = self.xy[self.members(at)]
        if not len(positions):
            return region
        x, y = np.median(positions, axis=0).tolist()
        radius = float(np.quantile(np.hypot(positions[:, 0] - x, positions[:, 1] - y), _WITHIN))
        return Region(
            region.topic, region.name, region.level, region.parent, len(positions), region.words, x, y, radius
        )  # fmt: skip

    def members(self, at: int) -> Indices:
        """Return the rows of a region, including those of its subregions."""
        return self._members[at]

    def _members_of(self) -> list[Indices]:
        rows = np.flatnonzero(~self.gone & (self.fine != _NOWHERE))
        rows = rows[np.argsort(self.fine[rows], kind="stable")]
        ends = np.searchsorted(self.fine[rows], np.arange(len(self.regions) + 1))
        own = [rows[ends[at] : ends[at + 1]] for at in range(len(self.regions))]
        below: dict[int, list[Indices]] = {}
        for at, region in enumerate(self.regions):
            below.setdefault(region.parent, []).append(own[at])
        return [np.sort(np.concatenate([own[at], *below.get(at, ())])) for at in range(len(self.regions))]

    def outline(self) -> list[tuple[str, int]]:
        """Return the numbers and indices of regions in list order: ``2`` is followed by its subregions ``2.1`` etc."""
        below: dict[int, list[int]] = {}
        for i, region in enumerate(self.regions):
            below.setdefault(region.parent, []).append(i)
        numbered = []
        for number, i in enumerate(below.get(-1, ()), 1):
            numbered.append((str(number), i))
            numbered += [(f"{number}.{part}", j) for part, j in enumerate(below.get(i, ()), 1)]
        return numbered

    def __len__(self) -> int:
        return int((~self.gone).sum())


def bounds(xy: npt.NDArray[Any]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the minimum and maximum of both columns. There must be at least one row."""
    columns = [np.ascontiguousarray(xy[:, i]) for i in (0, 1)]  # ten times as fast as along rows of two
    return np.array([c.min() for c in columns], float), np.array([c.max() for c in columns], float)


def _text(value: object) -> str:
    return " ".join(value.split())[:_MAX_NAME] if isinstance(value, str) else ""
