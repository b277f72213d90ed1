"""Repair of a corpus: the catalog is rebuilt from the other files of the corpus."""

from corpuskit.store.repair.rebuild import repair
from corpuskit.store.repair.report import RepairReport

Repaired = RepairReport  # earlier name

__all__ = ["RepairReport", "repair"]
