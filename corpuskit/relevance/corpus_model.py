"""Models of a corpus: one for documents, one for URLs that are not fetched yet."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from corpuskit.document import NLPTextDocument
from corpuskit.errors import CorpusKitError, RelevanceError
from corpuskit.labels import MachineAgreement
from corpuskit.relevance.model import Explanation, RelevanceModel
from corpuskit.relevance.model_storage import load_json
from corpuskit.relevance.scoring_text import scoring_text
from corpuskit.relevance.token_counts import Floats
from corpuskit.relevance.weak_labels import MachineWeight
from corpuskit.safe_folder import Folder, as_safe_folder, ensure_folder
from corpuskit.store import CorpusFolder
from corpuskit.store.check import Problem

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, repr=False)
class CorpusModel:
    """The models of a corpus, as returned by `Corpus.train`.

    Attributes:
        document: Model of texts.
        url: Model of URLs. None if the labels were not sufficient for one.
        version: Name of the training.
        machines: Weight of each machine's labels in the model of documents.
    """

    document: RelevanceModel
    url: RelevanceModel | None = None
    version: str = ""
    machines: tuple[MachineWeight, ...] = ()

    def __post_init__(self) -> None:
        if self.document.kind != "document" or (self.url is not None and self.url.kind != "url"):
            raise RelevanceError("found a model of the wrong kind, expected a model of documents and one of URLs")

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
            RelevanceError: The corpus has no model of URLs.
        """
        if self.url is None:
            raise RelevanceError("no model of URLs: label documents of more hosts and train again")
        return self.url.score(urls)

    def cascade(
        self,
        urls: Sequence[str],
        texts: Sequence[str | None] | Callable[[str], str | None] | None = None,
        *,
        sure: float = 0.95,
    ) -> pd.DataFrame:
        """Decide by URL if its score is high enough, otherwise by text, as the service of pdf_trio does.

        A low score of a URL decides nothing: the text decides then.

        Args:
            urls: URLs of the documents.
            texts: Text of each URL, or a function that returns it and is called only if the URL does not decide. None:
                no text.
            sure: Minimum P(relevant) at which the URL decides.

        Returns:
            One row per URL: url, relevance (float64), decision (``relevant``, ``other``, ``unknown``) and by (``url``,
            ``document``, ``nothing``). Without an audit the decision of a document is ``unknown``, as in ``decide``.

        Raises:
            RelevanceError: The corpus has no model of URLs, or the number of texts differs from the number of URLs.
        """
        import pandas as pd

        if isinstance(texts, Sequence) and (isinstance(texts, str) or len(texts) != len(urls)):
            raise RelevanceError(f"found {len(texts)} texts and {len(urls)} URLs, expected the same number")
        scores = self.score_urls(urls)
        decisions, by = ["unknown"] * len(urls), ["nothing"] * len(urls)
        contents: dict[int, str] = {}
        for position, url in enumerate(urls):
            if scores[position] >= sure:
                decisions[position], by[position] = "relevant", "url"
                continue
            text = texts(url) if callable(texts) else texts[position] if texts is not None else None
            if text:
                contents[position] = text
        for position, score, decision in zip(
            contents, *self.document.score_and_decide(list(contents.values())), strict=True
        ):
            scores[position], decisions[position], by[position] = score, decision, "document"
        return pd.DataFrame({"url": list(urls), "relevance": scores, "decision": decisions, "by": by}).astype(
            dict.fromkeys(("url", "decision", "by"), "str")
        )

    def explain(self, text: str | NLPTextDocument) -> Explanation:
        """Return the contribution of each token to the logit of a text, or of the text that is scored for a document.

        Args:
            text: A text or a document.
        """
        if isinstance(text, NLPTextDocument):
            text = scoring_text(text.title, text.to_text(main=True))
        return self.document.explain(text)

    def save(self, folder: Folder) -> None:
        """Write both models into a directory.

        Args:
            folder: The directory.
        """
        directory = ensure_folder(folder)
        self.document.save(directory.subfolder("document"))
        if self.url is not None:
            self.url.save(directory.subfolder("url"))
        meta = {
            "version": self.version,
            "machines": [asdict(machine) for machine in self.machines],
            "document": self.document.fingerprint,
            "url": self.url.fingerprint if self.url else None,
        }
        directory.write("models.json", json.dumps(meta, indent=1, sort_keys=True).encode(), durable=True)

    @classmethod
    def load(cls, folder: Folder) -> CorpusModel:
        """Read a saved pair of models.

        Args:
            folder: The directory.

        Raises:
            RelevanceError: The directory is missing, damaged, or was written by another version.
        """
        directory = as_safe_folder(folder)
        folder = directory.path
        meta = load_json(directory, "models.json")
        document = RelevanceModel.load(directory.subfolder("document"))
        url = RelevanceModel.load(directory.subfolder("url")) if meta.get("url") else None
        if document.fingerprint != meta.get("document") or (url and url.fingerprint != meta.get("url")):
            raise RelevanceError(
                f"{folder}: the models belong to different trainings, because the last save was interrupted; train again"
            )
        try:
            machines = tuple(_weight(saved) for saved in meta.get("machines", ()))
        except (TypeError, KeyError) as error:
            raise RelevanceError(f"{folder}/models.json: invalid entry of machines: {error}; train again") from error
        return cls(document, url, str(meta.get("version", "")), machines)

    def __repr__(self) -> str:
        return f"Corpus{self.summary}"

    @property
    def summary(self) -> str:
        """Training data and claims of the models, in lines."""
        lines = [f"Model {self.version}".rstrip(), f"  documents: {self.document.summary}"]
        lines.append(f"  URLs: {self.url.summary}" if self.url else "  URLs: no model yet")
        lines += [f"  {machine!r}" for machine in self.machines]
        return "\n".join(lines)


def _weight(saved: dict[str, Any]) -> MachineWeight:
    return MachineWeight(**{**saved, "trust": MachineAgreement(**saved["trust"]), "left_out": tuple(saved["left_out"])})


def check_models(folder: CorpusFolder) -> list[Problem]:
    """Return the problems of the models in the catalog, without changes.

    The latest model is loaded. For the others only the existence of their directory is checked.

    Args:
        folder: The corpus folder.
    """
    problems = []
    try:
        names = [row["folder"] for row in folder.catalog.rows("SELECT folder FROM models ORDER BY created DESC")]
    except CorpusKitError:
        return []  # the check of the catalog reports this
    for name in dict.fromkeys(names):
        try:
            model = folder.models.subfolder(name)
            if not model.exists():
                problem = "the folder of a model is missing: train again; corpuskit repair removes the model"
                problems.append(Problem("models", f"models/{name}", problem))
            elif name == names[0]:
                CorpusModel.load(model)
        except (CorpusKitError, OSError) as error:
            problems.append(Problem("models", f"models/{name}", str(error)))
    return problems
