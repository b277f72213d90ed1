"""Statistics of the exported documents, and ``sources.csv`` with one row per host."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any, Final

from corpuskit.export.csv_safety import escape_formula
from corpuskit.export.item import Item

SOURCES: Final = "sources.csv"
_COLUMNS: Final = ("host", "documents", "words", "main_words", "first_fetched", "last_fetched", "licenses")


class Statistics:
    """Counters of the exported documents. Each host is written after its last document, so memory use is constant."""

    def __init__(self, folder: Path) -> None:
        self.documents = self.words = self.main_words = self.elements = self.hosts = 0
        self.languages: Counter[str] = Counter()
        self.labels: Counter[str] = Counter()
        self.licenses: Counter[str] = Counter()
        self.media_types: Counter[str] = Counter()
        self.decisions: Counter[str] = Counter()
        self.first_fetched = self.last_fetched = ""
        self._file = (folder / SOURCES).open("w", encoding="utf-8", newline="")
        self._writer = csv.DictWriter(self._file, _COLUMNS, lineterminator="\n")
        self._writer.writeheader()
        self._host: dict[str, Any] | None = None

    def add(self, item: Item) -> None:
        """Count a document. Documents of a host are consecutive."""
        row = item.row
        self.documents += 1
        self.words += row["words"] or 0
        self.main_words += row["main_words"] or 0
        self.elements += row["elements"]
        self.languages[row["lang"] or "?"] += 1
        self.labels[row["label"] or "none"] += 1
        self.licenses[row["license"] or "none found"] += 1
        self.media_types[row["media_type"]] += 1
        self.decisions[row["decision"] or "not scored"] += 1
        self.first_fetched = min(self.first_fetched or row["fetched"], row["fetched"])
        self.last_fetched = max(self.last_fetched, row["fetched"])
        if self._host is None or self._host["host"] != row["host"]:
            self._end_host()
            self._host = {**dict.fromkeys(_COLUMNS, 0), "host": row["host"], "first_fetched": row["fetched"],
                          "last_fetched": row["fetched"], "licenses": Counter()}  # fmt: skip
            self.hosts += 1
        host = self._host
        host["documents"] += 1
        host["words"] += row["words"] or 0
        host["main_words"] += row["main_words"] or 0
        host["first_fetched"] = min(host["first_fetched"], row["fetched"])
        host["last_fetched"] = max(host["last_fetched"], row["fetched"])
        host["licenses"][row["license"] or "none found"] += 1

    def _end_host(self) -> None:
        if self._host is not None:
            ranked = sorted(self._host["licenses"].items(), key=lambda pair: (-pair[1], pair[0]))
            self._host["licenses"] = "; ".join(f"{name} ({count})" for name, count in ranked[:20])
            self._writer.writerow({name: escape_formula(value) for name, value in self._host.items()})

    def close(self) -> None:
        """Write the last host and close the file."""
        self._end_host()
        self._file.close()
