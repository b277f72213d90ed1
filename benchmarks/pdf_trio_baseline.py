"""The classifier of pdf_trio beside ours, as ``fasttext test`` counts.

    uv run python benchmarks/pdf_trio_baseline.py --data DIR [--tasks agnews kernel url_bourse] [--labels 200] [--seeds 3]

DIR holds TASK.parquet with columns text, y (1 = relevant) and g (host). A fifth is the test set, of URLs a fifth of the hosts; of the rest so
many rows are labelled at random, half of them relevant. Printed: N, P@1 and R@1, and the average precision, which does
not hang on where the border is drawn; the mean over seeds. Tasks of URLs begin with url_.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score
from sklearn.model_selection import GroupShuffleSplit

from corpuskit.relevance import train


def measured(task: Path, labels: int, seed: int) -> dict[str, list[float]]:
    """P@1 and average precision of each system."""
    rows = pd.read_parquet(task)
    kind = "url" if task.stem.startswith("url_") else "document"
    texts, gold = [text[:30_000] for text in rows.text], np.where(rows.y == 1, "relevant", "other")
    groups = rows.g.to_numpy() if kind == "url" else np.arange(len(rows))
    [(rest, test)] = GroupShuffleSplit(1, test_size=0.2, random_state=seed).split(groups, groups=groups)
    random = np.random.RandomState(seed)
    have = [i for side in ("relevant", "other") for i in random.permutation(rest[gold[rest] == side])[: labels // 2]]
    random.shuffle(have)
    known = [texts[i] for i in have], [str(gold[i]) for i in have]
    tested, truth = [texts[i] for i in test], [str(gold[i]) for i in test]
    theirs = train(*known, preset="pdf_trio", kind=kind, seed=seed)
    ours = train(*known, kind=kind, seed=seed, pool=[texts[i] for i in rest])
    figures = {}
    for result, model in zip(theirs.compare(ours, tested, truth), (theirs, ours), strict=True):
        ranking = average_precision_score(np.array(truth) == "relevant", model.score(tested))
        figures[result.system] = [result.n, result.precision, result.recall, ranking]
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tasks", nargs="+", default=["agnews", "kernel", "url_bourse"])
    parser.add_argument("--labels", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=3)
    chosen = parser.parse_args()
    for task in chosen.tasks:
        runs = [measured(chosen.data / f"{task}.parquet", chosen.labels, seed) for seed in range(chosen.seeds)]
        for system in runs[0]:
            n, precision, recall, ranking = np.mean([run[system] for run in runs], axis=0)
            print(f"{task:12} {system:10} N {n:,.0f}  P@1 {precision:.3f}  R@1 {recall:.3f}  average precision {ranking:.3f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
