"""Report of a repair."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from corpuskit.store.formatting import pluralize

# Internal tables, which the report mentions only if they are lost, and their content.
INTERNAL_TABLES: Final = {
    "texts": "hashes of known texts", "outlinks": "links between documents",
    "said": "document metadata", "refusals": "counts of refused links",
}  # fmt: skip
# Names of the rows of other tables and of entries in meta: singular, plural.
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
    """Result of a repair.

    Attributes:
        documents: Number of rows restored from documents/, including matching rows of the old catalog.
        pending: Originals without a document: ``Corpus.extract_pending`` or the next crawl extracts them.
        rows: Rows copied from the old catalog, by table or entry of meta, such as sub-corpora and saved queries.
        requests: URLs of the frontier that were restored from WARC files.
        lost: Losses, one sentence each.
        old: Name of the old catalog, or None if there was no catalog.
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
        names = {name: ROW_NAMES.get(name, (name, name)) for name in self.rows if name not in INTERNAL_TABLES}
        if copied := ", ".join(f"{count:,} {names[name][count != 1]}" for name, count in self.rows.items()
                             if count and name in names):  # fmt: skip
            lines.append(f"copied from the old catalog: {copied}")
        if self.requests:
            lines.append(f"restored from WARC files: {pluralize(self.requests, 'known URL')}")
        return "\n".join([*lines, *(f"lost: {line}" for line in self.lost)])
