"""The models of one corpus: documents, and URLs that nobody fetched yet."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from corpuskit.document import NLPTextDocument
from corpuskit.errors import CorpusKitError, RelevanceError
from corpuskit.labels import MachineAgreement
from corpuskit.relevance.counts import Floats
from corpuskit.relevance.machines import MachineWeight
from corpuskit.relevance.model import Explanation, RelevanceModel
from corpuskit.relevance.scoring_text import scoring_text
from corpuskit.relevance.storage import load_json
from corpuskit.safe_folder import Folder, as_safe, made
from corpuskit.store import CorpusFolder
from corpuskit.store.check import Problem

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, repr=False)
class CorpusModel:
    """What `Corpus.train` gives.

    Attributes:
        document: scores texts.
        url: scores URLs; None where the labels did not suffice for one.
        version: the name of this training.
        machines: what the labels of each machine count in the model of documents.
    """

    document: RelevanceModel
    url: RelevanceModel | None = None
    version: str = ""
    machines: tuple[MachineWeight, ...] = ()

    def __post_init__(self) -> None:
        if self.document.kind != "document" or (self.url is not None and self.url.kind != "url"):
            raise RelevanceError("found a model of the wrong kind, expected one of documents and one of URLs")

    @property
    def threshold(self) -> float | None:
        """The certified threshold of documents, or None."""
        return self.document.threshold

    def score(self, texts: Sequence[str]) -> Floats:
        """Return P(relevant) of each text.

        Args:
            texts: The texts.
        """
        return self.document.score(texts)

    def score_urls(self, urls: Sequence[str]) -> Floats:
        """Return P(relevant) of each URL, before it is fetched.

        Args:
            urls: The URLs.

        Raises:
            RelevanceError: there is no model of URLs.
        """
        if self.url is None:
            raise RelevanceError("found no model of URLs, expected one; label documents of more hosts and train again")
        return self.url.score(urls)

    def cascade(
        self,
        urls: Sequence[str],
        texts: Sequence[str | None] | Callable[[str], str | None] | None = None,
        *,
        sure: float = 0.95,
    ) -> pd.DataFrame:
        """Decide by URLs where they say enough, else by texts, as the service of pdf_trio does.

        A URL only ever says yes: one that says no is unknown, and its text decides.

        Args:
            urls: of the documents.
            texts: of each URL its text, or a function that gets one, which is called only for URLs that are not sure; None
                where there is none.
            sure: from this P(relevant) on the URL alone decides.

        Returns:
            A row a URL: url, relevance (float64), decision (``relevant``, ``other``, ``unknown``) and by (``url``,
            ``document``, ``nothing``). Without an audit a document's decision is ``unknown``, as by ``decide``.

        Raises:
            RelevanceError: there is no model of URLs, or not as many texts as URLs.
        """
        import pandas as pd

        if isinstance(texts, Sequence) and (isinstance(texts, str) or len(texts) != len(urls)):
            raise RelevanceError(f"found {len(texts)} texts and {len(urls)} URLs, expected as many of each")
        scores = self.score_urls(urls)
        decisions, by = ["unknown"] * len(urls), ["nothing"] * len(urls)
        asked: dict[int, str] = {}
        for position, url in enumerate(urls):
            if scores[position] >= sure:
                decisions[position], by[position] = "relevant", "url"
                continue
            text = texts(url) if callable(texts) else texts[position] if texts is not None else None
            if text:
                asked[position] = text
        for position, score, decision in zip(asked, *self.document.verdicts(list(asked.values())), strict=True):
            scores[position], decisions[position], by[position] = score, decision, "document"
        return pd.DataFrame({"url": list(urls), "relevance": scores, "decision": decisions, "by": by}).astype(
            dict.fromkeys(("url", "decision", "by"), "str")
        )

    def explain(self, text: str | NLPTextDocument) -> Explanation:
        """Return every token's share in the logit of one text, or of what is read of a document.

        Args:
            text: A text or a document.
        """
        if isinstance(text, NLPTextDocument):
            text = scoring_text(text.title, text.to_text(main=True))
        return self.document.explain(text)

    def save(self, folder: Folder) -> None:
        """Write both models into a folder.

        Args:
            folder: The folder.
        """
        inside = made(folder)
        self.document.save(inside.within("document"))
        if self.url is not None:
            self.url.save(inside.within("url"))
        meta = {
            "version": self.version,
            "machines": [asdict(one) for one in self.machines],
            "document": self.document.fingerprint,
            "url": self.url.fingerprint if self.url else None,
        }
        inside.write("models.json", json.dumps(meta, indent=1, sort_keys=True).encode(), durable=True)

    @classmethod
    def load(cls, folder: Folder) -> CorpusModel:
        """Read a saved pair of models.

        Args:
            folder: The folder.

        Raises:
            RelevanceError: the folder is missing, damaged, or made by another version.
        """
        inside = as_safe(folder)
        folder = inside.path
        meta = load_json(inside, "models.json")
        document = RelevanceModel.load(inside.within("document"))
        url = RelevanceModel.load(inside.within("url")) if meta.get("url") else None
        if document.fingerprint != meta.get("document") or (url and url.fingerprint != meta.get("url")):
            raise RelevanceError(
                f"{folder}: the models are not of one training, the last save was cut short; train again"
            )
        try:
            machines = tuple(_weight(one) for one in meta.get("machines", ()))
        except (TypeError, KeyError) as error:
            raise RelevanceError(f"{folder}/models.json: the machines cannot be read: {error}; train again") from error
        return cls(document, url, str(meta.get("version", "")), machines)

    def __repr__(self) -> str:
        return f"Corpus{self.summary}"

    @property
    def summary(self) -> str:
        """What it was trained on and how far it is to be trusted, in lines."""
        lines = [f"Model {self.version}".rstrip(), f"  documents: {self.document.summary}"]
        lines.append(f"  URLs: {self.url.summary}" if self.url else "  URLs: no model yet")
        lines += [f"  {one!r}" for one in self.machines]
        return "\n".join(lines)


def _weight(saved: dict[str, Any]) -> MachineWeight:
    return MachineWeight(**{**saved, "trust": MachineAgreement(**saved["trust"]), "left_out": tuple(saved["left_out"])})


def check_models(folder: CorpusFolder) -> list[Problem]:
    """Return what is wrong with the models of the catalogue; nothing is changed.

    The one trained last is read, since it is the one that is used; of the others, whether their folders are there.

    Args:
        folder: The corpus folder.
    """
    problems = []
    try:
        names = [row["folder"] for row in folder.catalog.rows("SELECT folder FROM models ORDER BY created DESC")]
    except CorpusKitError:
        return []  # a problem of the catalog, which is reported there
    for name in dict.fromkeys(names):
        try:
            model = folder.models.within(name)
            if not model.has():
                what = "the folder of a model is gone: train again; corpuskit repair forgets the model"
                problems.append(Problem("models", f"models/{name}", what))
            elif name == names[0]:
                CorpusModel.load(model)
        except (CorpusKitError, OSError) as error:
            problems.append(Problem("models", f"models/{name}", str(error)))
    return problems
