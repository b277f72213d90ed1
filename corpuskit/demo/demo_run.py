"""The demonstration run: crawl, label, train, steer, export, and what came of it."""

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
_MARKER: Final = "# made by the demo"  # a comment of corpus.toml: a description may be changed


@dataclass(frozen=True, slots=True)
class DemoResult:
    """What the demo made.

    Attributes:
        corpus: the corpus, still open.
        exported: the folder of the export.
        harvest_before: share of relevant pages among those of the breadth-first crawl.
        harvest_after: the same of the steered crawl.
        top: the documents with the highest relevance: uri, title, relevance, truth.
        bottom: those with the lowest.
    """

    corpus: Corpus
    exported: Path
    harvest_before: float
    harvest_after: float
    top: pd.DataFrame
    bottom: pd.DataFrame


def demo_corpus(folder: str | Path) -> Corpus:
    """Return a new corpus for the demo; that of an earlier demo run is replaced.

    Args:
        folder: The folder of the corpus.

    Raises:
        CorpusError: the folder holds something else.
    """
    path = Path(folder)
    if path.exists() and any(path.iterdir()):
        if not is_demo(path):
            raise CorpusError(
                f"{path} is not empty and not of an earlier demo: name another folder (demo --folder NAME)"
            )
        shutil.rmtree(path)
    corpus = Corpus(path)
    toml = path / "corpus.toml"
    toml.write_text(f"{_MARKER}\n{toml.read_text('utf-8')}", "utf-8")
    return corpus


def is_demo(folder: Path) -> bool:
    """Whether the demo has made the corpus in a folder."""
    toml = folder / "corpus.toml"
    return toml.exists() and _MARKER.removeprefix("# ") in toml.read_text("utf-8")


def crawl_options(proxy: str) -> dict[str, Any]:
    """Return options with which the demo web is crawled: all its hosts, one page at a time so that each run finds the same.

    Args:
        proxy: What :func:`serve_demo_web` gives.
    """
    return {"scope": "web", "proxy": proxy, "delay": 0, "connections": 1}


def seeds() -> list[str]:
    """Return the URLs the demo begins with."""
    return (demo_data() / "seeds.txt").read_text("utf-8").split()


def label_from_file(corpus: Corpus) -> int:
    """Give documents the labels of ``labels.csv`` and return the number of those in the corpus.

    Args:
        corpus: The corpus.
    """
    return corpus.labelling.import_labels(demo_data() / "labels.csv", by="demo analyst").taken


def truth() -> pd.Series:
    """Return URL or file name → relevant or other, for all of the demo."""
    import pandas as pd

    return pd.read_csv(demo_data() / "truth.csv").set_index("url")["label"]


def harvest(documents: pd.DataFrame) -> float:
    """Return the share of documents that are relevant by the truth.

    Args:
        documents: A frame with the column uri.
    """
    return float((documents["uri"].map(truth()) == "relevant").mean())


def run_demo(folder: str | Path, tell: Callable[[str], None] = lambda line: None) -> DemoResult:
    """Run the demo into a folder.

    Args:
        folder: the corpus; that of an earlier run is replaced. The export stands in ``exports/demo`` below it.
        tell: called with a line before each step.

    Raises:
        CorpusError: the folder holds something else.
    """
    corpus = demo_corpus(folder)
    tell("Adding four PDF and four Word files")
    corpus.add(demo_data() / "files", progress=False)
    with serve_demo_web() as proxy:
        tell(f"Crawling {FIRST_PAGES} pages breadth-first from {len(seeds())} seeds")
        corpus.crawl(seeds(), pages=FIRST_PAGES, **crawl_options(proxy)).wait(progress=False)
        web = corpus.documents().query("host != ''")
        tell(f"Labelling {label_from_file(corpus)} documents as the demo's analyst did, and training")
        model = corpus.train()
        tell(f"Crawling {MORE_PAGES} more, those first that the model expects to be relevant")
        corpus.crawl(resume=True, steer=model, pages=MORE_PAGES, **crawl_options(proxy)).wait(progress=False)
    documents = corpus.documents()
    new = documents[(documents["host"] != "") & ~documents["doc_id"].isin(web["doc_id"])]
    exported = Path(corpus.path) / "exports" / "demo"
    tell(f"Exporting as {', '.join(FORMATS)}")
    keep = documents[documents["duplicate_of"].isna()]
    corpus.export(exported, docs=keep, format=FORMATS)
    ranked = documents.assign(
        truth=documents["uri"].where(documents["host"] != "", documents["uri"].str.rpartition("/")[2]).map(truth())
    ).sort_values(["relevance", "uri"], ascending=[False, True])[["uri", "title", "relevance", "truth"]]
    return DemoResult(corpus, exported, harvest(web), harvest(new), ranked.head(8), ranked.tail(8))
