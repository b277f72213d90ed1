"""Average precision a label: who asks the better questions, and whose model learns more of them; CPU a step.

    uv run python benchmarks/active_learning.py --data DIR [--topics DIR] [--webs DIR] [--tasks NAME ...] [--seeds 2]
    uv run --with small-text python benchmarks/active_learning.py --data DIR ...             # its strategies beside them

A system is "questions:model". Questions, ten at a time from the same first 20 labels on (three of them relevant at least): at random;
those that TF-IDF + logistic regression is least certain of, with document frequencies of the labelled texts ("plain") or of the pool
("pool"); ours (`select`); with small-text installed its greedy core-set and its contrastive strategy, on the pool's classifier and 50
dimensions of LSA. Least confidence, margin and entropy are one and the same order where there are two classes: one stands for all.

    --data    documents with columns text and y: agnews.parquet, kernel.parquet (what begins with url_ is not read)
    --topics  texts.parquet with columns text and class: each class against the rest, at 10, 5 or 2 %, two of them also at 1 %
    --webs    what benchmarks/steering/build.py made and simulate.py extracted: a topic each; the test set is of other hosts

Each seed draws a pool of 2,000 and a test set of 1,500. Printed: the mean over tasks; ours, the best anchor and the distance, task by task;
and "left out": on each task, ours against the one anchor that is best on all other tasks, which is what a user could have known.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pandas as pd

STEPS = (20, 50, 100, 200)
BATCH = 10
POOL, TEST = 2_000, 1_500
MAX_TEXT = 30_000


@dataclass(frozen=True)
class Task:
    """Documents, and which of them are relevant; ``groups`` where the test set is to be of other groups."""

    name: str
    texts: list[str]
    relevant: np.ndarray
    groups: np.ndarray | None = None


def read_tables(folder: Path) -> dict[str, Callable[[], Task]]:
    """One task a parquet file."""

    def task(path: Path) -> Task:
        rows = pd.read_parquet(path)
        return Task(path.stem, [text[:MAX_TEXT] for text in rows.text], rows.y.to_numpy(bool))

    return {p.stem: lambda p=p: task(p) for p in sorted(folder.glob("*.parquet")) if not p.stem.startswith("url_")}


def read_topics(folder: Path) -> dict[str, Callable[[], Task]]:
    """Each class against the rest; the share of the class falls from 10 to 5 to 2 % in turns, for two it is 1 % besides."""
    rows = pd.read_parquet(folder / "texts.parquet")

    def task(name: str, share: float) -> Task:
        mine, rest = rows[rows["class"] == name], rows[rows["class"] != name]
        mine = mine.sample(min(len(mine), round(len(rest) * share / (1 - share))), random_state=0)
        both = pd.concat([mine, rest])
        return Task(_title(name, share), [t[:MAX_TEXT] for t in both.text], (both["class"] == name).to_numpy())

    names = sorted(set(rows["class"]))
    wanted = [(name, (0.1, 0.05, 0.02)[i % 3]) for i, name in enumerate(names)] + [(n, 0.01) for n in names[1::5]]
    return {_title(n, share): lambda n=n, share=share: task(n, share) for n, share in wanted}


def _title(name: str, share: float) -> str:
    return f"{'.'.join(name.split('.')[-2:])} {share:.0%}"


def read_webs(folder: Path) -> dict[str, Callable[[], Task]]:
    """The pages of each web whose gold is known."""

    def task(path: Path) -> Task:
        gold = json.loads((path / "gold.json").read_text())["gold"]
        texts, relevant, hosts = [], [], []
        with sqlite3.connect(path / "extracted.sqlite") as base:
            for url, packed in base.execute("SELECT url, page FROM pages ORDER BY url"):
                if gold.get(url) is not None:
                    title, text, _ = json.loads(zlib.decompress(packed))
                    texts.append(f"{title}\n{text}"[:MAX_TEXT])
                    relevant.append(gold[url] == 1)
                    hosts.append(urlsplit(url).netloc)
        return Task(path.name, texts, np.array(relevant), np.array(hosts))

    return {p.parent.name: lambda p=p.parent: task(p) for p in sorted(folder.glob("*/extracted.sqlite"))}


class Draw:
    """One seed of a task: pool and test set, with all that every system reads of them counted once."""

    def __init__(self, task: Task, seed: int) -> None:
        random = np.random.RandomState(1000 + seed)
        order = random.permutation(len(task.texts))
        if task.groups is None:
            pool = order[: min(POOL, int(len(order) * 0.55))]
            test = order[len(pool) :][:TEST]
        else:
            pool, test = _of_groups(task, order, random)
        self.pool = [task.texts[i] for i in pool]
        self.test = [task.texts[i] for i in test]
        self.relevant, self.truth = task.relevant[pool], task.relevant[test]
        self.groups = None if task.groups is None else task.groups[pool]
        self.seed = seed

    @cached_property
    def counts(self) -> tuple[Any, Any]:
        from sklearn.feature_extraction.text import CountVectorizer

        counter = CountVectorizer(dtype=np.float64)
        pool = counter.fit_transform(self.pool)
        return pool, counter.transform(self.test)

    @cached_property
    def pool_tfidf(self) -> tuple[Any, Any]:
        from sklearn.feature_extraction.text import TfidfTransformer

        weigh = TfidfTransformer().fit(self.counts[0])
        return weigh.transform(self.counts[0]), weigh.transform(self.counts[1])

    @cached_property
    def space(self) -> Any:
        from corpuskit.relevance import VectorSpace

        return VectorSpace.fit(self.pool)

    @cached_property
    def lsa(self) -> Any:
        from sklearn.decomposition import TruncatedSVD

        return TruncatedSVD(50, random_state=0).fit_transform(self.pool_tfidf[0])

    def first(self) -> list[int]:
        """Twenty at random, three of them relevant at least, as of an analyst who starts from a search."""
        order = np.random.RandomState(self.seed).permutation(len(self.pool)).tolist()
        head, tail = order[:20], order[20:]
        lacking = max(0, 3 - int(self.relevant[head].sum()))
        more = [i for i in tail if self.relevant[i]][:lacking]
        dropped = set([i for i in head if not self.relevant[i]][: len(more)])
        return [i for i in head if i not in dropped] + more


def _of_groups(task: Task, order: np.ndarray, random: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Pool and test set of different hosts; drawn again until each has a fifth of the relevant pages."""
    assert task.groups is not None
    names = np.unique(task.groups)
    while True:
        mine = np.isin(task.groups, random.permutation(names)[: len(names) // 2])[order]
        share = task.relevant[order][mine].sum() / task.relevant.sum()
        if 0.2 <= share <= 0.8:
            return order[mine][:POOL], order[~mine][:TEST]


def _logistic(features: Any, relevant: np.ndarray) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(class_weight="balanced", C=10, max_iter=300).fit(features, relevant)


class PoolModel:
    """TF-IDF with the pool's document frequencies + logistic regression."""

    def __init__(self, draw: Draw, have: list[int]) -> None:
        self.draw = draw
        self.fitted = _logistic(draw.pool_tfidf[0][have], draw.relevant[have])

    def pool(self) -> np.ndarray:
        """The logit of each text of the pool."""
        return self.fitted.decision_function(self.draw.pool_tfidf[0])

    def test(self) -> np.ndarray:
        return self.fitted.decision_function(self.draw.pool_tfidf[1])


class PlainModel:
    """TfidfVectorizer + logistic regression on the labelled texts alone."""

    def __init__(self, draw: Draw, have: list[int]) -> None:
        from sklearn.feature_extraction.text import TfidfTransformer

        self.draw = draw
        labelled = draw.counts[0][have]
        self.columns = np.unique(labelled.indices)
        self.weigh = TfidfTransformer().fit(labelled[:, self.columns])
        self.fitted = _logistic(self._features(labelled), draw.relevant[have])

    def _features(self, counts: Any) -> Any:
        return self.weigh.transform(counts[:, self.columns])

    def pool(self) -> np.ndarray:
        return self.fitted.decision_function(self._features(self.draw.counts[0]))

    def test(self) -> np.ndarray:
        return self.fitted.decision_function(self._features(self.draw.counts[1]))


class OurModel:
    """corpuskit."""

    def __init__(self, draw: Draw, have: list[int]) -> None:
        from corpuskit.relevance import train

        self.draw, self.have = draw, have
        labels = ["relevant" if draw.relevant[i] else "other" for i in have]
        self.model = train([draw.pool[i] for i in have], labels, space=draw.space)

    def ask(self, n: int) -> list[int]:
        from corpuskit.relevance import select

        return select(self.model, self.draw.pool, n, exclude=self.have)

    def test(self) -> np.ndarray:
        return self.model.logits(self.draw.test)


MODELS: dict[str, Any] = {"plain": PlainModel, "pool": PoolModel, "ours": OurModel}


def least_certain(model: Any, free: list[int], n: int) -> list[int]:
    """The ``n`` texts with the smallest logits."""
    certainty = np.abs(model.pool())
    return sorted(free, key=lambda i: (certainty[i], i))[:n]


def small_text_strategies() -> dict[str, Callable[[Draw, list[int], list[int], int], list[int]]]:
    """small-text's strategies that are not least confidence by another name; none where it is not installed."""
    try:
        from small_text import ContrastiveActiveLearning, GreedyCoreset
    except ImportError:
        return {}

    class Embedder:
        """What the strategies want of a classifier."""

        def __init__(self, draw: Draw, have: list[int]) -> None:
            scores = 1.0 / (1.0 + np.exp(-PoolModel(draw, have).pool()))
            self.lsa, self.probabilities = draw.lsa, np.stack([1.0 - scores, scores], axis=1)

        def embed(self, rows: np.ndarray, *, return_proba: bool = False, pbar: Any = None) -> Any:
            return (self.lsa[rows], self.probabilities[rows]) if return_proba else self.lsa[rows]

    def asking(strategy: Any) -> Callable[[Draw, list[int], list[int], int], list[int]]:
        def ask(draw: Draw, have: list[int], free: list[int], n: int) -> list[int]:
            everything, y = np.arange(len(draw.pool)), draw.relevant[have].astype(int)
            return strategy.query(Embedder(draw, have), everything, np.array(free), np.array(have), y, n=n).tolist()

        return ask

    coreset = GreedyCoreset(distance_metric="cosine")
    return {"core-set": asking(coreset), "contrastive": asking(ContrastiveActiveLearning(pbar=None))}


def orders(draw: Draw) -> Iterator[tuple[str, tuple[str, ...], list[int], float]]:
    """Who asks, whose models learn of it, the texts in the order they were asked for, and CPU seconds a step."""
    strategies: dict[str, Any] = {
        "random": lambda have, free, n: np.random.RandomState(len(have)).permutation(free)[:n].tolist(),
        "plain": lambda have, free, n: least_certain(PlainModel(draw, have), free, n),
        "pool": lambda have, free, n: least_certain(PoolModel(draw, have), free, n),
        "ours": lambda have, free, n: OurModel(draw, have).ask(n),
    }
    for name, ask in small_text_strategies().items():
        strategies[name] = lambda have, free, n, ask=ask: ask(draw, have, free, n)
    learners = {"random": ("plain", "pool", "ours"), "plain": ("plain", "ours"), "ours": ("ours",)}
    for name, ask in strategies.items():
        have, steps, started = draw.first(), 0, time.process_time()
        while len(have) < STEPS[-1]:
            taken = set(have)
            have += ask(have, [i for i in range(len(draw.pool)) if i not in taken], min(BATCH, STEPS[-1] - len(have)))
            steps += 1
        yield name, learners.get(name, ("pool", "ours")), have, (time.process_time() - started) / steps


def measured(task: Task, seed: int) -> list[dict[str, Any]]:
    """A row for each system and number of labels."""
    from sklearn.metrics import average_precision_score

    draw, rows = Draw(task, seed), []
    _ = draw.pool_tfidf, draw.space, draw.lsa  # counted before the clock runs
    for name, models, have, seconds in orders(draw):
        for model in models:
            for labels in STEPS:
                scores = MODELS[model](draw, have[:labels]).test()
                found = {
                    "AP": average_precision_score(draw.truth, scores),
                    "found": float((scores[draw.truth] >= 0).mean()),
                    "precision": float(draw.truth[scores >= 0].mean()) if (scores >= 0).any() else 0.0,
                }
                rows.append({"task": task.name, "seed": seed, "system": f"{name}:{model}", "labels": labels} | found)
                rows[-1]["CPU"] = seconds
    return rows


def _of_task(options: argparse.Namespace, name: str) -> list[dict[str, Any]]:
    task = all_tasks(options)[name]()
    return [row for seed in range(options.seeds) for row in measured(task, seed)]


def all_tasks(options: argparse.Namespace) -> dict[str, Callable[[], Task]]:
    """Every task that the options name, not yet read."""
    found = read_tables(options.data) if options.data else {}
    found |= read_topics(options.topics) if options.topics else {}
    return found | (read_webs(options.webs) if options.webs else {})


def tell(rows: pd.DataFrame) -> None:
    """Print the tables."""
    means = rows.pivot_table(index="system", columns="labels", values="AP")
    means["CPU a step"] = rows.groupby("system").CPU.mean()
    print(f"\nAP, mean of {rows.task.nunique()} tasks, {rows.seed.nunique()} seeds\n{means.round(3).to_string()}")
    table = rows.pivot_table(index=["task", "labels"], columns="system", values="AP")
    ours = table["ours:ours"]
    anchors = table[[column for column in table if not column.endswith(":ours")]]
    left_out = []
    for (task, labels), row in anchors.iterrows():
        others = anchors[anchors.index.isin([labels], level="labels") & ~anchors.index.isin([task], level="task")]
        left_out.append(ours[task, labels] - (row[others.mean().idxmax()] if len(others) else row.max()))
    ahead = pd.DataFrame({"ours": ours, "best anchor": anchors.max(axis=1), "ahead": ours - anchors.max(axis=1)})
    ahead["left out"] = left_out
    print(f"\nTask by task\n{ahead.unstack('labels').round(3).to_string()}")
    print(
        f"\nMean and worst\n{ahead[['ahead', 'left out']].groupby('labels').agg(['mean', 'min']).round(3).to_string()}"
    )
    sure = rows[rows.system.str.endswith(":ours")].pivot_table(
        index="system", columns="labels", values=["found", "precision"]
    )
    print(f"\nOf ours at a score of .5: share of the relevant texts found, and precision\n{sure.round(3).to_string()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, metavar="DIR")
    parser.add_argument("--topics", type=Path, metavar="DIR")
    parser.add_argument("--webs", type=Path, metavar="DIR")
    parser.add_argument("--tasks", nargs="+", metavar="NAME", help="only these")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path, help="write the rows here")
    options = parser.parse_args()
    names = options.tasks or list(all_tasks(options))
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as workers:
        rows = []
        for name, found in zip(names, workers.map(partial(_of_task, options), names), strict=True):
            rows += found
            print(f"{name} done", file=sys.stderr, flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows))
    tell(pd.DataFrame(rows))


if __name__ == "__main__":
    main()
