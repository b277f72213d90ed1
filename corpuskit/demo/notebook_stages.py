"""Corpus of the notebooks, in the state after each notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from corpuskit.corpus import Corpus
from corpuskit.demo.demo_run import MORE_PAGES, crawl_options, demo_corpus, is_demo, label_from_file, seeds
from corpuskit.demo.web_server import demo_data, serve_demo_web
from corpuskit.errors import CorpusError

DESCRIPTION: Final = "Insurance for households"
SEED_WORDS: Final = ("premium", "claim", "policyholder", "sinistre")
_COLLECT, _LABEL, _TRAIN, _STEER = 1, 3, 4, 5  # numbers of the notebooks that change the corpus


def notebook_corpus(after: int, folder: str | Path = "insurance") -> Corpus:
    """Return the corpus in the state after a notebook, and create the missing parts.

    Each notebook continues with the results of the earlier ones, and also runs alone.

    Args:
        after: Number of the last notebook to include; 0: a new corpus, which replaces that of an earlier run.
        folder: Folder of the corpus.

    Raises:
        CorpusError: The folder has other content.

    Example:
        >>> from corpuskit import demo
        >>> corpus = demo.notebook_corpus(after=4)             # doctest: +SKIP
    """
    path = Path(folder)
    if after <= 0:
        return demo_corpus(path)
    if path.exists() and any(path.iterdir()) and not is_demo(path):
        raise CorpusError(f"{path} is not empty and not the corpus of the notebooks: move it, or use another folder")
    corpus = Corpus(path) if is_demo(path) else demo_corpus(path)
    if after >= _COLLECT and not len(corpus):
        collect(corpus)
    if after >= _LABEL and corpus.labels().empty:
        corpus.describe(DESCRIPTION, seeds=SEED_WORDS)
        label_from_file(corpus)
    model = corpus.model()
    if after >= _TRAIN and model is None:
        model = corpus.train()
    if after >= _STEER and not _was_steered(corpus):
        with serve_demo_web() as proxy:
            corpus.crawl(resume=True, steer=model, pages=MORE_PAGES, **crawl_options(proxy)).wait(progress=False)
    return corpus


story = notebook_corpus  # the earlier name


def collect(corpus: Corpus) -> None:
    """Run the steps of the first notebook: add the files, crawl thirty pages, then ten more."""
    corpus.add(demo_data() / "files", progress=False)
    with serve_demo_web() as proxy:
        corpus.crawl(seeds(), pages=30, **crawl_options(proxy)).wait(progress=False)
        corpus.crawl(resume=True, pages=10, **crawl_options(proxy)).wait(progress=False)


def _was_steered(corpus: Corpus) -> bool:
    return bool(corpus._folder.catalog.value("SELECT count(*) > 2 FROM jobs WHERE kind = 'crawl'"))


__all__ = ["collect", "notebook_corpus", "story"]
