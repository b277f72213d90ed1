"""A simulated analyst: answers from the gold, and counts what was asked."""

from collections import Counter
from typing import Any
from urllib.parse import urlsplit

from score import canonical

AUDITS_A_HOST = 2


class Analyst:
    """Labels pages by their URI: "relevant", "other", or None where the gold does not say (hubs, ambiguous pages).

    A label counts against the budget; None costs nothing, nor does the same page again. A label that checks a new source
    (``audit=True``) is counted apart, but only the first two of a host that has no other label.

    Args:
        gold: the content of gold.json.
        budget: labels to give.
    """

    def __init__(self, gold: dict[str, Any], budget: int = 210):
        self.values, self.traps = gold["gold"], set(gold["trap_hosts"])
        self.budget, self.labels, self.audit_labels = budget, 0, 0
        self._given: dict[str, str] = {}
        self._on_host: Counter[str] = Counter()
        self._audits_on_host: Counter[str] = Counter()

    @property
    def left(self) -> int:
        return self.budget - self.labels

    def truth(self, uri: str) -> str | None:
        """Return what the gold says, without counting; a page of a trap is never relevant."""
        if urlsplit(uri).netloc.lower() in self.traps:
            return "other"
        value = self.values.get(canonical(uri))
        return None if value is None else ("other", "relevant")[value]

    def label(self, uri: str, *, audit: bool = False) -> str | None:
        """Return the label; None where there is none to give or the budget is spent."""
        page, host = canonical(uri), urlsplit(uri).netloc.lower()
        if page in self._given:
            return self._given[page]
        answer = self.truth(uri)
        if answer is None:
            return None
        audits = self._audits_on_host[host]
        free = audit and audits < AUDITS_A_HOST and self._on_host[host] == audits
        if not free and self.left <= 0:
            return None
        self._given[page] = answer
        self._on_host[host] += 1
        self._audits_on_host[host] += free
        self.audit_labels += free
        self.labels += not free
        return answer
