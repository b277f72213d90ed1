"""class Corpus: the front desk. Its parts stand in a module each, by what one does; each method hands over to one room."""

from __future__ import annotations

from corpuskit.corpus.archives import CorpusArchives
from corpuskit.corpus.collect import CorpusCollect
from corpuskit.corpus.concordance import CorpusConcordance
from corpuskit.corpus.export import CorpusExport
from corpuskit.corpus.label import CorpusLabel
from corpuskit.corpus.look import CorpusLook
from corpuskit.corpus.map import CorpusMap
from corpuskit.corpus.upkeep import CorpusUpkeep
from corpuskit.corpus.words import CorpusWords

__all__ = ["Corpus"]


class Corpus(
    CorpusCollect,
    CorpusArchives,
    CorpusLook,
    CorpusConcordance,
    CorpusWords,
    CorpusMap,
    CorpusLabel,
    CorpusExport,
    CorpusUpkeep,
):
    """A corpus: a folder of documents with their originals, labels and models.

    Args:
        path: the folder; made if absent.
        trust: see :func:`corpuskit.open`.

    Example:
        >>> import corpuskit as ck
        >>> corpus = ck.open("insurance")            # doctest: +SKIP
        >>> corpus.add("reports/*.pdf")              # doctest: +SKIP
        12 new
    """
