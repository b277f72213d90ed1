"""CPU of a first training and of one step of `next_to_label` on a corpus of 20,000 documents.

    uv run python benchmarks/question_cost.py --topics DIR [--documents 20000]

    --topics  texts.parquet with columns text and class; more texts than it has are made by mixing the words of one

Beside them, on the same texts: TF-IDF + logistic regression fitted on the same labels, scoring all texts, asking for the least
certain. Printed: CPU seconds of each, three times, with twenty more labels each time.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import corpuskit


def cpu(work: Callable[[], object]) -> tuple[float, object]:
    """CPU seconds of a call, and what it returns."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def texts_of(folder: Path, number: int) -> tuple[list[str], list[str]]:
    """So many texts and their classes."""
    frame = pd.read_parquet(folder / "texts.parquet")
    rows = list(zip(frame["text"], frame["class"], strict=True))[:number]
    drawn = random.Random(0)
    for text, kind in drawn.choices(rows, k=number - len(rows)):
        words = text.split()
        drawn.shuffle(words)
        rows.append((" ".join(words), kind))
    return [text for text, _ in rows], [kind for _, kind in rows]


def peer(texts: Sequence[str], labels: dict[int, str]) -> list[int]:
    """The twenty texts of which TF-IDF + logistic regression is least certain."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    matrix = TfidfVectorizer().fit_transform(texts)
    model = LogisticRegression(class_weight="balanced", C=10, max_iter=300)
    model.fit(matrix[list(labels)], list(labels.values()))
    return [int(i) for i in np.argsort(np.abs(model.decision_function(matrix))) if i not in labels][:20]


def warm(folder: Path) -> None:
    """Train once on a small corpus: imports are not what is measured."""
    with corpuskit.open(folder) as corpus:
        (folder / "texts").mkdir()
        for i in range(30):
            (folder / "texts" / f"{i}.txt").write_text(
                ("honey bees swarm " if i % 2 else "engine oil gear ") * 5 + str(i)
            )
        corpus.add(folder / "texts", progress=False)
        corpus.set_labels({f"{i}.txt": "relevant" if i % 2 else "other" for i in range(20)}, by="bench")
        corpus.train()
        corpus.next_to_label(5)


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--topics", type=Path, required=True)
    options.add_argument("--documents", type=int, default=20_000)
    chosen = options.parse_args()
    texts, classes = texts_of(chosen.topics, chosen.documents)
    wanted = pd.Series(classes).value_counts().index[3]

    def side(i: int) -> str:
        return "relevant" if classes[i] == wanted else "other"

    with tempfile.TemporaryDirectory() as work:
        warm(Path(work) / "warm")
        folder = Path(work) / "texts"
        folder.mkdir()
        for i, text in enumerate(texts):
            (folder / f"{i}.txt").write_text(text, "utf-8")
        with corpuskit.open(Path(work) / "corpus") as corpus:
            corpus.add(folder, progress=False)
            rows = corpus.documents()
            number = dict(zip(rows["doc_id"], rows["uri"].str.extract(r"(\d+)\.txt$")[0].astype(int), strict=True))
            corpus.elements(rows.head(1))  # makes the cache, which is not what is measured
            first = [d for d in number if side(number[d]) == "relevant"][:10] + rows["doc_id"].sample(60).tolist()
            asked = first
            peers = {number[d]: side(number[d]) for d in first}
            for _ in range(3):
                corpus.set_labels({d: side(number[d]) for d in asked}, by="bench")
                training, _ = cpu(corpus.train)
                asking, found = cpu(lambda: corpus.next_to_label(20))
                asked = list(found["doc_id"])  # type: ignore[index]
                of_peer, more = cpu(partial(peer, texts, peers))
                peers |= {i: side(i) for i in more}  # type: ignore[attr-defined]
                print(f"train {training:.2f} s, next_to_label {asking:.2f} s; TF-IDF + LR, both {of_peer:.2f} s")


if __name__ == "__main__":
    main()
