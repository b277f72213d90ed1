"""A sample of what was chosen: fetched, shown, labelled; so the precision of the choice is known before the rest is paid for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from corpuskit.discovery.page_fetching import Fetched, fetch
from corpuskit.discovery.selection import check_number
from corpuskit.errors import ConfigurationError, MissingExtraError
from corpuskit.ingest import document_id
from corpuskit.labels import judged_documents
from corpuskit.stable_sample import stable_sample
from corpuskit.store import CorpusFolder
from corpuskit.store.document_names import with_names

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.discovery.discovery import Discovery
    from corpuskit.widgets.labeler import Labeler

CONFIDENCE = 0.9


@dataclass(frozen=True, slots=True)
class Precision:
    """The share of the chosen pages that is relevant, as far as the sample shows.

    Attributes:
        value: of the sample.
        low, high: the exact interval (Clopper and Pearson 1934).
        pages: judged ones of the sample.
        by: ``labels`` of people, or ``model``: what the model of documents says where nobody has labelled any.
        confidence: with which the interval holds.
    """

    value: float
    low: float
    high: float
    pages: int
    by: Literal["labels", "model"]
    confidence: float = CONFIDENCE

    def __repr__(self) -> str:
        who = "labels" if self.by == "labels" else "verdicts of the model, no labels yet"
        return f"precision {self.value:.2f} ({self.low:.2f} to {self.high:.2f}, by {self.pages} {who})"


class Sample:
    """Pages of a discovery, drawn at random and fetched.

    Args:
        folder: The corpus.
        frame: The pages that were drawn.

    Attributes:
        fetched: what became of them.
    """

    def __init__(self, folder: CorpusFolder, frame: pd.DataFrame, fetched: Fetched) -> None:
        self._folder, self._drawn, self.fetched = folder, frame, fetched

    @property
    def frame(self) -> pd.DataFrame:
        """Return one row a page that is in the corpus: doc_id, title, uri, url, host, url_score, relevance (of the document), label."""
        rows = self._folder.catalog.tuples(
            "SELECT c.doc_id, s.relevance FROM current c LEFT JOIN scores s ON s.doc_id = c.doc_id"
        )
        scores, labels = dict(rows), judged_documents(self._folder)
        frame = self._drawn[self._drawn["doc_id"].isin(scores)].reset_index(drop=True)
        frame["relevance"] = [scores[doc_id] for doc_id in frame["doc_id"]]
        frame["label"] = [labels.get(doc_id) for doc_id in frame["doc_id"]]
        types = {"doc_id": "str", "url": "str", "host": "str", "relevance": "float64", "label": "str"}
        return with_names(self._folder, frame.astype(types))

    @property
    def precision(self) -> Precision:
        """The precision of the choice: by labels, where any is given.

        Raises:
            ConfigurationError: no page of the sample is in the corpus, or none is judged.
        """
        frame = self.frame
        labelled = frame[frame["label"].notna()]
        if len(labelled):
            return _precision((labelled["label"] == "relevant").to_numpy(), "labels")
        scored = frame[frame["relevance"].notna()]
        if not len(scored):
            raise ConfigurationError("no page of the sample is judged: label some")
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
        """How many of its pages are in the corpus."""
        return len(self.frame)

    def __repr__(self) -> str:
        try:
            told = repr(self.precision)
        except ConfigurationError as error:
            told = str(error)
        return f"Sample of {len(self._drawn)} pages, {len(self)} in the corpus: {told}\nnext: .label()"


def _precision(good: Any, by: Literal["labels", "model"]) -> Precision:
    try:
        from scipy.stats import beta
    except ImportError:
        raise MissingExtraError("scipy", "relevance") from None
    number, hits, rest = len(good), int(np.sum(good)), (1.0 - CONFIDENCE) / 2
    low = float(beta.ppf(rest, hits, number - hits + 1)) if hits else 0.0
    high = float(beta.ppf(1.0 - rest, hits + 1, number - hits)) if hits < number else 1.0
    return Precision(hits / number, low, high, number, by)


def drawn(discovery: Discovery, n: int, seed: int) -> Any:
    """The places of a sample: by hashes of the URLs, so that a larger one holds the smaller ones."""
    return discovery.places.take(stable_sample(discovery.places.column("url").to_pylist(), n, seed))


def draw(folder: CorpusFolder, discovery: Discovery, n: int, *, seed: int = 0, **how: Any) -> Sample:
    """Fetch pages of a discovery drawn at random and say how many are relevant, as :meth:`Discovery.sample` does."""
    import pandas as pd

    check_number("n", n, lambda value: value >= 1, "at least 1")
    places = drawn(discovery, n, seed)
    fetched = fetch(folder, discovery, places=places, part=f"sample-{seed}-{n}", **how)
    urls = places.column("url").to_pylist()
    frame = pd.DataFrame({
        "doc_id": [document_id(url) for url in urls],
        "url": urls,
        "host": places.column("url_host_name").to_pylist(),
        "url_score": places.column("score").to_numpy().astype(float),
    })  # fmt: skip
    folder.catalog.set_meta(f"sample of {discovery.name}", f"{seed} {n}")
    return Sample(folder, frame, fetched)


def judged_hosts(folder: CorpusFolder, discovery: Discovery) -> dict[str, tuple[int, int]]:
    """Host → pages of the last sample that are judged, and how many of these are relevant."""
    said = (folder.catalog.meta(f"sample of {discovery.name}") or "").split()
    if len(said) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in said):
        return {}
    places = drawn(discovery, int(said[1]), int(said[0]))
    labels = judged_documents(folder)
    found: dict[str, tuple[int, int]] = {}
    scores = dict(folder.catalog.tuples("SELECT doc_id, relevance FROM scores"))
    hosts = places.column("url_host_name").to_pylist()
    for url, host in zip(places.column("url").to_pylist(), hosts, strict=True):
        doc_id = document_id(url)
        if doc_id in labels:
            good = labels[doc_id] == "relevant"
        elif doc_id in scores and scores[doc_id] is not None:
            good = scores[doc_id] >= 0.5
        else:
            continue
        number, relevant = found.get(host, (0, 0))
        found[host] = (number + 1, relevant + good)
    return found
