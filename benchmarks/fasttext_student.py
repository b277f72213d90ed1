"""A fastText classifier taught by a model of 200 labels, beside its teacher and fastText trained on the same labels.

    uv run python benchmarks/fasttext_student.py --data DIR [--tasks agnews kernel] [--seeds 3]

DIR holds TASK.parquet with columns text and y (1 = relevant). Seven tenths are the pool, of which 200 at random are labelled, three
of the first twenty relevant at least; the rest is the test set. Printed, the mean over seeds: average precision by the gold and by the
teacher's verdicts, agreement, precision and recall against these at a probability of .5, size, CPU seconds of training. "Directly" is
fastText with the options of its tutorial (lr 1.0, 25 epochs, word bigrams), and with four times the epochs, on the same tokens. "Unprepared" is the student on the
text as datatrove's filter gives it, with nothing but line ends taken out.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score

from corpuskit.relevance import fasttext_line, to_fasttext, train

LABELS, MAX_TEXT = 200, 30_000


def directly(lines: list[str], relevant: np.ndarray, file: Path, epochs: int) -> None:
    """Train fastText on labelled lines."""
    import fasttext

    source = file.with_suffix(".txt")
    pairs = zip(lines, relevant, strict=True)
    source.write_text("".join(f"__label__{'relevant' if side else 'other'} {line}\n" for line, side in pairs), "utf-8")
    # Twelve threads: with fewer than ten its vectors are what was in memory.
    fasttext.train_supervised(
        str(source), lr=1.0, epoch=epochs, wordNgrams=2, bucket=200_000, thread=12, verbose=0
    ).save_model(str(file))


def asked(file: Path, lines: list[str]) -> np.ndarray:
    """The probability of each line, from the file as others read it."""
    import fasttext

    labels, probabilities = fasttext.load_model(str(file)).predict(lines, k=2)
    pairs = zip(labels, probabilities, strict=True)
    return np.array([dict(zip(names, values, strict=True))["__label__relevant"] for names, values in pairs])


def measured(task: Path, seed: int) -> list[dict[str, Any]]:
    """One row a system."""
    rows = pd.read_parquet(task).sample(frac=1, random_state=1000 + seed)
    texts, gold = [text[:MAX_TEXT] for text in rows.text], rows.y.to_numpy(bool)
    cut = len(texts) * 7 // 10
    pool, test, truth = texts[:cut], texts[cut:], gold[cut:]
    order = np.random.RandomState(seed).permutation(cut).tolist()
    lacking = max(0, 3 - int(gold[order[:20]].sum()))
    have = ([i for i in order[20:] if gold[i]][:lacking] + order)[:LABELS]
    have = list(dict.fromkeys(have))
    sides = {i: "relevant" if gold[i] else "other" for i in have}
    start = time.process_time()
    model = train([pool[i] for i in have], [sides[i] for i in have], pool=pool)
    times = {"teacher": time.process_time() - start}
    scores = model.score(test)
    verdict = scores >= 0.5
    with tempfile.TemporaryDirectory() as folder:
        files = {
            "student": Path(folder, "s.bin"),
            "directly": Path(folder, "d.bin"),
            "directly, 100 epochs": Path(folder, "e.bin"),
        }
        start = time.process_time()
        record = to_fasttext(model, pool, files["student"], labels=[sides.get(i) for i in range(cut)], seed=seed)
        times["student"] = time.process_time() - start
        for name, epochs in (("directly", 25), ("directly, 100 epochs", 100)):
            start = time.process_time()
            directly([fasttext_line(pool[i]) for i in have], gold[have], files[name], epochs)
            times[name] = time.process_time() - start
        lines = [fasttext_line(text) for text in test]
        found = {"teacher": scores} | {name: asked(file, lines) for name, file in files.items()}
        found["student, unprepared"] = asked(files["student"], [" ".join(text.split("\n")) for text in test])
        sizes = {name: file.stat().st_size / 1e6 for name, file in files.items()}
    print(f"{task.stem}, seed {seed}: {record!r}")
    return [
        {
            "task": task.stem,
            "system": name,
            "AP": average_precision_score(truth, p),
            "AP by teacher": average_precision_score(verdict, p),
            "agreement": np.mean((p >= 0.5) == verdict),
            "precision": verdict[p >= 0.5].mean() if (p >= 0.5).any() else np.nan,
            "recall": (p >= 0.5)[verdict].mean(),
            "MB": sizes.get(name, np.nan),
            "CPU s": times.get(name, np.nan),
        }
        for name, p in found.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, metavar="DIR", required=True)
    parser.add_argument("--tasks", nargs="+", default=["agnews", "kernel"])
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    found = [
        row
        for task in options.tasks
        for seed in range(options.seeds)
        for row in measured(options.data / f"{task}.parquet", seed)
    ]
    print(pd.DataFrame(found).groupby(["task", "system"], sort=False).mean().round(3).to_string())


if __name__ == "__main__":
    main()
