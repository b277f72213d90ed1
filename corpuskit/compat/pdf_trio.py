"""The classifier of pdf_trio (fastText on its tokens), as a baseline for the models of corpuskit."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.errors import MissingExtraError, RelevanceError
from corpuskit.relevance.model import RelevanceModel
from corpuskit.relevance.token_counts import Floats
from corpuskit.relevance.tokenizers import MAX_CHARACTERS, ascii_tokens
from corpuskit.relevance.url_tokenizers import pdf_trio_url_tokens
from corpuskit.relevance.vector_space import Kind

if TYPE_CHECKING:
    from corpuskit.relevance.corpus_model import CorpusModel

__all__ = ["FastTextTest", "PdfTrioModel", "decode_confidence", "encode_confidence"]

# With fewer than ten threads, fastText leaves parts of its vectors uninitialized.
OPTIONS: Final = {"lr": 1.0, "dim": 50, "epoch": 2, "thread": 12, "verbose": 0}
"""Training options of pdf_trio; the number of threads is the default of fastText."""
_PREFIX: Final = "__label__"
_EARLIER_NAMES: Final = {"beside": "compare"}


@dataclass(frozen=True, slots=True)
class FastTextTest:
    """Result of ``fasttext test``.

    Attributes:
        system: Name of the classifier.
        n: Number of tested texts.
        precision, recall: P@1 and R@1, which are equal if each text has one label.
    """

    system: str
    n: int
    precision: float
    recall: float

    def __repr__(self) -> str:
        return f"{self.system}: N {self.n}, P@1 {self.precision:.3f}, R@1 {self.recall:.3f}"


class PdfTrioModel:
    """fastText model trained with lr 1.0, 50 dimensions and 2 epochs on the tokens of pdf_trio, by ``relevance.train``.

    Training is not reproducible, because the threads of fastText write to shared vectors.

    Args:
        trained: Model of the fasttext package.
        kind: Kind of training texts: documents or URLs.
        positive: The label that ``score`` returns the probability of.
    """

    def __init__(self, trained: Any, kind: Kind, positive: str) -> None:
        self._trained = trained
        self.kind = kind
        self.positive = positive

    def score(self, texts: Sequence[str]) -> Floats:
        """Return P(positive) per text as predicted by fastText, not calibrated; 0.5 for a text without tokens.

        Args:
            texts: The texts.
        """
        if isinstance(texts, str):
            raise RelevanceError("found one string, expected a list of texts")
        lines = [pdf_trio_line(text, self.kind) for text in texts]
        if not lines:
            return np.zeros(0)
        labels, shares = self._trained.predict(lines, k=-1)
        positive_name = _PREFIX + self.positive
        predictions = [dict(zip(names, values, strict=True)) for names, values in zip(labels, shares, strict=True)]
        # fastText returns probabilities slightly above 1.
        return np.array(
            [
                min(1.0, float(prediction.get(positive_name, 0.5))) if line else 0.5
                for prediction, line in zip(predictions, lines, strict=True)
            ]
        )

    def test(self, texts: Sequence[str], labels: Sequence[str]) -> FastTextTest:
        """Run ``fasttext test`` on labelled texts.

        Args:
            texts: The texts.
            labels: Label per text.
        """
        with _labelled(texts, labels, self.kind) as file:
            n, precision, recall = self._trained.test(str(file))
        return FastTextTest("pdf_trio", int(n), float(precision), float(recall))

    def compare(
        self, model: RelevanceModel | CorpusModel, texts: Sequence[str], labels: Sequence[str]
    ) -> list[FastTextTest]:
        """Return the test results of this classifier and of a corpuskit model on the same held-out texts.

        Args:
            model: Result of ``corpus.train()``, or one of its models, of the kind of this classifier.
            texts: Texts, or URLs for a classifier of URLs.
            labels: Label per text.

        Raises:
            RelevanceError: There is no model of this kind.
        """
        if isinstance(model, RelevanceModel):
            ours: RelevanceModel | None = model
        else:
            ours = model.document if self.kind == "document" else model.url
        if ours is None:
            raise RelevanceError("found no model of URLs, expected one: label documents of more hosts and train again")
        if ours.kind != self.kind:
            raise RelevanceError(f"found a model of {ours.kind}s, expected one of {self.kind}s")
        tested = [text for text in texts if pdf_trio_line(text, self.kind)]
        known = [label for text, label in zip(texts, labels, strict=True) if pdf_trio_line(text, self.kind)]
        calls = ours.score(tested) >= 0.5
        right = float(np.mean([call == (label == self.positive) for call, label in zip(calls, known, strict=True)]))
        return [self.test(texts, labels), FastTextTest("corpuskit", len(tested), right, right)]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the value of an attribute by its earlier name."""
            if name in _EARLIER_NAMES:
                return getattr(self, _EARLIER_NAMES[name])
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def save(self, path: str | Path) -> None:
        """Write the ``.bin`` file of fastText.

        Args:
            path: The file.
        """
        self._trained.save_model(str(path))

    def __repr__(self) -> str:
        return f"PdfTrioModel({self.kind}: {len(self._trained.words):,} words, {', '.join(self._trained.labels)})"


def pdf_trio_line(text: str, kind: Kind) -> str:
    """Return the tokens of a text or URL as one line of fastText input."""
    if kind == "url":
        return " ".join(pdf_trio_url_tokens(text).split())
    line = ascii_tokens(text[:MAX_CHARACTERS].encode("utf-8", "replace")).encode("utf-8", "surrogateescape")
    return line.decode("utf-8", "replace").strip()


def train_pdf_trio(
    texts: Sequence[str], labels: Sequence[str], *, kind: Kind, seed: int, positive: str
) -> PdfTrioModel:
    """Train on labelled texts or URLs; texts labelled ``unsure`` and texts without tokens are ignored.

    Raises:
        RelevanceError: There are fewer than two classes.
        MissingExtraError: fastText is not installed.
    """
    try:
        import fasttext
    except ImportError as error:
        raise MissingExtraError("fasttext", "relevance") from error
    if len({label for label in labels if label != "unsure"}) < 2:
        raise RelevanceError("found labels of one class, expected at least two")
    with _labelled(texts, labels, kind) as file:
        try:
            trained = fasttext.train_supervised(str(file), seed=seed % 2**31, **OPTIONS)
        except (RuntimeError, ValueError) as error:  # "Encountered NaN.": too few words for the learning rate
            raise RelevanceError(f"fastText could not be trained on {len(texts)} texts: {error}") from error
    return PdfTrioModel(trained, kind, positive)


@contextmanager
def _labelled(texts: Sequence[str], labels: Sequence[str], kind: Kind) -> Iterator[Path]:
    """Write a temporary file with one labelled line per text."""
    if len(texts) != len(labels):
        raise RelevanceError(f"found {len(texts)} texts and {len(labels)} labels, expected equal numbers")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "lines.txt"
        with file.open("w", encoding="utf-8", newline="\n") as lines:
            for text, label in zip(texts, labels, strict=True):
                if label != "unsure" and (line := pdf_trio_line(text, kind)):
                    lines.write(f"{_PREFIX}{'_'.join(label.split())} {line}\n")
        yield file


def encode_confidence(relevant: bool, probability: float) -> float:
    """Return ``0.5 + p/2`` for the positive label and ``0.5 - p/2`` for the other; ``p`` is the probability of the label.

    The result is not a probability of relevance: an almost random decision (p = 0.51) gets 0.755.

    Args:
        relevant: Whether it is the positive label.
        probability: The label's own probability.

    Example:
        >>> encode_confidence(True, 0.51), encode_confidence(False, 0.51)
        (0.755, 0.245)
    """
    if not 0.0 <= probability <= 1.0:
        raise RelevanceError(f"found the probability {probability!r}, expected a number from 0 to 1")
    return 0.5 + probability / 2 if relevant else 0.5 - probability / 2


def decode_confidence(confidence: float) -> tuple[bool, float]:
    """Return the label and probability encoded by `encode_confidence`; 0.5 is decoded as the positive label.

    Args:
        confidence: Result of `encode_confidence`.

    Example:
        >>> decode_confidence(0.25)
        (False, 0.5)
    """
    if not 0.0 <= confidence <= 1.0:
        raise RelevanceError(f"found the confidence {confidence!r}, expected a number from 0 to 1")
    return confidence >= 0.5, abs(confidence - 0.5) * 2
