"""Estimate of the cost of fetching pages: requests, bytes, hours and money."""

from __future__ import annotations

from dataclasses import dataclass

from rich.filesize import decimal

from corpuskit.store.formatting import pluralize


@dataclass(frozen=True, slots=True)
class Prices:
    """Assumptions of an estimate. The defaults are fixed and not looked up.

    Attributes:
        requests_per_second: Requests to the store per second, from all workers.
        bytes_per_second: Speed of the network connection.
        cpu_seconds: CPU time to extract and score a page (18 ms measured by ``benchmarks/scale_shards.py``).
        cores: Number of cores for the extraction.
        per_thousand_requests: Price of 1,000 requests. 0.0004 is Amazon's price for GET in its oldest region; https
            is free.
        per_gigabyte: Price of a gigabyte that leaves the store; 0 within the region of the store, and for https.
        per_core_hour: Price of a core for an hour.
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
    """Estimated cost of fetching pages.

    Attributes:
        pages: Number of pages.
        bytes: Number of bytes received, including unused bytes between records.
        needed: Number of bytes of the records.
        requests: Number of requests, after adjacent records are combined.
        hours: The longest of the times for requests, transfer and extraction.
        cpu_hours: CPU time of the extraction.
        money: Total price, in the currency of the prices.
        share: Share of the index that was scored. The numbers are extrapolated to the whole index.
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
            f"({self.bytes / max(self.needed, 1):.2f} times the records' size): {self.hours:,.1f} hours, "
            f"{self.cpu_hours:,.1f} CPU hours, {self.money:,.2f} at these prices"
        )
        return text if self.share == 1.0 else f"{text}; extrapolated from {self.share:.1%} of the index"


def estimate(pages: int, fetched: int, needed: int, requests: int, prices: Prices, share: float) -> Estimate:
    """Return an estimate; numbers of a part of the index are extrapolated to the whole."""
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
