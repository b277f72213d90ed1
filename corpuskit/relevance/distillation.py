"""Distillation of a model into a fastText classifier, for programs that read ``.bin`` files.

Filters of web-scale pipelines (DCLM, datatrove, pdf_trio) and readers in C++, Rust and Java run fastText models. The distilled
model has the words of its teacher. Each word vector is initialised with the weight of the word in the teacher.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from corpuskit.errors import MissingExtraError, RelevanceError
from corpuskit.relevance.linear_table import LinearTable
from corpuskit.relevance.model import RelevanceModel
from corpuskit.relevance.tokenizers import tokenizer
from corpuskit.relevance.vector_space import Kind
from corpuskit.store.formatting import pluralize

_MAX_TEXTS: Final = 100_000
_HELD_OUT: Final = 10  # one of this number of texts is held out
_DIMENSIONS: Final = 16  # per word; 4 and 32 gave the same average precision on two tasks of documents (2026-11-22)
_STEPS: Final = 50_000  # training examples, including repeated ones; more led to overfitting
_RATE: Final = 0.5
_BLANKS: Final = re.compile(r"[\s\0]+")


@dataclass(frozen=True, slots=True)
class DistilledModel:
    """A fastText classifier on disk, and its agreement with its teacher.

    Attributes:
        path: The ``.bin`` file.
        kind: ``document`` or ``url``.
        size: Size of the file in bytes.
        texts: Number of training texts.
        relevant: Number of relevant training texts.
        labelled: Number of training texts labelled by people.
        threshold: Minimum score by the teacher of a relevant text.
        is_certified: The threshold is that of an audit. It certifies the teacher, not this model.
        held_out: Number of unlabelled texts held out for comparison, one tenth.
        agreement: Share of these with the same decision by both models.
        precision: Share of the texts that this model classifies as relevant that are relevant by the teacher. None if there
            are no such texts.
        recall: Share of the texts that are relevant by the teacher that this model classifies as relevant. None if there are
            no such texts.
    """

    path: Path
    kind: Kind
    size: int
    texts: int
    relevant: int
    labelled: int
    threshold: float
    is_certified: bool
    held_out: int
    agreement: float | None
    precision: float | None
    recall: float | None

    def __repr__(self) -> str:
        source = "certified" if self.is_certified else "not certified"
        size = f"{self.size / 1e6:.1f} MB" if self.size >= 100_000 else f"{self.size / 1e3:.0f} kB"
        if self.agreement is None:
            comparison = "no text was held out to compare it with its teacher"
        else:
            comparison = (
                f"on {pluralize(self.held_out, 'text')} held out it agrees with its teacher on {self.agreement:.1%}"
                f" (precision {_share(self.precision)}, recall {_share(self.recall)})"
            )
        return (
            f"{self.path}: fastText for {self.kind}s, {size}\n"
            f"  trained on {pluralize(self.texts, 'text')}, {self.relevant:,} of them relevant, {self.labelled:,} labelled by "
            f"people, the others by scores from {self.threshold:.3f} on ({source})\n  {comparison}"
        )


def _share(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.1%}"


def fasttext_line(text: str, kind: Kind = "document") -> str:
    """Return a text as input of the distilled model: its tokens separated by blanks, without a line end.

    Tokens of documents are those of :func:`corpuskit.relevance.document_tokens`: lower case, NFC, split at everything but
    letters, digits and marks, with overlapping pairs of characters for scripts without blanks. Tokens of URLs are those of
    :func:`corpuskit.relevance.url_tokens`, with underscores for white space. The export ``fasttext`` writes the same text
    after the label.

    Args:
        text: The text or the URL.
        kind: ``document`` or ``url``.

    Example:
        >>> fasttext_line("The Sea,\\nL'Économie")
        'the sea l économie'
    """
    line = " ".join(_BLANKS.sub("_", token) for token in tokenizer(kind)(text))
    return line.encode("utf-8", "replace").decode("utf-8")


def to_fasttext(
    model: RelevanceModel,
    texts: Sequence[str],
    path: str | Path,
    *,
    labels: Sequence[str | None] | None = None,
    seed: int = 0,
) -> DistilledModel:
    """Train a fastText classifier to reproduce the decisions of a model, and write it as a ``.bin`` file in one atomic step.

    Its labels are ``__label__relevant`` and ``__label__other``. A training text is relevant if its score reaches the audited
    threshold, or 0.5 without an audit. A label by people takes precedence. One tenth of the unlabelled texts of each class,
    chosen by hash, is held out for comparison.

    Programs must prepare texts as in training. A document is its title, a line end and the main text, cut to 30,000
    characters (Unicode code points). A URL is used as it is. Then apply :func:`fasttext_line` and add one line end. Words in
    another form (``Sea,`` instead of ``sea``) are unknown and ignored.

    Args:
        model: The teacher.
        texts: Documents, or URLs for a model of URLs, labelled or not. Equal texts count once. Of more than 100,000 texts all
            labelled ones and a sample of the others are used.
        path: The file to write. An existing one is replaced. It has the words of the teacher, at most 60,000, with 16 numbers
            each: about 5 MB.
        labels: Label of each text by people, ``relevant`` or ``other``, or None.
        seed: Seed of sampling, order and initialisation. Same input and seed, same classifier.

    Raises:
        RelevanceError: A class is missing, or the number of labels differs from the number of texts.
        MissingExtraError: fastText is not installed.

    Example:
        >>> distilled = to_fasttext(model, texts, "relevance.bin")                 # doctest: +SKIP
        >>> import fasttext                                                        # doctest: +SKIP
        >>> filter = fasttext.load_model("relevance.bin")                          # doctest: +SKIP
        >>> filter.predict(fasttext_line(f"{title}\\n{main_text}"[:30_000]))         # doctest: +SKIP
        (('__label__relevant',), array([0.98]))
    """
    try:
        import fasttext
    except ImportError as error:
        raise MissingExtraError("fasttext", "relevance") from error
    path = Path(path)
    if path.is_dir():
        raise RelevanceError(
            f"{path}: expected the name of a file to write, such as {path / 'model.bin'}, got a directory"
        )
    data = _training_data(model, texts, labels, seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent) as folder:
        trained = _train(fasttext, model, data, Path(folder), seed)
        file = Path(folder, "model.bin")
        trained.save_model(str(file))
        size = file.stat().st_size
        file.replace(path)
    relevant = np.array([is_relevant for _, is_relevant, _ in data.examples])
    return DistilledModel(
        path=path,
        kind=model.kind,
        size=size,
        texts=len(relevant),
        relevant=int(relevant.sum()),
        labelled=sum(by_people for *_, by_people in data.examples),
        threshold=data.threshold,
        is_certified=model.threshold is not None,
        **_comparison(trained, data),
    )


@dataclass(frozen=True, slots=True)
class _TrainingData:
    """Training examples (line, is relevant, is labelled by people), and held-out lines (line, is relevant)."""

    examples: list[tuple[str, bool, bool]]
    held_out: list[tuple[str, bool]]
    threshold: float


def _training_data(
    model: RelevanceModel, texts: Sequence[str], labels: Sequence[str | None] | None, seed: int
) -> _TrainingData:
    by_people = _by_people(texts, labels)
    key = str(seed).encode()[:64]
    order = {text: hashlib.blake2b(text.encode("utf-8", "replace"), key=key).digest() for text in dict.fromkeys(texts)}
    chosen = sorted(order, key=lambda text: (text not in by_people, order[text]))[:_MAX_TEXTS]
    chosen.sort(key=order.__getitem__)
    threshold = 0.5 if model.threshold is None else model.threshold
    decisions = dict(zip(chosen, (model.score(chosen) >= threshold).tolist(), strict=True))
    relevant = {text: by_people.get(text, decision) for text, decision in decisions.items()}
    lines = {text: line for text in chosen if (line := fasttext_line(text, model.kind))}
    held: dict[str, bool] = {}
    for side in (True, False):
        of_class = [text for text in lines if relevant[text] == side]
        if not of_class:
            raise RelevanceError(
                f"{pluralize(len(lines), 'text')}: no text is {'relevant' if side else 'other'} by its label or "
                f"by a score from {threshold:.3f} on, expected texts of both classes; add texts, or label more and train again"
            )
        free = [text for text in of_class if text not in by_people]
        count = min(max(1, len(free) // _HELD_OUT), len(free), len(of_class) - 1)
        held |= {lines[text]: side for text in free[:count]}
    examples = [(line, relevant[text], text in by_people) for text, line in lines.items() if line not in held]
    if len({side for _, side, _ in examples}) < 2:  # all texts of a class have the same words as held-out ones
        held, examples = {}, [(line, relevant[text], text in by_people) for text, line in lines.items()]
    return _TrainingData(examples, list(held.items()), threshold)


def _by_people(texts: Sequence[str], labels: Sequence[str | None] | None) -> dict[str, bool]:
    """Return text → is relevant, for labelled texts without contradicting labels."""
    if isinstance(texts, str):
        raise RelevanceError("found one string, expected a list of texts")
    if labels is None:
        return {}
    if len(texts) != len(labels):
        raise RelevanceError(f"found {len(texts)} texts and {len(labels)} labels, expected the same number")
    classes: dict[str, set[bool]] = {}
    for position, (text, label) in enumerate(zip(texts, labels, strict=True)):
        if label not in {None, "relevant", "other"}:
            raise RelevanceError(f"found the label {label!r} at {position}, expected relevant, other or None")
        if label is not None:
            classes.setdefault(text, set()).add(label == "relevant")
    return {text: True in sides for text, sides in classes.items() if len(sides) == 1}


def _train(fasttext: Any, model: RelevanceModel, data: _TrainingData, folder: Path, seed: int) -> Any:
    """Train the classifier reproducibly.

    With one thread fastText leaves nine tenths of its vectors uninitialised, with several it is not deterministic. So all
    vectors are initialised from a file, one thread trains, and n-grams are off, because their vectors cannot be
    initialised. ``minCount`` exceeds all word frequencies, so that the vocabulary is exactly that of the file.
    """
    lines, start = folder / "lines.txt", folder / "start.vec"
    with lines.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"__label__{'relevant' if side else 'other'} {line}\n" for line, side, _ in data.examples)
    start.write_text(_initial_vectors(model.tables[0], seed), "utf-8", newline="\n")
    epochs = min(25, max(3, _STEPS // len(data.examples)))
    for rate in (_RATE, _RATE / 4, _RATE / 16):
        try:
            return fasttext.train_supervised(
                str(lines), pretrainedVectors=str(start), dim=_DIMENSIONS, lr=rate, epoch=epochs, minCount=2**31 - 1, bucket=0,
                minn=0, maxn=0, wordNgrams=1, thread=1, seed=seed % 2**31, verbose=0,
            )  # fmt: skip
        except RuntimeError as error:  # "Encountered NaN.": the authors recommend a smaller rate
            problem = error
    raise RelevanceError(f"fastText could not be trained on {pluralize(len(data.examples), 'text')}: {problem}")


def _initial_vectors(table: LinearTable, seed: int) -> str:
    """Return the word vectors in fastText's text format: weight in the teacher, then random numbers."""
    weights = table.weight.astype(np.float64)
    if table.lsa is not None:
        weights += table.lsa.vectors @ table.lsa.weight
    weights *= table.idf
    weights /= max(float(np.abs(weights).max(initial=0.0)), 1e-9)
    rest = np.random.RandomState(seed % 2**32).uniform(
        -1 / _DIMENSIONS, 1 / _DIMENSIONS, (len(table.words), _DIMENSIONS - 1)
    )
    words = dict.fromkeys(["</s>"])
    rows = [" ".join(["</s>", *["0"] * _DIMENSIONS])]
    for word, first, more in zip(table.words, weights.tolist(), rest.tolist(), strict=True):
        name = _BLANKS.sub("_", word).encode("utf-8", "replace").decode("utf-8")
        if name not in words:
            words[name] = None
            rows.append(f"{name} {first:.4f} {' '.join(f'{number:.4f}' for number in more)}")
    return "\n".join([f"{len(rows)} {_DIMENSIONS}", *rows, ""])


def _comparison(trained: Any, data: _TrainingData) -> dict[str, Any]:
    if not data.held_out:
        return {"held_out": 0, "agreement": None, "precision": None, "recall": None}
    # A list, because for a single text fasttext for NumPy 1 fails with NumPy 2.
    labels, _ = trained.predict([line for line, _ in data.held_out])
    student = np.array([label[0] == "__label__relevant" for label in labels])
    teacher = np.array([side for _, side in data.held_out])
    both = int((student & teacher).sum())
    return {
        "held_out": len(teacher),
        "agreement": float((student == teacher).mean()),
        "precision": both / int(student.sum()) if student.any() else None,
        "recall": both / int(teacher.sum()) if teacher.any() else None,
    }
