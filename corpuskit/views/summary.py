"""The repr of a corpus: what is in it, and what comes next."""

from __future__ import annotations

from collections import Counter

from corpuskit.labels import corpus_labels
from corpuskit.store import CorpusFolder


def summary(folder: CorpusFolder) -> str:
    """Counts, languages, size and the next step, as text."""
    catalog = folder.catalog
    count, words, hosts = catalog.rows("SELECT count(*), coalesce(sum(words), 0), count(DISTINCT host) FROM current")[0]
    head = f"Corpus {folder.settings.name or folder.path.name!r}"
    if not count:
        waiting = catalog.value("SELECT count(*) FROM documents WHERE status = 'fetched'")
        lines = [f"{head}: empty" + (f", {waiting} documents fetched and not extracted" if waiting else "")]
    else:
        languages = catalog.rows("SELECT lang, count(*) AS n FROM current GROUP BY lang ORDER BY n DESC, lang LIMIT 4")
        shares = ", ".join(f"{row['lang'] or '?'} {row['n'] / count:.0%}" for row in languages)
        lines = [f"{head}: {count:,} documents, {words:,} words, {hosts:,} hosts ({shares})"]
    judged = corpus_labels(folder)
    if judged:
        kinds = Counter(label.label for label in judged if label.label is not None)
        told = [f"{number} {name}" for name, number in sorted(kinds.items())]
        if ties := len(judged) - kinds.total():
            told.append(f"{ties} disagreement{'' if ties == 1 else 's'} to settle")
        lines.append("labels: " + ", ".join(told))
    queued = catalog.value("SELECT count(*) FROM frontier WHERE state = 'queued'")
    if queued:
        lines.append(f"frontier: {queued:,} URLs queued")
    failed = catalog.value("SELECT count(*) FROM failures")
    if failed:
        lines.append(f"failures: {failed:,}, see .failures()")
    lines.append("next: " + _next_step(folder, count, len(judged)))
    return "\n".join(lines)


def _next_step(folder: CorpusFolder, documents: int, labels: int) -> str:
    if not documents:
        return '.add("folder") or .crawl(["https://..."])'
    if folder.catalog.value("SELECT 1 FROM models LIMIT 1"):
        return ".crawl(resume=True, steer=model) or .export(folder)"
    if labels >= 20:
        return ".train()"
    return ".label(), then .train()"
