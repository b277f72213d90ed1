"""corpuskit on a topic's web, with the analyst in the loop; all calls go through its public API.

A warm-up without a model; then labels of the 40 documents with most key words and of 40 at random; then a steered crawl, with
12 labels every 400 pages. The analyst is asked on after the budget is spent: labels that check a new source are still given.
"""

import random
import time
from pathlib import Path
from typing import Any

import pandas as pd
from analyst import Analyst

import corpuskit
from corpuskit.errors import RelevanceError

EVERY, LABELS_A_ROUND, FIRST_LABELS = 400, 12, 40


class SteeredRun:
    """One run of corpuskit.

    Args:
        folder: where the corpus is made.
        gold: the content of gold.json; only its seeds and keywords are read, the rest is the analyst's.
        analyst: gives the labels.
        proxy: where serve.py listens.
        seed: of the random choices.
    """

    def __init__(self, folder: Path, gold: dict[str, Any], analyst: Analyst, *, proxy: str, seed: int):
        self.corpus = corpuskit.open(folder)
        self.gold, self.analyst, self.proxy, self.random = gold, analyst, proxy, random.Random(seed)
        self.pages, self.cpu = 0, 0.0

    def crawl(self, seeds: list[str] | None = None, **how: Any) -> int:
        """Fetch ``pages`` more pages; return how many there were.

        No delay but what robots.txt asks for, since the server is on this machine.
        """
        started = time.process_time()
        job = self.corpus.crawl(seeds, proxy=self.proxy, delay=0, scope="web", **how).wait(progress=False)
        self.cpu += time.process_time() - started
        self.pages += job.progress.pages
        return job.progress.pages

    def first_labels(self) -> pd.DataFrame:
        documents = self.corpus.documents()
        hits = self.corpus.kwic(self.gold["keywords"], syntax="text", main=False, copies=True)["doc_id"].value_counts()
        known = documents["doc_id"].isin(hits.index[:FIRST_LABELS])
        others = documents[~known]
        drawn = others.sample(min(FIRST_LABELS, len(others)), random_state=self.random.randrange(2**31))
        return pd.concat([documents[known], drawn])

    def answer(self, batch: pd.DataFrame) -> int:
        """Label documents; return how many got a label. What the analyst cannot judge is "unsure", and not asked for again."""
        labels = {}
        for row in batch.itertuples():
            label = self.analyst.label(row.uri, audit=getattr(row, "reason", "") == "new source")
            labels[row.doc_id] = label or "unsure"
        if labels:
            self.corpus.set_labels(labels, by="analyst")
        return sum(label != "unsure" for label in labels.values())

    def train(self) -> Any:
        """Return a model; None as long as the labels do not suffice, as when no relevant page was met yet."""
        try:
            return self.corpus.train()
        except RelevanceError:
            return None

    def run(self, pages: int, warm_up: int) -> None:
        self.crawl(self.gold["seeds"], pages=min(warm_up, pages))
        self.answer(self.first_labels())
        model = self.train()
        while self.pages < pages:
            if not self.crawl(resume=True, steer=model, pages=min(EVERY, pages - self.pages)):
                break
            if self.pages >= pages:
                break
            asked = self.corpus.next_to_label(LABELS_A_ROUND) if model else self.first_labels().head(LABELS_A_ROUND)
            if self.answer(asked):
                model = self.train() or model
