"""Scores of queued URLs, computed on columns of numbers: 100,000 URLs take milliseconds.

The score estimates the relevance of a page before it is fetched. It is a weighted mean of four features: the score of
the link text by the document model, the mean and the minimum relevance of the linking pages, and the mean relevance of
the pages in the same directory. Means of few pages are shrunk: that of a directory to that of its host, and that of a
host to that of the crawl. Hosts with few pages get a small bonus, the upper confidence bound of a bandit over hosts
(Auer, Cesa-Bianchi and Fischer, 2002). The weights were not tuned for a topic: with similar settings, AUHC changes by a
hundredth when one topic after another is left out (``benchmarks/steering``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]

# Weights of the mean.
_LINK_TEXT: Final = 0.45
_LINKING: Final = 0.22
_LINKING_MIN: Final = 0.11
_DIRECTORY: Final = 0.22
_PRIOR: Final = 3.0  # weight of the host's mean for a directory, and of the crawl's mean for a host, in pages
_LINKING_PRIOR: Final = 1.0  # weight of the crawl's mean for the linking pages of a URL, in pages
_LABEL_WEIGHT: Final = 5.0  # additional weight of a labelled page, in scored pages
_BONUS: Final = 0.1
_INITIAL_SIZE: Final = 1024  # rows

_COLUMNS: Final = (
    "_id", "_is_queued", "_host", "_directory", "_words", "_boosts", "stored_priorities", "_linking", "_linking_sum", "_linking_min",
)  # fmt: skip

# aWordInCamelCase, HTMLParser
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LETTERS: Final = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class UrlFeatures:
    """Features of URLs, each in [0, 1]: arrays with one element per URL."""

    link_text: Floats
    linking_mean: Floats
    linking_min: Floats
    directory: Floats


class UrlScores:
    """Table of the queued URLs of a crawl, with the features of each.

    Args:
        score_texts: Function from texts to P(relevant) of each.
    """

    def __init__(self, score_texts: Callable[[Sequence[str]], Floats]) -> None:
        import numpy as np

        self._score_texts = score_texts
        self._slot_of: dict[int, int] = {}
        self._free: list[int] = []
        self._used = 0
        self._id = np.zeros(_INITIAL_SIZE, np.int64)
        self._is_queued = np.zeros(_INITIAL_SIZE, bool)
        self._host = np.zeros(_INITIAL_SIZE, np.int64)
        self._directory = np.zeros(_INITIAL_SIZE, np.int64)
        self._words = np.zeros(_INITIAL_SIZE)
        self._boosts = np.zeros(_INITIAL_SIZE)
        self.stored_priorities = np.zeros(_INITIAL_SIZE)
        """Priority of each URL that is stored in the frontier, by slot."""
        self._linking = np.zeros(
            _INITIAL_SIZE
        )  # number of scored pages that link to it, sum and minimum of their scores
        self._linking_sum = np.zeros(_INITIAL_SIZE)
        self._linking_min = np.ones(_INITIAL_SIZE)
        self.hosts = GroupMeans()
        self._directories = GroupMeans()

    def __len__(self) -> int:
        return len(self._slot_of)

    def __contains__(self, key: object) -> bool:
        return key in self._slot_of

    def add(self, urls: Mapping[int, tuple[str, str, str | None, str | None]], boosts: Sequence[float]) -> None:
        """Add queued URLs that are not in the table.

        Args:
            urls: Key in the frontier → canonical URL, host, anchor, context.
            boosts: Addition to the score of each URL.
        """
        import numpy as np

        if not urls:
            return
        words = self._score_texts([link_text(url, anchor, context) for url, _, anchor, context in urls.values()])
        slots = np.array([self._slot(key) for key in urls], np.int64)
        self._id[slots] = list(urls)
        self._host[slots] = [self.hosts.number(host) for _, host, _, _ in urls.values()]
        self._directory[slots] = [self._directories.number(directory_of(url)) for url, *_ in urls.values()]
        self._words[slots] = words
        self._boosts[slots] = boosts
        self._linking[slots] = 0.0
        self._linking_sum[slots] = 0.0
        self._linking_min[slots] = 1.0
        self._is_queued[slots] = True

    def _slot(self, key: int) -> int:
        if self._free:
            slot = self._free.pop()
        else:
            slot = self._used
            self._used += 1
            if slot == len(self._id):
                self._grow()
        self._slot_of[key] = slot
        return slot

    def _grow(self) -> None:
        import numpy as np

        for name in _COLUMNS:
            column = getattr(self, name)
            setattr(self, name, np.concatenate([column, np.zeros_like(column)]))

    def remove(self, ids: Iterable[int]) -> None:
        """Remove URLs that are no longer queued."""
        for key in ids:
            slot = self._slot_of.pop(key, None)
            if slot is not None:
                self._is_queued[slot] = False
                self._free.append(slot)

    def record_page(self, url: str, host: str, relevance: float, *, is_labelled: bool = False) -> None:
        """Record the relevance of a fetched page. That of a labelled page is 0 or 1."""
        weight = 1.0 + _LABEL_WEIGHT if is_labelled else 1.0
        self.hosts.add(host, relevance, weight)
        self._directories.add(directory_of(url), relevance, weight)

    def record_links(self, ids: Sequence[int], relevance: float) -> Ints:
        """Record the relevance of a page that links to URLs, and return the slots of those that are queued."""
        slots = self.slots_of(ids)
        self.add_linking_pages(slots, 1.0, relevance, relevance)
        return slots

    def add_linking_pages(
        self, slots: Ints, count: Floats | float, total: Floats | float, minimum: Floats | float
    ) -> None:
        """Add linking pages of URLs: their number, and the sum and minimum of their relevance."""
        import numpy as np

        self._linking[slots] += count
        self._linking_sum[slots] += total
        self._linking_min[slots] = np.minimum(self._linking_min[slots], minimum)

    def slots_of(self, ids: Iterable[int]) -> Ints:
        """Return the slots of the given URLs that are queued."""
        import numpy as np

        return np.array([slot for key in ids if (slot := self._slot_of.get(key)) is not None], np.int64)

    @property
    def all_slots(self) -> Ints:
        """Slots of all queued URLs."""
        import numpy as np

        return np.flatnonzero(self._is_queued[: self._used])

    def ids(self, slots: Ints) -> Ints:
        """Return the keys of URLs in the frontier."""
        return self._id[slots]

    def hosts_of(self, slots: Ints) -> Ints:
        """Return the numbers of the hosts of URLs, as in ``hosts``."""
        return self._host[slots]

    def features_of(self, slots: Ints) -> UrlFeatures:
        """Return the features of URLs."""
        import numpy as np

        overall = self.hosts.overall
        host = self.hosts.means(overall)[self._host[slots]]
        directory = self._directory[slots]
        sums, counts = self._directories.sums[directory], self._directories.counts[directory]
        link_count = self._linking[slots]
        return UrlFeatures(
            self._words[slots],
            (self._linking_sum[slots] + _LINKING_PRIOR * overall) / (link_count + _LINKING_PRIOR),
            np.where(link_count > 0, self._linking_min[slots], overall),
            (sums + _PRIOR * host) / (counts + _PRIOR),
        )

    def scores(self, slots: Ints) -> tuple[Floats, UrlFeatures]:
        """Return the score of each URL, in [0, 1] plus bonus and boost, and its features."""
        import numpy as np

        features = self.features_of(slots)
        bonus = _BONUS * np.sqrt(np.log(max(2.0, self.hosts.count)) / (self.hosts.counts[self._host[slots]] + 1.0))
        value = (
            _LINK_TEXT * features.link_text
            + _LINKING * features.linking_mean
            + _LINKING_MIN * features.linking_min
            + _DIRECTORY * features.directory
        )
        return value + bonus + self._boosts[slots], features


class GroupMeans:
    """Numbered groups with the sum of their values and the sum of the weights."""

    def __init__(self) -> None:
        import numpy as np

        self._numbers: dict[str, int] = {}
        self.sums: Floats = np.zeros(_INITIAL_SIZE)
        self.counts: Floats = np.zeros(_INITIAL_SIZE)
        self.count = 0.0
        self._sum = 0.0

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, group: object) -> bool:
        return group in self._numbers

    @property
    def names(self) -> list[str]:
        """Names of the groups, by number."""
        return list(self._numbers)

    def number(self, group: str) -> int:
        """Return the number of a group. A new group gets the next number."""
        import numpy as np

        number = self._numbers.setdefault(group, len(self._numbers))
        if number == len(self.sums):
            self.sums = np.concatenate([self.sums, np.zeros_like(self.sums)])
            self.counts = np.concatenate([self.counts, np.zeros_like(self.counts)])
        return number

    def add(self, group: str, value: float, weight: float) -> None:
        """Add a value to a group."""
        index = self.number(group)
        self.sums[index] += weight * value
        self.counts[index] += weight
        self._sum += weight * value
        self.count += weight

    @property
    def overall(self) -> float:
        """Mean of all values; 0.2 without values."""
        return (self._sum + 1.0) / (self.count + 5.0)

    def means(self, overall: float) -> Floats:
        """Return the mean of each group, shrunk to the overall mean."""
        return (self.sums + _PRIOR * overall) / (self.counts + _PRIOR)


def directory_of(url: str) -> str:
    """Return a URL up to its last slash, without the query."""
    return url.partition("?")[0].rpartition("/")[0]


def link_text(url: str, anchor: str | None, context: str | None) -> str:
    """Return the text of a link for the document model: its anchor, the words of the URL's path, and the text around
    it.
    """
    path = url.partition("://")[2].partition("/")[2]
    words = _split(unquote(path) if "%" in path else path)
    return f"{anchor or ''} {_split(anchor) if anchor else ''} {words} {context or ''}"


def _split(text: str) -> str:
    return " ".join(_LETTERS.findall(_CAMEL.sub(" ", text)))
