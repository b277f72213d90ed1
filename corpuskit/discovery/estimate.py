"""What fetching would take: requests, bytes, hours, money, at stated prices."""

from __future__ import annotations

from dataclasses import dataclass

from rich.filesize import decimal

from corpuskit.store.formatting import pluralize


@dataclass(frozen=True, slots=True)
class Prices:
    """What an estimate reckons with; the defaults are stated, not looked up.

    Attributes:
        requests_per_second: that are polite to make of the store, in all.
        bytes_per_second: of the line.
        cpu_seconds: to extract and score a page (18 ms were measured, ``benchmarks/scale_shards.py``).
        cores: that extract.
        per_thousand_requests: money; 0.0004 is what Amazon lists for GET in its oldest region, and over https there is none.
        per_gigabyte: money for bytes that leave the store; none within the store's own region, and none over https.
        per_core_hour: money.
    """

    requests_per_second: float = 5.0
    bytes_per_second: float = 10e6
    cpu_seconds: float = 0.018
    cores: int = 2
    per_thousand_requests: float = 0.0004
    per_gigabyte: float = 0.0
    per_core_hour: float = 0.04


@dataclass(frozen=True, slots=True)
class Estimate:
    """What fetching would take.

    Attributes:
        pages: to fetch.
        bytes: that come, neighbours' bytes between records with them.
        needed: of these, bytes of records.
        requests: after neighbours are joined.
        hours: the longest of waiting for the store, the line and the extraction.
        cpu_hours: of the extraction.
        money: in all, in the currency of the prices.
        share: of the index that was scored; the numbers are for the whole.
    """

    pages: int
    bytes: int
    needed: int
    requests: int
    hours: float
    cpu_hours: float
    money: float
    share: float = 1.0

    def __repr__(self) -> str:
        text = (
            f"{pluralize(self.pages, 'page')} in {pluralize(self.requests, 'request')}, {decimal(self.bytes)} "
            f"({self.bytes / max(self.needed, 1):.2f} times what is needed): {self.hours:,.1f} hours, "
            f"{self.cpu_hours:,.1f} CPU hours, {self.money:,.2f} at these prices"
        )
        return text if self.share == 1.0 else f"{text}; reckoned from {self.share:.1%} of the index"


def estimate(pages: int, fetched: int, needed: int, requests: int, prices: Prices, share: float) -> Estimate:
    """Reckons; numbers of a part of the index are brought up to the whole."""
    pages, fetched, needed, requests = (round(number / share) for number in (pages, fetched, needed, requests))
    cpu_hours = pages * prices.cpu_seconds / 3600
    hours = max(
        requests / prices.requests_per_second / 3600, fetched / prices.bytes_per_second / 3600, cpu_hours / prices.cores
    )
    money = (
        requests / 1000 * prices.per_thousand_requests
        + fetched / 1e9 * prices.per_gigabyte
        + cpu_hours * prices.per_core_hour
    )
    return Estimate(pages, fetched, needed, requests, hours, cpu_hours, money, share)
