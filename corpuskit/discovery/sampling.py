"""Random sample of the selected pages, to measure the precision of a selection before all pages are fetched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from corpuskit.discovery.page_fetching import FetchReport, fetch
from corpuskit.discovery.selection import check_number
from corpuskit.errors import ConfigurationError, MissingExtraError
from corpuskit.ingest import document_id
from corpuskit.labels import training_labels
from corpuskit.stable_sample import stable_sample
from corpuskit.store import CorpusFolder
from corpuskit.store.document_lookup import add_titles

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.discovery.discovery import Discovery
    from corpuskit.widgets.labeler import Labeler

CONFIDENCE = 0.9


@dataclass(frozen=True, slots=True)
class Precision:
    """Precision of the selection, estimated from a sample.

    Attributes:
        value: Share of relevant pages in the sample.
        low, high: Exact confidence interval (Clopper and Pearson 1934).
        pages: Number of labelled or scored pages in the sample.
        by: ``labels``, or ``model`` if the sample has no labels: decisions of the document model.
        confidence: Confidence level of the interval.
    """

    value: float
    low: float
    high: float
    pages: int
    by: Literal["labels", "model"]
    confidence: float = CONFIDENCE

    def __repr__(self) -> str:
        source = "labels" if self.by == "labels" else "decisions of the model, no labels yet"
        return f"precision {self.value:.2f} ({self.low:.2f} to {self.high:.2f}, by {self.pages} {source})"


class Sample:
    """Random pages of a discovery, fetched into the corpus.

    Args:
        folder: The corpus folder.
        frame: The sampled pages.

    Attributes:
        fetched: Report of the fetch.
    """

    def __init__(self, folder: CorpusFolder, frame: pd.DataFrame, fetched: FetchReport) -> None:
        self._folder, self._sampled, self.fetched = folder, frame, fetched

    @property
    def frame(self) -> pd.DataFrame:
        """DataFrame with one row per page in the corpus: doc_id, title, uri, url, host, url_score, relevance (of the
        document), label.
        """
        rows = self._folder.catalog.tuples(
            "SELECT c.doc_id, s.relevance FROM current c LEFT JOIN scores s ON s.doc_id = c.doc_id"
        )
        scores, labels = dict(rows), training_labels(self._folder)
        frame = self._sampled[self._sampled["doc_id"].isin(scores)].reset_index(drop=True)
        frame["relevance"] = [scores[doc_id] for doc_id in frame["doc_id"]]
        frame["label"] = [labels.get(doc_id) for doc_id in frame["doc_id"]]
        types = {"doc_id": "str", "url": "str", "host": "str", "relevance": "float64", "label": "str"}
        return add_titles(self._folder, frame.astype(types))

    @property
    def precision(self) -> Precision:
        """Precision of the selection, from labels or else from scores of the model.

        Raises:
            ConfigurationError: No page of the sample is in the corpus, or none has a label or score.
        """
        frame = self.frame
        labelled = frame[frame["label"].notna()]
        if len(labelled):
            return _precision((labelled["label"] == "relevant").to_numpy(), "labels")
        scored = frame[frame["relevance"].notna()]
        if not len(scored):
            raise ConfigurationError("expected a label or score for a page of the sample, found none: label some pages")
        return _precision((scored["relevance"] >= 0.5).to_numpy(), "model")

    def label(self, **how: Any) -> Labeler:
        """Return the labelling widget with the pages of the sample.

        Args:
            how: Keywords of :meth:`corpuskit.corpus.Corpus.label`.
        """
        from corpuskit.hooks import hook
        from corpuskit.widgets.labeler import Labeler

        options = {"keys": None, "by": None, "question": "Is this document relevant?", "overlap": None, **how}
        return Labeler(
            self._folder, self.frame["doc_id"].tolist(), similar=hook("similar documents")(self._folder), **options
        )

    def __len__(self) -> int:
        """Return the number of its pages in the corpus."""
        return len(self.frame)

    def __repr__(self) -> str:
        try:
            text = repr(self.precision)
        except ConfigurationError as error:
            text = str(error)
        return f"Sample of {len(self._sampled)} pages, {len(self)} in the corpus: {text}\nnext: .label()"


def _precision(good: Any, by: Literal["labels", "model"]) -> Precision:
    try:
        from scipy.stats import beta
    except ImportError:
        raise MissingExtraError("scipy", "relevance") from None
    number, hits, rest = len(good), int(np.sum(good)), (1.0 - CONFIDENCE) / 2
    low = float(beta.ppf(rest, hits, number - hits + 1)) if hits else 0.0
    high = float(beta.ppf(1.0 - rest, hits + 1, number - hits)) if hits < number else 1.0
    return Precision(hits / number, low, high, number, by)


def sampled_locations(discovery: Discovery, n: int, seed: int) -> Any:
    """Return the locations of a sample. Pages are sorted by hashes of the URLs, so a larger sample contains the
    smaller ones.
    """
    return discovery.locations.take(stable_sample(discovery.locations.column("url").to_pylist(), n, seed))


def fetch_sample(folder: CorpusFolder, discovery: Discovery, n: int, *, seed: int = 0, **how: Any) -> Sample:
    """Fetch random pages of a discovery; see :meth:`Discovery.sample`."""
    import pandas as pd

    check_number("n", n, lambda value: value >= 1, "at least 1")
    locations = sampled_locations(discovery, n, seed)
    report = fetch(folder, discovery, locations=locations, part=f"sample-{seed}-{n}", **how)
    urls = locations.column("url").to_pylist()
    frame = pd.DataFrame({
        "doc_id": [document_id(url) for url in urls],
        "url": urls,
        "host": locations.column("url_host_name").to_pylist(),
        "url_score": locations.column("score").to_numpy().astype(float),
    })  # fmt: skip
    folder.catalog.set_meta(f"sample of {discovery.name}", f"{seed} {n}")
    return Sample(folder, frame, report)


def judged_hosts(folder: CorpusFolder, discovery: Discovery) -> dict[str, tuple[int, int]]:
    """Return host → (number of labelled or scored pages in the last sample, number of relevant ones)."""
    stored = (folder.catalog.meta(f"sample of {discovery.name}") or "").split()
    if len(stored) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in stored):
        return {}
    locations = sampled_locations(discovery, int(stored[1]), int(stored[0]))
    labels = training_labels(folder)
    counts: dict[str, tuple[int, int]] = {}
    scores = dict(folder.catalog.tuples("SELECT doc_id, relevance FROM scores"))
    hosts = locations.column("url_host_name").to_pylist()
    for url, host in zip(locations.column("url").to_pylist(), hosts, strict=True):
        doc_id = document_id(url)
        if doc_id in labels:
            good = labels[doc_id] == "relevant"
        elif doc_id in scores and scores[doc_id] is not None:
            good = scores[doc_id] >= 0.5
        else:
            continue
        number, relevant = counts.get(host, (0, 0))
        counts[host] = (number + 1, relevant + good)
    return counts
