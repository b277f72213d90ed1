"""What the URLs of a queue promise: columns of numbers, so that a hundred thousand are judged anew in milliseconds.

The promise of a URL is a mean of what is known before it is fetched: how the words of its link read to the document model, how
relevant the pages are that link to it, on average and at the least, and the pages of its directory. Means of few pages are
drawn towards those of the whole: a directory's to its host's, a host's to the crawl's. A small bonus goes to hosts with few
pages, the upper confidence bound of a bandit over sources (Auer, Cesa-Bianchi and Fischer, 2002). No number here was chosen
for a topic: settings around these differ by a hundredth of AUHC when one topic after another is left out (``benchmarks/steering``).
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
_WORDS: Final = 0.45
_LINKING: Final = 0.22
_LEAST: Final = 0.11
_DIRECTORY: Final = 0.22
_PRIOR: Final = 3.0  # pages' worth of trust in the host's mean for a directory, and in the crawl's mean for a host
_LINKING_PRIOR: Final = 1.0  # the same for the pages that link to a URL
_LABEL: Final = 5.0  # a page that somebody labelled tells as much of its source as so many that were scored
_BONUS: Final = 0.1
_FIRST: Final = 1024  # rows of the columns at the start

_COLUMNS: Final = (
    "_id", "_is_queued", "_host", "_directory", "_words", "_lift", "written", "_linking", "_linking_sum", "_linking_least",
)  # fmt: skip

# aWordInCamelCase, HTMLParser
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LETTERS: Final = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Signals:
    """What a promise is made of, each in [0, 1]: arrays of one entry a URL."""

    words: Floats
    linking: Floats
    least: Floats
    directory: Floats


class Promises:
    """The queued URLs of a crawl and what is known of their surroundings.

    Args:
        read: texts → P(relevant) of each.
    """

    def __init__(self, read: Callable[[Sequence[str]], Floats]) -> None:
        import numpy as np

        self._read = read
        self._slot_of: dict[int, int] = {}
        self._free: list[int] = []
        self._used = 0
        self._id = np.zeros(_FIRST, np.int64)
        self._is_queued = np.zeros(_FIRST, bool)
        self._host = np.zeros(_FIRST, np.int64)
        self._directory = np.zeros(_FIRST, np.int64)
        self._words = np.zeros(_FIRST)
        self._lift = np.zeros(_FIRST)
        self.written = np.zeros(_FIRST)
        """By place: the priority that the frontier has."""
        self._linking = np.zeros(_FIRST)  # how many scored pages link to it, the sum of their scores, and the least
        self._linking_sum = np.zeros(_FIRST)
        self._linking_least = np.ones(_FIRST)
        self.hosts = Means()
        self._directories = Means()

    def __len__(self) -> int:
        return len(self._slot_of)

    def __contains__(self, key: object) -> bool:
        return key in self._slot_of

    def add(self, urls: Mapping[int, tuple[str, str, str | None, str | None]], lifts: Sequence[float]) -> None:
        """Takes in queued URLs that are not known yet.

        Args:
            urls: key in the frontier → canonical URL, host, anchor, context.
            lifts: what is added to the promise of each, whatever is known of it.
        """
        import numpy as np

        if not urls:
            return
        words = self._read([link_text(url, anchor, context) for url, _, anchor, context in urls.values()])
        slots = np.array([self._slot(key) for key in urls], np.int64)
        self._id[slots] = list(urls)
        self._host[slots] = [self.hosts.number(host) for _, host, _, _ in urls.values()]
        self._directory[slots] = [self._directories.number(directory_of(url)) for url, *_ in urls.values()]
        self._words[slots] = words
        self._lift[slots] = lifts
        self._linking[slots] = 0.0
        self._linking_sum[slots] = 0.0
        self._linking_least[slots] = 1.0
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
        """Forgets URLs that are queued no more."""
        for key in ids:
            slot = self._slot_of.pop(key, None)
            if slot is not None:
                self._is_queued[slot] = False
                self._free.append(slot)

    def note_page(self, url: str, host: str, relevance: float, *, is_labelled: bool = False) -> None:
        """Notes a page that was fetched and scored, or labelled: then 0 or 1."""
        weight = 1.0 + _LABEL if is_labelled else 1.0
        self.hosts.add(host, relevance, weight)
        self._directories.add(directory_of(url), relevance, weight)

    def note_links(self, ids: Sequence[int], relevance: float) -> Ints:
        """Notes that a page of such relevance links to these; gives the places of those that are queued."""
        slots = self.places(ids)
        self.link(slots, 1.0, relevance, relevance)
        return slots

    def link(self, slots: Ints, count: Floats | float, total: Floats | float, least: Floats | float) -> None:
        """Adds pages that link to URLs: their number, the sum of their relevance and the least of it."""
        import numpy as np

        self._linking[slots] += count
        self._linking_sum[slots] += total
        self._linking_least[slots] = np.minimum(self._linking_least[slots], least)

    def places(self, ids: Iterable[int]) -> Ints:
        """Where the queued ones of some URLs stand."""
        import numpy as np

        return np.array([slot for key in ids if (slot := self._slot_of.get(key)) is not None], np.int64)

    @property
    def all_places(self) -> Ints:
        """Where the queued URLs stand."""
        import numpy as np

        return np.flatnonzero(self._is_queued[: self._used])

    def ids(self, slots: Ints) -> Ints:
        """The keys of URLs in the frontier."""
        return self._id[slots]

    def hosts_of(self, slots: Ints) -> Ints:
        """The numbers of their hosts in ``hosts``."""
        return self._host[slots]

    def signals(self, slots: Ints) -> Signals:
        """What is known of each URL."""
        import numpy as np

        whole = self.hosts.overall
        host = self.hosts.means(whole)[self._host[slots]]
        directory = self._directory[slots]
        sums, counts = self._directories.sums[directory], self._directories.counts[directory]
        count = self._linking[slots]
        return Signals(
            self._words[slots],
            (self._linking_sum[slots] + _LINKING_PRIOR * whole) / (count + _LINKING_PRIOR),
            np.where(count > 0, self._linking_least[slots], whole),
            (sums + _PRIOR * host) / (counts + _PRIOR),
        )

    def of(self, slots: Ints) -> tuple[Floats, Signals]:
        """The promise of each URL, in [0, 1], with its bonus and lift, and what it is made of."""
        import numpy as np

        known = self.signals(slots)
        bonus = _BONUS * np.sqrt(np.log(max(2.0, self.hosts.count)) / (self.hosts.counts[self._host[slots]] + 1.0))
        value = _WORDS * known.words + _LINKING * known.linking + _LEAST * known.least + _DIRECTORY * known.directory
        return value + bonus + self._lift[slots], known


class Means:
    """Numbered groups with the sum and the weight of what was noted of each."""

    def __init__(self) -> None:
        import numpy as np

        self._numbers: dict[str, int] = {}
        self.sums: Floats = np.zeros(_FIRST)
        self.counts: Floats = np.zeros(_FIRST)
        self.count = 0.0
        self._sum = 0.0

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, group: object) -> bool:
        return group in self._numbers

    @property
    def names(self) -> list[str]:
        """The groups, by number."""
        return list(self._numbers)

    def number(self, group: str) -> int:
        """The number of a group; a new one gets the next."""
        import numpy as np

        found = self._numbers.setdefault(group, len(self._numbers))
        if found == len(self.sums):
            self.sums = np.concatenate([self.sums, np.zeros_like(self.sums)])
            self.counts = np.concatenate([self.counts, np.zeros_like(self.counts)])
        return found

    def add(self, group: str, value: float, weight: float) -> None:
        """Notes a value of a group."""
        at = self.number(group)
        self.sums[at] += weight * value
        self.counts[at] += weight
        self._sum += weight * value
        self.count += weight

    @property
    def overall(self) -> float:
        """The mean of all, one in five where nothing is known."""
        return (self._sum + 1.0) / (self.count + 5.0)

    def means(self, whole: float) -> Floats:
        """The mean of each group, drawn towards that of the whole."""
        return (self.sums + _PRIOR * whole) / (self.counts + _PRIOR)


def directory_of(url: str) -> str:
    """A URL up to its last slash, without the query."""
    return url.partition("?")[0].rpartition("/")[0]


def link_text(url: str, anchor: str | None, context: str | None) -> str:
    """What the document model reads of a link: its anchor, the words of the URL behind the host, and the text around it."""
    path = url.partition("://")[2].partition("/")[2]
    words = _split(unquote(path) if "%" in path else path)
    return f"{anchor or ''} {_split(anchor) if anchor else ''} {words} {context or ''}"


def _split(text: str) -> str:
    return " ".join(_LETTERS.findall(_CAMEL.sub(" ", text)))
