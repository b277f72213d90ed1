"""The only module that imports fastText.

fastText trains on uninitialised memory when it runs with fewer than ten threads: NaN, or other results in every run.
The cure, bit-identical over processes: every row of the input matrix is given to it in a file of pretrained vectors
(each training token and ``</s>``), no hashed n-grams (``bucket=0``, ``minn=maxn=0``), one thread. The result is folded into one number a token at once, so no
fastText model is ever kept, saved or asked.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from corpuskit.errors import MissingExtraError, RelevanceError
from corpuskit.relevance.counts import Floats, Ints

__all__ = ["FoldedEmbedding", "fold_fasttext"]

# 600 steps reach what 3,000 at 0.3 do, in a tenth of the time (two document tasks, 20 to 200 labels).
_STEPS = 600
_LEARNING_RATE = 0.5
_END = "</s>"


@dataclass(frozen=True, slots=True)
class FoldedEmbedding:
    """A trained fastText classifier of two classes as a linear function.

    Attributes:
        direction: the output rows' difference; a word vector times it is the word's share.
        share: of each training token, in the order given.
        end: the share of the end-of-line token.
    """

    direction: Floats
    share: Floats
    end: float


def _module() -> Any:
    try:
        import fasttext
    except ImportError as error:
        raise MissingExtraError("fasttext", "relevance") from error
    fasttext.FastText.eprint = lambda *_args, **_kwargs: None
    return fasttext


def fold_fasttext(
    texts: Sequence[Ints], relevant: Sequence[bool], vectors: Floats, *, seed: int = 0
) -> FoldedEmbedding:
    """Train fastText on texts of numbered tokens and fold it.

    Tokens are written as their numbers, so no token can be mistaken for a label, a blank or the end of a line.
    The relevant texts are repeated until both classes are equally many; the number of steps is fixed, not the epochs.

    Args:
        texts: for each text its tokens, as rows of `vectors`, repeated by weight.
        relevant: the label of each text.
        vectors: where each token starts from, one row a token.
        seed: of the order of the training lines.

    Raises:
        MissingExtraError: fastText is not installed.
        RelevanceError: fastText could not be trained.
    """
    positives = max(1, sum(relevant))
    copies = max(1, round((len(texts) - positives) / positives))
    lines = [
        f"__label__{int(label)} {' '.join(map(str, text.tolist()))}\n"
        for text, label in zip(texts, relevant, strict=True)
        for _ in range(copies if label else 1)
    ]
    np.random.RandomState(seed).shuffle(lines)  # RandomState: its stream is frozen for all versions of NumPy
    used = np.unique(np.concatenate([*texts, np.zeros(0, np.int64)]))
    size = vectors.shape[1]
    with tempfile.TemporaryDirectory(prefix="corpuskit-") as folder:
        train, start = Path(folder, "train.txt"), Path(folder, "start.vec")
        train.write_text("".join(lines), encoding="ascii")
        start.write_text(_vector_file(used, vectors), encoding="ascii")
        model = _train(_module(), train, start, size, len(lines))
    return _folded(model, vectors)


def _vector_file(used: Ints, vectors: Floats) -> str:
    """The rows of `used` tokens in fastText's text format, four decimals; ``</s>`` starts from nothing."""
    size = vectors.shape[1]
    rows = np.round(vectors[used] * 10_000).astype(np.int64).tolist()
    lines = [f"{len(used) + 1} {size}", " ".join([_END, *["0"] * size])]
    for token, row in zip(used.tolist(), rows, strict=True):
        numbers = " ".join(map(str, row)).replace(" ", "e-4 ")  # three times as fast as formatting floats
        lines.append(f"{token} {numbers}e-4")
    return "\n".join([*lines, ""])


def _train(module: Any, train: Path, start: Path, size: int, lines: int) -> Any:
    rate = _LEARNING_RATE
    for _ in range(5):
        try:
            return module.train_supervised(
                str(train), pretrainedVectors=str(start), dim=size, lr=rate, epoch=max(2, round(_STEPS / lines)),
                minCount=1, bucket=0, minn=0, maxn=0, wordNgrams=1, thread=1, verbose=0,
            )  # fmt: skip
        except RuntimeError as error:  # "Encountered NaN.": a smaller rate is its authors' advice
            problem = error
            rate /= 2
    raise RelevanceError(f"fastText could not be trained on {lines} lines: {problem}")


def _folded(model: Any, vectors: Floats) -> FoldedEmbedding:
    output = np.asarray(model.get_output_matrix(), np.float64)
    names = list(model.get_labels())
    direction = output[names.index("__label__1")] - output[names.index("__label__0")]
    share = vectors @ direction
    learned = np.asarray(model.get_input_matrix(), np.float64) @ direction
    end = 0.0
    for position, word in enumerate(model.get_words()):
        if word == _END:
            end = float(learned[position])
        else:
            share[int(word)] = learned[position]
    if not (np.isfinite(share).all() and np.isfinite(direction).all()):
        raise RelevanceError("fastText gave numbers that are not finite")
    return FoldedEmbedding(direction, share, end)
