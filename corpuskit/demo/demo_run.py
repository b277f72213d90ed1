"""Demonstration run: crawl, label, train, crawl by the model, export; with the harvest rates of both crawls."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from corpuskit.corpus import Corpus
from corpuskit.demo.web_server import demo_data, serve_demo_web
from corpuskit.errors import CorpusError

if TYPE_CHECKING:
    import pandas as pd

FIRST_PAGES: Final = 40
MORE_PAGES: Final = 25
FORMATS: Final = ("nlp.txt", "jsonl", "parquet", "csv", "fasttext", "txt")
_MARKER: Final = "# made by the demo"  # a comment in corpus.toml, since users may change the description


@dataclass(frozen=True, slots=True)
class DemoResult:
    """Result of the demo.

    Attributes:
        corpus: The corpus, still open.
        exported: Folder of the export.
        harvest_before: Share of relevant pages in the breadth-first crawl.
        harvest_after: Share of relevant pages in the steered crawl.
        top: Documents with the highest relevance: uri, title, relevance, truth.
        bottom: Documents with the lowest relevance.
    """

    corpus: Corpus
    exported: Path
    harvest_before: float
    harvest_after: float
    top: pd.DataFrame
    bottom: pd.DataFrame


def demo_corpus(folder: str | Path) -> Corpus:
    """Create a corpus for the demo. It replaces the corpus of an earlier demo.

    Args:
        folder: The folder of the corpus.

    Raises:
        CorpusError: The folder has other content.
    """
    path = Path(folder)
    if path.exists() and any(path.iterdir()):
        if not is_demo(path):
            raise CorpusError(
                f"{path} is not empty and not the result of an earlier demo: pass another folder (demo --folder NAME)"
            )
        shutil.rmtree(path)
    corpus = Corpus(path)
    toml = path / "corpus.toml"
    toml.write_text(f"{_MARKER}\n{toml.read_text('utf-8')}", "utf-8")
    return corpus


def is_demo(folder: Path) -> bool:
    """Return whether a folder contains a corpus created by the demo."""
    toml = folder / "corpus.toml"
    return toml.exists() and _MARKER.removeprefix("# ") in toml.read_text("utf-8")


def crawl_options(proxy: str) -> dict[str, Any]:
    """Return crawl options for the demo web: all its hosts, one page at a time, so that each run gives the same
    result.

    Args:
        proxy: The proxy URL yielded by :func:`serve_demo_web`.
    """
    return {"scope": "web", "proxy": proxy, "delay": 0, "connections": 1}


def seeds() -> list[str]:
    """Return the seeds of the demo."""
    return (demo_data() / "seeds.txt").read_text("utf-8").split()


def label_from_file(corpus: Corpus) -> int:
    """Import the labels of ``labels.csv`` for documents in the corpus, and return their number.

    Args:
        corpus: The corpus.
    """
    return corpus.labelling.import_labels(demo_data() / "labels.csv", by="demo analyst").imported


def gold_labels() -> pd.Series:
    """Return the correct label (relevant or other) by URL or file name, for all documents of the demo."""
    import pandas as pd

    return pd.read_csv(demo_data() / "truth.csv").set_index("url")["label"]


truth = gold_labels  # the earlier name


def harvest(documents: pd.DataFrame) -> float:
    """Return the share of relevant documents according to :func:`gold_labels`.

    Args:
        documents: A frame with the column uri.
    """
    return float((documents["uri"].map(gold_labels()) == "relevant").mean())


def run_demo(folder: str | Path, tell: Callable[[str], None] = lambda line: None) -> DemoResult:
    """Run the demo.

    Args:
        folder: Folder of the corpus, which replaces that of an earlier run. The export is in ``exports/demo`` below
            it.
        tell: Function that is called with a description before each step.

    Raises:
        CorpusError: The folder has other content.
    """
    corpus = demo_corpus(folder)
    tell("Adding four PDF and four Word files")
    corpus.add(demo_data() / "files", progress=False)
    with serve_demo_web() as proxy:
        tell(f"Crawling {FIRST_PAGES} pages breadth-first from {len(seeds())} seeds")
        corpus.crawl(seeds(), pages=FIRST_PAGES, **crawl_options(proxy)).wait(progress=False)
        web = corpus.documents().query("host != ''")
        tell(f"Labelling {label_from_file(corpus)} documents with the labels of the demo analyst, and training")
        model = corpus.train()
        tell(f"Crawling {MORE_PAGES} more, in the order of the model")
        corpus.crawl(resume=True, steer=model, pages=MORE_PAGES, **crawl_options(proxy)).wait(progress=False)
    documents = corpus.documents()
    new = documents[(documents["host"] != "") & ~documents["doc_id"].isin(web["doc_id"])]
    exported = Path(corpus.path) / "exports" / "demo"
    tell(f"Exporting as {', '.join(FORMATS)}")
    keep = documents[documents["duplicate_of"].isna()]
    corpus.export(exported, docs=keep, format=FORMATS)
    ranked = documents.assign(
        truth=documents["uri"]
        .where(documents["host"] != "", documents["uri"].str.rpartition("/")[2])
        .map(gold_labels())
    ).sort_values(["relevance", "uri"], ascending=[False, True])[["uri", "title", "relevance", "truth"]]
    return DemoResult(corpus, exported, harvest(web), harvest(new), ranked.head(8), ranked.tail(8))
