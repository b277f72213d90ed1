"""What labels of machines bring beside few of people: average precision with both and with people's alone, and audits.

    uv run python benchmarks/machine_labels.py --data FOLDER [--tasks agnews,kernel] [--seeds 5] [--audits 100]

FOLDER holds a Parquet file a task with the columns text, y (1 = relevant) and g (source); of tasks that begin with url_, text
is a URL. Of a pool of 2,000, people label 50 (at least 3 of them relevant) and a machine 1,000, the 50 among them, since
corpuskit asks it first what people have labelled. Machines err in 5, 15 and 30 % of the pool: at random, or in one source
after the other, where they then say always the contrary. Exit code 1 where an annotator cost more than .005 on a task, those with 5 and 15 % brought less than
.04 on average, or more than 1 % of the audits claimed what is not so.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from corpuskit.relevance import Audit, train_with_machines
from corpuskit.relevance.metrics import curve

PEOPLE, MACHINE, POOL, TEST, LEAST = 50, 1_000, 2_000, 1_500, 3
ANNOTATORS = [(how, share) for how in ("random", "one source") for share in (0.05, 0.15, 0.30)]
NAMES = np.array(["other", "relevant"])


def load(data, task, seed):
    frame = pd.read_parquet(data / f"{task}.parquet").sample(frac=1, random_state=1000 + seed).reset_index(drop=True)
    size = min(POOL, int(len(frame) * 0.55))
    return frame.iloc[:size], frame.iloc[size : size + TEST]


def first_labels(truth, random):
    """As an analyst begins who searched: at random, but with some relevant ones."""
    order = random.permutation(len(truth)).tolist()
    first = order[:PEOPLE]
    lacking = max(0, LEAST - int(truth[first].sum()))
    more = [i for i in order[PEOPLE:] if truth[i]][:lacking]
    return [i for i in first if truth[i]] + more + [i for i in first if not truth[i]][lacking:]


def annotate(truth, sources, how, share, random):
    """What a machine says that errs in a share of the pool."""
    wrong, errors = np.zeros(len(truth), bool), round(share * len(truth))
    if how == "random":
        wrong[random.permutation(len(truth))[:errors]] = True
    else:
        # Large sources, in any order: a small one has not so many documents to err in.
        large = random.permutation(sources.value_counts().index.to_numpy()[:8])
        places = [np.flatnonzero(sources == name) for name in large] + [np.flatnonzero(~sources.isin(large))]
        wrong[np.concatenate(places)[:errors]] = True
    return np.where(wrong, 1 - truth, truth)


def trained(pool, people, machines, kind):
    truth = pool.y.to_numpy()
    return train_with_machines(
        {i: NAMES[truth[i]] for i in people},
        {by: {i: NAMES[said[i]] for i in chosen} for by, (said, chosen) in machines.items()},
        pool.text.to_dict(),
        sources=pool.g.astype(str).to_dict(),
        pool=pool.text.tolist(),
        kind=kind,
    )


def average_precision(model, test):
    return curve(model.score(test.text.tolist()).tolist(), (test.y == 1).tolist()).average_precision


def audited(model, test, seed):
    """Whether something was claimed, and whether that is not so of what nobody looked at."""
    texts, truth = test.text.tolist(), test.y.to_numpy()
    audit, used = Audit(model, texts, seed=seed), []
    while batch := audit.next():
        used += batch
        audit.add(batch, [NAMES[truth[i]] for i in batch])
    if audit.threshold is None:
        return False, False
    rest = model.score(texts) >= audit.threshold
    rest[used] = False
    return True, bool(rest.any() and truth[rest].mean() < 0.95)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tasks", default="")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--audits", type=int, default=100, help="at most so many audits")
    chosen = parser.parse_args()
    tasks = chosen.tasks.split(",") if chosen.tasks else sorted(path.stem for path in chosen.data.glob("*.parquet"))
    rows = []
    for task in tasks:
        kind = "url" if task.startswith("url_") else "document"
        for seed in range(chosen.first_seed, chosen.first_seed + chosen.seeds):
            pool, test = load(chosen.data, task, seed)
            random = np.random.RandomState(seed)
            people = first_labels(pool.y.to_numpy(), random)
            alone = average_precision(trained(pool, people, {}, kind)[0], test)
            for number, (how, share) in enumerate(ANNOTATORS):
                random = np.random.RandomState(100 * seed + number)
                said = annotate(pool.y.to_numpy(), pool.g, how, share, random)
                others = [i for i in random.permutation(len(pool)).tolist() if i not in set(people)]
                model, [weight] = trained(pool, people, {"machine": (said, people + others[: MACHINE - PEOPLE])}, kind)
                row = {
                    "task": task,
                    "how": how,
                    "errors": share,
                    "alone": alone,
                    "both": average_precision(model, test),
                }
                if len(rows) < chosen.audits:
                    row["claimed"], row["false"] = audited(model, test, seed)
                rows.append(row | {"weight": weight.weight})
        print(f"{task}: done", file=sys.stderr)
    return told(pd.DataFrame(rows))


def told(frame):
    frame["gain"] = frame.both - frame.alone
    table = frame.groupby(["task", "how", "errors"])[["alone", "both", "gain", "weight"]].mean()
    print(table.round(3).to_string())
    worst, mean = table.gain.min(), frame[frame.errors < 0.2].gain.mean()
    audits = frame.dropna(subset="false")
    false = audits["false"].astype(float).mean()
    print(f"\nleast gain of an annotator on a task: {worst:+.4f} (floor -.005)")
    print(f"mean gain at 5 and 15 %: {mean:+.4f} (floor +.04)")
    print(
        f"{len(audits)} audits, {int(audits['claimed'].sum())} claims, {false:.1%} of the audits with a false claim (ceiling 1 %)"
    )
    return int(not (worst >= -0.005 and mean >= 0.04 and false <= 0.01))


if __name__ == "__main__":
    sys.exit(main())
