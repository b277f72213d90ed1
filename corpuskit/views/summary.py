"""The repr of a corpus: what is in it, and what comes next."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Final

from corpuskit.labels import corpus_labels
from corpuskit.store import CorpusFolder
from corpuskit.store.formatting import pluralize


@dataclass(frozen=True, slots=True)
class Steps:
    """How the next step is taken, in the words of where a person is: after each state of a corpus, and to see failures."""

    empty: str
    unlabelled: str
    labelled: str
    uncrawled: str
    trained: str
    failures: str

    def of(self, typed: Callable[[str], str]) -> Steps:
        """Return them with each ``corpuskit NAME FOLDER`` as it is typed: the function takes a command's name."""
        return Steps(
            *(
                re.sub(r"corpuskit (\w+) FOLDER", lambda match: typed(match[1]), getattr(self, item.name))
                for item in fields(self)
            )
        )


CALLED: Final = Steps(
    '.add("folder") or .crawl(["https://..."])',
    ".label(), then .train()",
    ".train()",
    '.crawl(["https://..."], steer=model) or .export(folder)',
    ".crawl(resume=True, steer=model) or .export(folder)",
    ".failures()",
)
TYPED: Final = Steps(
    "corpuskit add FOLDER FILES... or corpuskit crawl FOLDER https://...",
    "corpuskit label FOLDER labels.csv, then corpuskit train FOLDER",
    "corpuskit train FOLDER",
    "corpuskit crawl FOLDER https://... --steer or corpuskit export FOLDER OUT",
    "corpuskit crawl FOLDER --resume --steer or corpuskit export FOLDER OUT",
    "below",
)


def summary(folder: CorpusFolder, steps: Steps = CALLED) -> str:
    """Counts, languages, size and the next step, as text."""
    catalog = folder.catalog
    count, words, hosts = catalog.rows("SELECT count(*), coalesce(sum(words), 0), count(DISTINCT host) FROM current")[0]
    head = f"Corpus {folder.settings.name or folder.path.name!r}"
    if not count:
        waiting = catalog.value("SELECT count(*) FROM documents WHERE status = 'fetched'")
        lines = [
            f"{head}: empty" + (f", {pluralize(waiting, 'document')} fetched and not extracted" if waiting else "")
        ]
    else:
        languages = catalog.rows("SELECT lang, count(*) AS n FROM current GROUP BY lang ORDER BY n DESC, lang LIMIT 4")
        shares = ", ".join(f"{row['lang'] or '?'} {row['n'] / count:.0%}" for row in languages)
        lines = [f"{head}: {pluralize(count, 'document')}, {words:,} words, {pluralize(hosts, 'host')} ({shares})"]
    judged = corpus_labels(folder)
    if judged:
        kinds = Counter(label.label for label in judged if label.label is not None)
        counts = [f"{number} {name}" for name, number in sorted(kinds.items())]
        if ties := len(judged) - kinds.total():
            counts.append(f"{ties} disagreement{'' if ties == 1 else 's'} to settle")
        lines.append("labels: " + ", ".join(counts))
    queued = catalog.value("SELECT count(*) FROM frontier WHERE state = 'queued'")
    if queued:
        lines.append(f"frontier: {pluralize(queued, 'URL')} queued")
    failed = catalog.value("SELECT count(*) FROM failures")
    if failed:
        lines.append(f"failures: {failed:,}, see {steps.failures}")
    lines.append("next: " + _next_step(folder, count, len(judged), steps))
    return "\n".join(lines)


def _next_step(folder: CorpusFolder, documents: int, labels: int, steps: Steps) -> str:
    if not documents:
        return steps.empty
    if folder.catalog.value("SELECT 1 FROM models LIMIT 1"):
        has_crawled = folder.catalog.value("SELECT 1 FROM frontier LIMIT 1")
        return steps.trained if has_crawled else steps.uncrawled
    if labels >= 20:
        return steps.labelled
    return steps.unlabelled
