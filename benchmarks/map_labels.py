"""What labels from the map are worth: average precision after 30 keys, of groups and of single documents.

    uv run python benchmarks/map_labels.py --data DIR [--topics DIR] [--tasks NAME ...] [--seeds 3] [--keys 30]

The data are those of active_learning.py: a pool of 2,000 texts, and a test set of 1,500 of which average precision (AP) is told.
Each way of labelling begins with the same first texts and has as many keys:

    single   ten documents at a time that the model asks for (`select`), one key each
    map      one key for each fine topic of the map, the largest first: the analyst reads the five most central documents of it and
             gives all of it the label that most of these have; what is left of the keys goes to single documents as above
    islands  as map, but a topic in which the five do not all agree is left alone; its key is spent

The analyst of the map is wrong about each document of a group that is not as most of the five are; how often is told as "right".
All three are trained with a group of n counting as the root of n. Below, for the map, what other weights would have come to: each
document counting as one ("n"), and the whole group as one document ("1").
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from active_learning import Draw, all_tasks

BATCH = 10
READ = 5
WEIGHTS = {"sqrt": lambda n: n**-0.5, "n": lambda n: 1.0, "1": lambda n: 1.0 / n}


def topics_of(draw):
    """The clusters that `corpus.topics()` makes of the pool, the largest first, with the most central documents of each."""
    from corpuskit.vectors.clustering import centres_of, cluster, default_number
    from corpuskit.vectors.making import embedded

    vectors = embedded(draw.space, draw.pool)
    found = cluster(vectors, default_number(len(draw.pool)), seed=draw.seed)
    centres = centres_of(vectors, found, int(found.max()) + 1)
    for number in range(int(found.max()) + 1):
        members = np.flatnonzero(found == number)
        central = members[np.argsort(-(vectors[members] @ centres[number]), kind="stable")][:READ]
        yield members.tolist(), central.tolist()


def groups_of(draw, keys, *, only_sure):
    """(documents, label) of each group that a key is given to, how many keys that took, and how often the label is right."""
    groups, spent = [], 0
    for members, central in topics_of(draw):
        if spent == keys // 2:
            break
        said = draw.relevant[central].mean()
        spent += 1
        if only_sure and 0 < said < 1:
            continue
        groups.append((members, bool(said > 0.5)))
    right = [draw.relevant[i] == label for members, label in groups for i in members]
    return groups, spent, float(np.mean(right)) if right else float("nan")


class Labels:
    """What is labelled: single documents, and groups of others."""

    def __init__(self, draw, groups=()):
        self.draw, self.single, self.groups = draw, draw.first(), list(groups)

    def train(self, weight="sqrt"):
        from corpuskit.relevance import train

        label = {i: (bool(self.draw.relevant[i]), 1.0) for i in self.single}
        for members, said in self.groups:
            free = [i for i in members if i not in self.single]
            label |= {i: (said, WEIGHTS[weight](len(free))) for i in free}
        rows = sorted(label)
        names = ["relevant" if label[i][0] else "other" for i in rows]
        texts = [self.draw.pool[i] for i in rows]
        return train(texts, names, space=self.draw.space, weights=[label[i][1] for i in rows])

    def ask(self, keys):
        """Spends keys on single documents that the model asks for."""
        from corpuskit.relevance import select

        while keys > 0:
            asked = select(self.train(), self.draw.pool, min(BATCH, keys), exclude=self.single)
            self.single += asked
            keys -= len(asked)
        return self

    def precision(self, weight="sqrt"):
        from sklearn.metrics import average_precision_score

        return float(average_precision_score(self.draw.truth, self.train(weight).logits(self.draw.test)))


def measured(task, seed, keys):
    """AP of each way of labelling, and how right the groups were."""
    draw = Draw(task, seed)
    found = {"first": Labels(draw).precision(), "single": Labels(draw).ask(keys).precision()}
    for name, only_sure in (("map", False), ("islands", True)):
        groups, spent, right = groups_of(draw, keys, only_sure=only_sure)
        labels = Labels(draw, groups).ask(keys - spent)
        found |= {
            name: labels.precision(),
            f"{name}: documents": sum(len(m) for m, _ in groups),
            f"{name}: right": right,
        }
        if name == "map":
            found |= {f"map, weight {weight}": labels.precision(weight) for weight in ("n", "1")}
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, metavar="DIR")
    parser.add_argument("--topics", type=Path, metavar="DIR")
    parser.add_argument("--tasks", nargs="+", metavar="NAME", help="only these")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--keys", type=int, default=30)
    options = parser.parse_args()
    options.webs = None
    tasks = all_tasks(options)
    import pandas as pd

    rows = []
    for name in options.tasks or tasks:
        task = tasks[name]()
        rows += [{"task": name} | measured(task, seed, options.keys) for seed in range(options.seeds)]
        print(f"{name} done", file=sys.stderr, flush=True)
    table = pd.DataFrame(rows).groupby("task", sort=False).mean()
    table.loc["mean"] = table.mean()
    print(f"AP after {options.keys} keys, mean of {options.seeds} seeds\n{table.round(3).T.to_string()}")


if __name__ == "__main__":
    main()
