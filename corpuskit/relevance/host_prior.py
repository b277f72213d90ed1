"""Host prior: the mean score of the other URLs of a host.

With 50 labels most hosts have none. If all URLs of a host have similar scores, the next one probably has such a score too.
If they differ (a forge, a news site), the host says little. The same applies to registered domains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from corpuskit.relevance.token_counts import Floats
from corpuskit.relevance.url_tokenizers import bare_host, registered_domain

_MAX_WEIGHT = 0.5
_HALVING_LABELS = 3.0


@lru_cache(maxsize=1 << 15)
def _names(url: str) -> tuple[str, str]:
    host = bare_host(url)
    return f"host={host}", f"domain={registered_domain(host)}"


@dataclass(frozen=True)
class HostPrior:
    """Prior logits of the hosts and registered domains of a pool.

    Attributes:
        names: ``host=...`` and ``domain=...``, sorted.
        mean: Mean logit of the URLs of each name.
        weight: Share of a URL's own logit that is replaced by this mean, 0 to 0.5.
    """

    names: tuple[str, ...]
    mean: npt.NDArray[np.float32]
    weight: npt.NDArray[np.float32]

    @classmethod
    def fit(cls, urls: Sequence[str], logits: Floats, labelled: Sequence[str] = ()) -> HostPrior:
        """Fit the prior on a pool. The weight of a host decreases with the variance of its URLs relative to the pool.

        The weight is 0.5 * (1 - (variance of the host / variance of the pool) ** 2). One imaginary URL with the variance of
        the pool keeps small hosts from looking uniform. Labels of a host reduce its weight: three labels halve it.
        """
        own = Counter(name for url in labelled for name in set(_names(url)))
        total = float(np.var(logits))
        members: dict[str, list[int]] = {}
        for position, url in enumerate(urls):
            for name in _names(url):
                members.setdefault(name, []).append(position)
        names = sorted(members)
        mean, weight = np.zeros(len(names), np.float32), np.zeros(len(names), np.float32)
        for number, name in enumerate(names):
            of_name = logits[members[name]]
            mean[number] = of_name.mean()
            spread = (((of_name - of_name.mean()) ** 2).sum() + total) / (len(of_name) + 1)
            uniform = max(0.0, 1.0 - (spread / total) ** 2) if total > 1e-9 else 0.0
            weight[number] = _MAX_WEIGHT * uniform / (1.0 + own[name] / _HALVING_LABELS)
        return cls(tuple(names), mean, weight)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    def find(self, urls: Sequence[str]) -> tuple[npt.NDArray[np.bool_], Floats, Floats]:
        """Return for each URL whether its host is in the pool, the weight of the prior, and the weighted prior logit."""
        seen = np.zeros(len(urls), bool)
        weight, prior = np.zeros(len(urls)), np.zeros(len(urls))
        for position, url in enumerate(urls):
            host, domain = (self._index.get(name) for name in _names(url))
            seen[position] = host is not None
            for number in (host, domain):
                if number is not None:
                    weight[position] += self.weight[number]
                    prior[position] += float(self.weight[number]) * float(self.mean[number])
        return seen, weight, prior

    def contributions(self, url: str) -> list[tuple[str, float]]:
        """Return the contributions of host and domain to the logit of a URL."""
        pairs = ((name, self._index.get(name)) for name in _names(url))
        return [(f"pages of {name}", float(self.weight[n]) * float(self.mean[n])) for name, n in pairs if n is not None]
