"""A student of a model: a fastText classifier that learned its verdicts, for programs that read ``.bin`` files.

Filters of web-scale pipelines (DCLM, datatrove, pdf_trio) and readers in C++, Rust and Java run fastText and nothing of
ours. The student knows the words of its teacher, each with a vector that starts from what the word counts for there.
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
from corpuskit.relevance.model import RelevanceModel
from corpuskit.relevance.space import Kind
from corpuskit.relevance.table import WordTable
from corpuskit.relevance.tokens import tokenizer
from corpuskit.store.formatting import pluralize

_TEXTS: Final = 100_000
_HELD_OUT: Final = 10  # one text in so many
_SIZE: Final = 16  # numbers a word; 4 and 32 gave the same average precision on two tasks of documents (2026-11-22)
_STEPS: Final = 50_000  # texts shown, repeated ones too; more made the student follow single texts
_RATE: Final = 0.5
_BLANKS: Final = re.compile(r"[\s\0]+")


@dataclass(frozen=True, slots=True)
class Student:
    """A fastText classifier on disk, and how well it does what its teacher does.

    Attributes:
        path: the ``.bin`` file.
        kind: ``document`` or ``url``.
        size: of the file, in bytes.
        texts: how many it was trained on.
        relevant: how many of these were shown to it as relevant.
        labelled: how many of these have a label by people.
        threshold: the teacher's score from which on a text was relevant.
        is_certified: the threshold is that of an audit; it certifies the teacher, not the student.
        held_out: texts nobody labelled, kept for comparison: a tenth.
        agreement: the share of these on which both give the same verdict.
        precision: the share of those the student calls relevant that the teacher does; None where it calls none so.
        recall: the share of those the teacher calls relevant that the student does; None where it calls none so.
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
            compared = "no text was left to compare it with its teacher"
        else:
            compared = (
                f"on {pluralize(self.held_out, 'text')} held out it agrees with its teacher on {self.agreement:.1%}"
                f" (precision {_share(self.precision)}, recall {_share(self.recall)})"
            )
        return (
            f"{self.path}: fastText for {self.kind}s, {size}\n"
            f"  trained on {pluralize(self.texts, 'text')}, {self.relevant:,} of them relevant, {self.labelled:,} labelled by "
            f"people, the others by scores from {self.threshold:.3f} on ({source})\n  {compared}"
        )


def _share(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.1%}"


def fasttext_line(text: str, kind: Kind = "document") -> str:
    """Return a text as the student reads it: its tokens with blanks between, without a line end.

    Tokens are those of :func:`corpuskit.relevance.document_tokens`, in their order: lower case, then NFC, split at what
    is no letter, digit or mark; scripts without blanks as overlapping pairs of characters. URLs become
    :func:`corpuskit.relevance.url_tokens`, white space within a token an underscore. This is also what a line of the
    export ``fasttext`` has after its label.

    Args:
        text: The text, or the URL.
        kind: Which of the two it is.

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
) -> Student:
    """Train a fastText classifier to do what a model does, and write it as a ``.bin`` file in one atomic step.

    Its labels are ``__label__relevant`` and ``__label__other``. A text is relevant where the model's score reaches the
    audited threshold, or 0.5 without one; a label given by people wins. One tenth of the texts without such a label, of
    each class, by hash, is held out and only compared.

    A reader gives each text to the classifier as it was trained: for a document its title, a line end and the main text,
    cut to 30,000 characters (Unicode code points); for a URL the URL; then :func:`fasttext_line`, and one line end.
    Words that are not so prepared (``Sea,`` for ``sea``) are unknown to it, and count for nothing.

    Args:
        model: the teacher.
        texts: documents, or URLs for a model of URLs, labelled or not; of more than 100,000 those are taken that people
            labelled and others by hash. Equal texts count once.
        path: where the file goes; an existing one is replaced. It has the teacher's words, 60,000 at
            most, with 16 numbers each: about 5 MB.
        labels: for each text ``relevant`` or ``other`` by people, or None.
        seed: of sampling, order and start; same input and seed, same classifier.

    Raises:
        RelevanceError: a class is missing, or labels and texts do not match.
        MissingExtraError: fastText is not installed.

    Example:
        >>> student = to_fasttext(model, texts, "relevance.bin")                   # doctest: +SKIP
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
            f"{path}: found a folder, expected the name of a file to write, such as {path / 'model.bin'}"
        )
    lesson = _lesson(model, texts, labels, seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent) as folder:
        trained = _train(fasttext, model, lesson, Path(folder), seed)
        made = Path(folder, "model.bin")
        trained.save_model(str(made))
        size = made.stat().st_size
        made.replace(path)
    taught = np.array([relevant for _, relevant, _ in lesson.shown])
    return Student(
        path=path,
        kind=model.kind,
        size=size,
        texts=len(taught),
        relevant=int(taught.sum()),
        labelled=sum(by_people for *_, by_people in lesson.shown),
        threshold=lesson.threshold,
        is_certified=model.threshold is not None,
        **_compared(trained, lesson),
    )


@dataclass(frozen=True, slots=True)
class _Lesson:
    """What is shown to the student: line, relevant, by people; and the lines kept from it: line, relevant."""

    shown: list[tuple[str, bool, bool]]
    held_out: list[tuple[str, bool]]
    threshold: float


def _lesson(model: RelevanceModel, texts: Sequence[str], labels: Sequence[str | None] | None, seed: int) -> _Lesson:
    said = _by_people(texts, labels)
    key = str(seed).encode()[:64]
    order = {text: hashlib.blake2b(text.encode("utf-8", "replace"), key=key).digest() for text in dict.fromkeys(texts)}
    chosen = sorted(order, key=lambda text: (text not in said, order[text]))[:_TEXTS]
    chosen.sort(key=order.__getitem__)
    threshold = 0.5 if model.threshold is None else model.threshold
    verdicts = dict(zip(chosen, (model.score(chosen) >= threshold).tolist(), strict=True))
    relevant = {text: said.get(text, verdict) for text, verdict in verdicts.items()}
    lines = {text: line for text in chosen if (line := fasttext_line(text, model.kind))}
    held: dict[str, bool] = {}
    for side in (True, False):
        mine = [text for text in lines if relevant[text] == side]
        if not mine:
            raise RelevanceError(
                f"found {pluralize(len(lines), 'text')} and none of them {'relevant' if side else 'other'} by its label or "
                f"by a score from {threshold:.3f} on, expected some of both; add texts, or label more and train again"
            )
        free = [text for text in mine if text not in said]
        count = min(max(1, len(free) // _HELD_OUT), len(free), len(mine) - 1)
        held |= {lines[text]: side for text in free[:count]}
    shown = [(line, relevant[text], text in said) for text, line in lines.items() if line not in held]
    if len({side for _, side, _ in shown}) < 2:  # all of a class have the same words as what is held out
        held, shown = {}, [(line, relevant[text], text in said) for text, line in lines.items()]
    return _Lesson(shown, list(held.items()), threshold)


def _by_people(texts: Sequence[str], labels: Sequence[str | None] | None) -> dict[str, bool]:
    """Text → relevant, of those with one label; contradicted ones are the model's to judge."""
    if isinstance(texts, str):
        raise RelevanceError("found one string, expected a list of texts")
    if labels is None:
        return {}
    if len(texts) != len(labels):
        raise RelevanceError(f"found {len(texts)} texts and {len(labels)} labels, expected as many of each")
    said: dict[str, set[bool]] = {}
    for position, (text, label) in enumerate(zip(texts, labels, strict=True)):
        if label not in {None, "relevant", "other"}:
            raise RelevanceError(f"found the label {label!r} at {position}, expected relevant, other or None")
        if label is not None:
            said.setdefault(text, set()).add(label == "relevant")
    return {text: True in sides for text, sides in said.items() if len(sides) == 1}


def _train(fasttext: Any, model: RelevanceModel, lesson: _Lesson, folder: Path, seed: int) -> Any:
    """The trained classifier.

    fastText with one thread leaves nine tenths of its vectors to what is in memory, with more it differs from run to
    run. So each vector is given, one thread trains, and there are no n-grams, whose vectors cannot be given. No word of
    the texts is as frequent as ``minCount``: the words are those that are given.
    """
    lines, start = folder / "lines.txt", folder / "start.vec"
    with lines.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"__label__{'relevant' if side else 'other'} {line}\n" for line, side, _ in lesson.shown)
    start.write_text(_start(model.tables[0], seed), "utf-8", newline="\n")
    epochs = min(25, max(3, _STEPS // len(lesson.shown)))
    for rate in (_RATE, _RATE / 4, _RATE / 16):
        try:
            return fasttext.train_supervised(
                str(lines), pretrainedVectors=str(start), dim=_SIZE, lr=rate, epoch=epochs, minCount=2**31 - 1, bucket=0,
                minn=0, maxn=0, wordNgrams=1, thread=1, seed=seed % 2**31, verbose=0,
            )  # fmt: skip
        except RuntimeError as error:  # "Encountered NaN.": a smaller rate is its authors' advice
            problem = error
    raise RelevanceError(f"fastText could not be trained on {pluralize(len(lesson.shown), 'text')}: {problem}")


def _start(table: WordTable, seed: int) -> str:
    """Each word's vector in fastText's text format: what it counts for in the teacher, the rest at random."""
    counts_for = table.weight.astype(np.float64)
    if table.meaning is not None:
        counts_for += table.meaning.vectors @ table.meaning.weight
    counts_for *= table.idf
    counts_for /= max(float(np.abs(counts_for).max(initial=0.0)), 1e-9)
    rest = np.random.RandomState(seed % 2**32).uniform(-1 / _SIZE, 1 / _SIZE, (len(table.words), _SIZE - 1))
    words = dict.fromkeys(["</s>"])
    rows = [" ".join(["</s>", *["0"] * _SIZE])]
    for word, first, more in zip(table.words, counts_for.tolist(), rest.tolist(), strict=True):
        name = _BLANKS.sub("_", word).encode("utf-8", "replace").decode("utf-8")
        if name not in words:
            words[name] = None
            rows.append(f"{name} {first:.4f} {' '.join(f'{number:.4f}' for number in more)}")
    return "\n".join([f"{len(rows)} {_SIZE}", *rows, ""])


def _compared(trained: Any, lesson: _Lesson) -> dict[str, Any]:
    if not lesson.held_out:
        return {"held_out": 0, "agreement": None, "precision": None, "recall": None}
    # A list, since for one text the package for NumPy 1 fails with NumPy 2.
    labels, _ = trained.predict([line for line, _ in lesson.held_out])
    student = np.array([label[0] == "__label__relevant" for label in labels])
    teacher = np.array([side for _, side in lesson.held_out])
    both = int((student & teacher).sum())
    return {
        "held_out": len(teacher),
        "agreement": float((student == teacher).mean()),
        "precision": both / int(student.sum()) if student.any() else None,
        "recall": both / int(teacher.sum()) if teacher.any() else None,
    }
