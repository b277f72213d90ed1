"""What the pool says about a host: the mean score of its other URLs.

With 50 labels most hosts have none. But where all URLs of a host look alike to the model, the next one will be like
them; where they differ (a forge, a news site), the host says little. The same for registered domains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from corpuskit.relevance.counts import Floats
from corpuskit.relevance.urls import bare_host, registered_domain

_MOST = 0.5
_LABELS = 3.0


@lru_cache(maxsize=1 << 15)
def _names(url: str) -> tuple[str, str]:
    host = bare_host(url)
    return f"host={host}", f"domain={registered_domain(host)}"


@dataclass(frozen=True)
class Places:
    """Hosts and registered domains of a pool.

    Attributes:
        names: ``host=...`` and ``domain=...``, sorted.
        mean: the mean logit of each one's URLs.
        trust: the share of a URL's own logit that this mean replaces, 0 to 0.5.
    """

    names: tuple[str, ...]
    mean: npt.NDArray[np.float32]
    trust: npt.NDArray[np.float32]

    @classmethod
    def fit(cls, urls: Sequence[str], logits: Floats, labelled: Sequence[str] = ()) -> Places:
        """Measure every host and domain of a pool: the less its URLs differ, compared to the whole pool, the more trust.

        Trust is 0.5 * (1 - (variance there / variance of all) ** 2); one imagined URL as far off as the average one
        keeps small hosts from looking uniform. A host with labels of its own needs this less: three of them halve it.
        """
        own = Counter(name for url in labelled for name in set(_names(url)))
        total = float(np.var(logits))
        members: dict[str, list[int]] = {}
        for position, url in enumerate(urls):
            for name in _names(url):
                members.setdefault(name, []).append(position)
        names = sorted(members)
        mean, trust = np.zeros(len(names), np.float32), np.zeros(len(names), np.float32)
        for number, name in enumerate(names):
            there = logits[members[name]]
            mean[number] = there.mean()
            spread = (((there - there.mean()) ** 2).sum() + total) / (len(there) + 1)
            uniform = max(0.0, 1.0 - (spread / total) ** 2) if total > 1e-9 else 0.0
            trust[number] = _MOST * uniform / (1.0 + own[name] / _LABELS)
        return cls(tuple(names), mean, trust)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    def find(self, urls: Sequence[str]) -> tuple[npt.NDArray[np.bool_], Floats, Floats]:
        """Of each URL: whether the pool has its host, how much of its own logit is replaced, and by what."""
        seen = np.zeros(len(urls), bool)
        replaced, pull = np.zeros(len(urls)), np.zeros(len(urls))
        for position, url in enumerate(urls):
            host, domain = (self._index.get(name) for name in _names(url))
            seen[position] = host is not None
            for number in (host, domain):
                if number is not None:
                    replaced[position] += self.trust[number]
                    pull[position] += float(self.trust[number]) * float(self.mean[number])
        return seen, replaced, pull

    def contributions(self, url: str) -> list[tuple[str, float]]:
        """Return what host and domain add to one URL's logit."""
        found = ((name, self._index.get(name)) for name in _names(url))
        return [(f"pages of {name}", float(self.trust[n]) * float(self.mean[n])) for name, n in found if n is not None]
