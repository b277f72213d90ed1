"""The model file: a lexicon and two forests of small trees, evaluated by numpy alone."""

from __future__ import annotations

import functools
import hashlib
import logging
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from corpuskit.extraction.html.blocks import Blocks
from corpuskit.extraction.html.context import context_columns
from corpuskit.extraction.html.features import Floats
from corpuskit.extraction.html.features import matrix as columns_of
from corpuskit.extraction.html.lexicon import Lexicon

DEPTH: Final = 6
"""How many decisions lead to a leaf; trees that decide earlier repeat their leaf."""
_MODEL: Final = "model.npz"
_ROWS_AT_ONCE: Final = 128  # larger arrays leave the processor's cache: 512 take three times as long (2026-11-22)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Forest:
    """Trees that vote.

    Attributes:
        feature: (trees, 2**DEPTH - 1) column of the matrix that each decision looks at.
        threshold: what is greater goes right; the children of decision i are 2i + 1 and 2i + 2.
        leaf: (trees, 2**DEPTH) log-odds.
    """

    feature: NDArray[np.int32]
    threshold: NDArray[np.float32]
    leaf: NDArray[np.float32]

    def log_odds(self, matrix: Floats) -> NDArray[np.float64]:
        """For each row of the matrix how probable it is main content, as log-odds."""
        scores = np.empty(len(matrix))
        for start in range(0, len(matrix), _ROWS_AT_ONCE):
            part = matrix[start : start + _ROWS_AT_ONCE]
            scores[start : start + len(part)] = self._scores(part)
        return scores

    def _scores(self, matrix: Floats) -> NDArray[np.float64]:
        rows, columns = matrix.shape
        trees, decisions = self.feature.shape
        values = np.ascontiguousarray(matrix).ravel()
        first_value = (np.arange(rows, dtype=np.int32) * columns)[:, None]
        first_decision = (np.arange(trees, dtype=np.int32) * decisions)[None, :]
        feature, threshold = self.feature.ravel(), self.threshold.ravel()
        at = np.zeros((rows, trees), np.int32)
        for _ in range(DEPTH):
            place = at + first_decision
            right = values.take(feature.take(place) + first_value) > threshold.take(place)
            at += at
            at += 1
            at += right
        at -= decisions
        at += (np.arange(trees, dtype=np.int32) * (decisions + 1))[None, :]
        scores: NDArray[np.float64] = self.leaf.ravel().take(at).sum(1, dtype=np.float64)
        return scores


@dataclass(frozen=True, slots=True)
class Model:
    """Decides about blocks, in two looks: each for itself, then each among what the first look said of the others.

    Attributes:
        lexicon: log-odds of tokens.
        first: reads the columns of :mod:`corpuskit.extraction.html.features`.
        second: reads those, then the columns of :mod:`corpuskit.extraction.html.context`.
        favor: use (``""``, ``"precision"``, ``"recall"``) → weight of recall.
        floor: no block below this probability is main content.
        name: version and hash of the file.
    """

    lexicon: Lexicon
    first: Forest
    second: Forest
    favor: dict[str, float]
    floor: float
    name: str

    def probabilities(self, blocks: Blocks, matrix: Floats) -> NDArray[np.float64]:
        """For each block how probable it is main content."""
        if not len(matrix):
            return np.zeros(0)
        first = self.first.log_odds(matrix)
        context = columns_of(context_columns(blocks, _probability(first)))
        # The mean of both: the second alone is surer where a page is unlike those it learnt from.
        return _probability((first + self.second.log_odds(np.concatenate((matrix, context), axis=1))) / 2)


def _probability(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    probability: NDArray[np.float64] = 1 / (1 + np.exp(-log_odds))
    return probability


@functools.cache
def shipped_model() -> Model | None:
    """The model of this package; None, and one warning in the log, where its file is absent."""
    source = files("corpuskit.extraction.html").joinpath(_MODEL)
    try:
        with source.open("rb"):
            pass
    except FileNotFoundError:
        _log.warning("%s is absent: main content of web pages is found by rules, which is less exact", _MODEL)
        return None
    return load_model(Path(str(source)))


def load_model(path: Path) -> Model:
    """Reads a model file; nothing in it is executed."""
    content = path.read_bytes()
    with np.load(path, allow_pickle=False) as arrays:
        names, texts = (_read_words(arrays, kind) for kind in ("names", "texts"))
        return Model(
            Lexicon(names, texts),
            _read_forest(arrays, "first"),
            _read_forest(arrays, "second"),
            dict(zip(("", "precision", "recall"), arrays["favor"].tolist(), strict=True)),
            float(arrays["floor"]),
            hashlib.sha256(content).hexdigest()[:12],
        )


def _read_forest(arrays: np.lib.npyio.NpzFile, name: str) -> Forest:
    feature: NDArray[np.int32] = arrays[f"{name}_feature"].astype(np.int32)
    return Forest(feature, arrays[f"{name}_threshold"], arrays[f"{name}_leaf"])


def _read_words(arrays: np.lib.npyio.NpzFile, kind: str) -> dict[str, float]:
    words = arrays[f"{kind}_words"].tobytes().decode().split("\n")
    return dict(zip(words, arrays[f"{kind}_odds"].astype(np.float64).tolist(), strict=True))
