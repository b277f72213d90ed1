"""Polars, after whose import Ctrl-C still interrupts a wait."""

from __future__ import annotations

import signal

import polars as polars  # noqa: PLC0414, TID251 - exported; the one import of it

if hasattr(signal, "siginterrupt"):
    # At its import Polars sets its own handler so that system calls go on after Ctrl-C: a wait for a crawl, or a prompt,
    # would not hear of it.
    signal.siginterrupt(signal.SIGINT, True)

__all__ = ["polars"]
