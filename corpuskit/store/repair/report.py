"""What a repair did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from corpuskit.store.formatting import pluralize

# Tables of which people know nothing, which a report does not name, and what is lost with them.
INTERNAL_TABLES: Final = {
    "texts": "which texts were met before", "outlinks": "links between documents",
    "said": "what documents say of themselves", "refusals": "how many links were refused",
}  # fmt: skip
# What people call the rows of the other tables, and what is kept in meta: one, several.
ROW_NAMES: Final = {
    "scores": ("score", "scores"), "failures": ("failure", "failures"), "requests": ("request", "requests"),
    "tombstones": ("removed document", "removed documents"), "frontier": ("known URL", "known URLs"),
    "hosts": ("host", "hosts"), "jobs": ("crawl", "crawls"), "models": ("model", "models"),
    "sub-corpora": ("sub-corpus", "sub-corpora"), "saved queries": ("saved query", "saved queries"),
    "layers": ("set of layers", "sets of layers"), "preprocessing": ("run of preprocessing", "runs of preprocessing"),
    "audits": ("audit", "audits"), "exports": ("export", "exports"), "merged shards": ("merged shard", "merged shards"),
    "meta": ("", "sub-corpora and saved queries"),
}  # fmt: skip


@dataclass(slots=True)
class RepairReport:
    """What a repair did.

    Attributes:
        documents: rows made from documents/, those of the old catalogue that fit among them.
        pending: originals without a document: ``Corpus.extract_pending`` or the next crawl extracts them.
        rows: table, and what is in the table meta as sub-corpora and saved queries → rows copied from the old catalogue.
        requests: URLs of the frontier that were made from the web archives.
        lost: what could not be made again, a sentence each.
        old: where the old catalogue is kept; None where there was none.
    """

    documents: int = 0
    pending: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    requests: int = 0
    lost: list[str] = field(default_factory=list)
    old: str | None = None

    def __repr__(self) -> str:
        hint = " (extract_pending() extracts them)" if self.pending else ""
        lines = [f"{pluralize(self.documents, 'document')}, {self.pending:,} pending{hint}"]
        words = {name: ROW_NAMES.get(name, (name, name)) for name in self.rows if name not in INTERNAL_TABLES}
        if kept := ", ".join(f"{count:,} {words[name][count != 1]}" for name, count in self.rows.items()
                             if count and name in words):  # fmt: skip
            lines.append(f"kept of the old catalogue: {kept}")
        if self.requests:
            lines.append(f"made from the web archives: {pluralize(self.requests, 'known URL')}")
        return "\n".join([*lines, *(f"lost: {line}" for line in self.lost)])
