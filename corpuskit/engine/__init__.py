"""Execution of a function over many items: in this process, in worker processes with limits, or on a Dask cluster.

A worker that dies or exceeds a limit is replaced. Its item becomes a failure and the other items continue.
"""

from corpuskit.engine.outcomes import Limits, Outcome, WorkerDiedError
from corpuskit.engine.pool import Pool
from corpuskit.engine.progress import with_progress
from corpuskit.engine.run import check_engine, run, values
from corpuskit.engine.workers import call, close_idle_workers, default_workers

__all__ = [
    "Limits", "Outcome", "Pool", "WorkerDiedError", "call", "check_engine", "close_idle_workers", "default_workers",
    "run", "values", "with_progress",
]  # fmt: skip
