"""Subword models learnt from a corpus, as SentencePiece makes them (Kudo and Richardson 2018, arXiv:1808.06226)."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from corpuskit.errors import ConfigurationError, MissingExtraError

if TYPE_CHECKING:
    from types import ModuleType

_LONGEST: Final = 4_192  # bytes of a line; SentencePiece leaves longer ones out


class SubwordModel:
    """A SentencePiece model; :func:`train_subwords` makes one, :meth:`open` reads one.

    Its ``count`` measures chunks: ``corpus.export("out", format="chunks", count_tokens=model.count)``.

    Args:
        content: the bytes of a ``.model`` file.

    Raises:
        ConfigurationError: they are no model.
        MissingExtraError: sentencepiece is not installed.
    """

    def __init__(self, content: bytes) -> None:
        try:
            self._processor = _sentencepiece().SentencePieceProcessor(model_proto=content)
        except RuntimeError as error:
            raise ConfigurationError(f"{len(content):,} bytes are no model of SentencePiece: {error}") from error
        self.content = content

    @classmethod
    def open(cls, path: str | Path) -> SubwordModel:
        """Return the model of a ``.model`` file.

        Args:
            path: The file.
        """
        return cls(Path(path).read_bytes())

    def __len__(self) -> int:
        return int(self._processor.vocab_size())

    def __repr__(self) -> str:
        return f"SubwordModel of {len(self):,} pieces"

    def pieces(self, text: str) -> list[str]:
        """Return the pieces of a text; ``▁`` stands for a blank before a word.

        Args:
            text: The text.
        """
        return list(self._processor.encode(text, out_type=str))

    def ids(self, text: str) -> list[int]:
        """Return the numbers of the pieces of a text.

        Args:
            text: The text.
        """
        return list(self._processor.encode(text))

    def count(self, text: str) -> int:
        """Return the number of pieces of a text.

        Args:
            text: The text.
        """
        return len(self._processor.encode(text))

    def text(self, ids: Iterable[int]) -> str:
        """Return the text of pieces, normalised as the model does (NFKC, one blank).

        Args:
            ids: Numbers of pieces.
        """
        return str(self._processor.decode(list(ids)))

    def vocabulary(self) -> list[tuple[str, float]]:
        """Return each piece and its score, by number."""
        return [(self._processor.id_to_piece(i), self._processor.get_score(i)) for i in range(len(self))]

    def save(self, path: str | Path) -> None:
        """Write ``path.model`` and ``path.vocab``, as SentencePiece does: a piece, a tab and its score a line.

        Args:
            path: The path without ``.model``.
        """
        path = Path(path)
        path.with_name(path.name + ".model").write_bytes(self.content)
        lines = [f"{piece}\t{score:g}\n" for piece, score in self.vocabulary()]
        path.with_name(path.name + ".vocab").write_text("".join(lines), "utf-8", newline="\n")


def train_subwords(
    sentences: Iterable[str],
    *,
    size: int = 8_000,
    kind: Literal["unigram", "bpe", "char", "word"] = "unigram",
    coverage: float = 0.9995,
    at_most: int = 1_000_000,
) -> SubwordModel:
    """Return a model of the pieces that texts are made of; the same sentences give the same model.

    Args:
        sentences: one each; longer ones than 4,192 bytes are left out.
        size: at most so many pieces; fewer where the texts have fewer.
        kind: how pieces are found.
        coverage: share of the characters that get pieces of their own; 1.0 for small alphabets.
        at_most: learns from so many sentences, evenly drawn.

    Raises:
        ConfigurationError: no sentence, or a size too small for the characters.
        MissingExtraError: sentencepiece is not installed.
    """
    lines = (line for line in sentences if line.strip() and len(line.encode("utf-8", "replace")) <= _LONGEST)
    model = io.BytesIO()
    try:
        _sentencepiece().SentencePieceTrainer.train(
            sentence_iterator=lines,
            model_writer=model,
            vocab_size=size,
            hard_vocab_limit=False,
            model_type=kind,
            character_coverage=coverage,
            input_sentence_size=at_most,
            max_sentence_length=_LONGEST,
            num_threads=1,  # sums of floats in one order: the same bytes
            minloglevel=2,
        )
    except RuntimeError as error:
        raise ConfigurationError(f"no subwords can be learnt from these sentences: {error}") from error
    return SubwordModel(model.getvalue())


def _sentencepiece() -> ModuleType:
    try:
        import sentencepiece
    except ImportError:
        raise MissingExtraError("sentencepiece", "subwords") from None
    return sentencepiece
