"""The first twenty labels of a rare class, without any before them: what is asked, how many of it are relevant, what is learnt.

    uv run python benchmarks/cold_start.py --topics DIR [--seeds 3] [--shares 0.01 0.02 0.05 0.1] [--jobs 2]

    --topics  texts.parquet with columns text and class; classes without seed words below are passed over

Each class is cut down to its share of all texts, a pool of 2,000 and a test set of 1,500 are drawn. Systems, twenty questions each:
at random; "diverse", small-text's greedy core-set by another name (always the text farthest from all chosen, 50 dimensions of LSA);
"centres", the texts nearest to twenty centres of k-means there; "words", BM25 of the seed words; "ours", what `next_to_label` asks a
corpus with these seed words. Printed: relevant ones among the twenty, and the average precision of our model on them, and after thirty
more that it asked for. Where fewer than two are relevant nothing can be learnt: the share of the class is what remains, and the
next ten are asked as the first ones were.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

spec = importlib.util.spec_from_file_location("active_learning", Path(__file__).with_name("active_learning.py"))
assert spec and spec.loader
bench = importlib.util.module_from_spec(spec)
sys.modules["active_learning"] = bench
spec.loader.exec_module(bench)

# What somebody who wants this class might write, before reading a text of it.
WORDS = {
    "alt.atheism": ("atheism", "atheist", "god", "belief"),
    "comp.graphics": ("graphics", "image", "rendering"),
    "comp.os.ms-windows.misc": ("windows", "driver", "program manager"),
    "comp.sys.ibm.pc.hardware": ("pc", "disk", "controller", "motherboard"),
    "comp.sys.mac.hardware": ("mac", "apple", "macintosh"),
    "comp.windows.x": ("x11", "window", "widget", "motif"),
    "misc.forsale": ("sale", "offer", "shipping", "price"),
    "rec.autos": ("car", "engine", "dealer"),
    "rec.motorcycles": ("motorcycle", "bike", "ride", "helmet"),
    "rec.sport.baseball": ("baseball", "pitcher", "team"),
    "rec.sport.hockey": ("hockey", "team", "goal", "nhl"),
    "sci.crypt": ("encryption", "key", "cipher"),
    "sci.electronics": ("circuit", "voltage", "electronics"),
    "sci.med": ("medicine", "disease", "doctor", "patients"),
    "sci.space": ("space", "orbit", "nasa", "launch"),
    "soc.religion.christian": ("church", "christ", "bible"),
    "talk.politics.guns": ("gun", "firearms", "weapon"),
    "talk.politics.mideast": ("israel", "arab", "turkish"),
    "talk.politics.misc": ("government", "president", "tax"),
    "talk.religion.misc": ("religion", "god", "christian"),
}
FIRST, MORE = 20, 30
LEAST = 2  # of each class, for a training


def at_random(draw: Any, words: tuple[str, ...]) -> list[int]:
    return np.random.RandomState(draw.seed).permutation(len(draw.pool)).tolist()


def diverse(draw: Any, words: tuple[str, ...]) -> list[int]:
    points = draw.lsa / np.maximum(np.linalg.norm(draw.lsa, axis=1, keepdims=True), 1e-9)
    chosen = [int(np.argmax(points @ points.mean(0)))]
    nearest = points @ points[chosen[0]]
    while len(chosen) < FIRST + MORE:
        chosen.append(int(np.argmin(nearest)))
        nearest = np.maximum(nearest, points @ points[chosen[-1]])
    return chosen


def centres(draw: Any, words: tuple[str, ...]) -> list[int]:
    from sklearn.cluster import KMeans

    points = draw.lsa / np.maximum(np.linalg.norm(draw.lsa, axis=1, keepdims=True), 1e-9)
    found = KMeans(FIRST, n_init=1, random_state=draw.seed).fit(points)
    nearest = np.argmax(points @ found.cluster_centers_.T, axis=0).tolist()
    return list(dict.fromkeys([*nearest, *at_random(draw, words)]))


def by_words(draw: Any, words: tuple[str, ...]) -> list[int]:
    """BM25 with the usual constants (k1 1.5, b .75)."""
    from sklearn.feature_extraction.text import CountVectorizer

    counter = CountVectorizer()
    counts = counter.fit_transform(draw.pool)
    length = np.asarray(counts.sum(1)).ravel()
    wanted = [counter.vocabulary_[part] for word in words for part in word.split() if part in counter.vocabulary_]
    columns = counts[:, wanted].toarray()
    n = len(draw.pool)
    known = (columns > 0).sum(0)
    idf = np.log(1 + (n - known + 0.5) / (known + 0.5))
    scores = (idf * columns * 2.5 / (columns + 1.5 * (0.25 + 0.75 * length / length.mean())[:, None])).sum(1)
    return np.argsort(-scores, kind="stable").tolist()


def ours(draw: Any, words: tuple[str, ...]) -> list[int]:
    from corpuskit.relevance import cold_start_queries

    found = cold_start_queries(draw.pool, FIRST + MORE, seeds=words, space=draw.space, seed=draw.seed)
    return [item.index for item in found]


def ours_without_words(draw: Any, words: tuple[str, ...]) -> list[int]:
    return ours(draw, ())


SYSTEMS: dict[str, Callable[[Any, tuple[str, ...]], list[int]]] = {
    "random": at_random, "diverse": diverse, "centres": centres, "words": by_words, "ours": ours,
    "ours, no words": ours_without_words,
}  # fmt: skip


def measured(task: Any, words: tuple[str, ...], seed: int) -> list[dict[str, Any]]:
    """A row a system."""
    from sklearn.metrics import average_precision_score

    draw, rows = bench.Draw(task, seed), []
    for name, ask in SYSTEMS.items():
        order = ask(draw, words)
        have = order[:FIRST]
        found = int(draw.relevant[have].sum())
        row: dict[str, Any] = {"task": task.name, "seed": seed, "system": name, "relevant of 20": found}
        for labels in (FIRST, FIRST + MORE):
            while len(have) < labels:
                wanted = min(bench.BATCH, labels - len(have))
                model = learnt(draw, have)
                have = have + (asked(model, wanted) if model else [i for i in order if i not in have][:wanted])
            model = learnt(draw, have)
            scores = model.test() if model else np.zeros(len(draw.test))
            row[f"AP {labels}"] = average_precision_score(draw.truth, scores)
        rows.append(row | {"nothing found": float(found == 0)})
    return rows


def learnt(draw: Any, have: list[int]) -> Any:
    """Our model of these labels; None where they do not suffice."""
    relevant = len({draw.pool[i] for i in have if draw.relevant[i]})
    return bench.OurModel(draw, have) if LEAST <= relevant <= len(have) - LEAST else None


def asked(model: Any, n: int) -> list[int]:
    """What `next_to_label` asks of a corpus without a crawl."""
    from corpuskit.relevance.sampling import exploration_quota, suggest

    certain, drawn = exploration_quota(model.model, n)
    found = suggest(
        model.model, model.draw.pool, n, exclude=model.have, certain=certain, random=drawn, seed=len(model.have)
    )
    return [item.index for item in found]


def _of_class(options: argparse.Namespace, item: tuple[str, float]) -> list[dict[str, Any]]:
    name, share = item
    rows = pd.read_parquet(options.topics / "texts.parquet")
    mine, rest = rows[rows["class"] == name], rows[rows["class"] != name]
    mine = mine.sample(min(len(mine), round(len(rest) * share / (1 - share))), random_state=0)
    both = pd.concat([mine, rest])
    task = bench.Task(name, [text[: bench.MAX_TEXT] for text in both.text], (both["class"] == name).to_numpy())
    return [row | {"share": share} for seed in range(options.seeds) for row in measured(task, WORDS[name], seed)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=Path, metavar="DIR", required=True)
    parser.add_argument("--shares", type=float, nargs="+", default=[0.01, 0.02, 0.05, 0.1])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    classes = sorted(set(pd.read_parquet(options.topics / "texts.parquet", columns=["class"])["class"]) & WORDS.keys())
    items = [(name, share) for share in options.shares for name in classes]
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as workers:
        rows = pd.DataFrame([row for found in workers.map(partial(_of_class, options), items) for row in found])
    columns = ["relevant of 20", "nothing found", f"AP {FIRST}", f"AP {FIRST + MORE}"]
    print(f"{len(classes)} classes, {options.seeds} seeds")
    print(rows.groupby(["share", "system"], sort=False)[columns].mean().round(3).to_string())
    rare = rows[rows.share == min(options.shares)]
    print(f"\nAP {FIRST + MORE} at {min(options.shares):.0%}, class by class")
    print(rare.pivot_table(index="task", columns="system", values=f"AP {FIRST + MORE}").round(3).to_string())


if __name__ == "__main__":
    main()
