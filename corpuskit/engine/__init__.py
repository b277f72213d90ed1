"""Runs one function over many items: here, in worker processes with limits of time and memory, or on a Dask cluster.

A worker that dies or exceeds a limit is replaced; the item it had becomes a failure, the others go on.
"""

from corpuskit.engine.outcomes import Limits, Outcome, WorkerDiedError
from corpuskit.engine.pool import Pool
from corpuskit.engine.progress import with_progress
from corpuskit.engine.run import check_engine, run, values
from corpuskit.engine.workers import call, close_idle_workers, default_workers

__all__ = [
    "Limits", "Outcome", "Pool", "WorkerDiedError", "call", "check_engine", "close_idle_workers", "default_workers", "run", "values", "with_progress",
]  # fmt: skip
