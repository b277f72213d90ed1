"""How long corpus.map() takes on real texts, and what of it is not the drawing.

    uv run python benchmarks/map_real.py --data FOLDER [--documents 100000] [--corpus FOLDER]

The folder has Parquet files with the columns text and class. Where it has fewer documents, more are made of its paragraphs: each of
those of one class, drawn with a seed. The corpus is made of files, and kept in --corpus, so that a second run does without. Then
processes of their own print seconds of wall time and CPU and their peak of memory: the space and the vectors, the topics, the layout,
the map with all of these there, the map asked for again in the same process, and a map of as many made-up points of the same corpus,
which is what the widget alone takes.
"""

import argparse
import multiprocessing
import os
import random
import resource
import shutil
import tempfile
import time
from pathlib import Path

PARAGRAPHS = 4  # of a document that is put together


def texts_of(folder, n):
    """n texts: those there are, then paragraphs of one class put together."""
    import pandas as pd

    frame = pd.concat([pd.read_parquet(file, columns=["text", "class"]) for file in sorted(folder.glob("*.parquet"))])
    yield from frame["text"].head(n)
    by_class = {}
    for row in frame.itertuples():
        some = [part.strip() for part in row.text.split("\n\n") if part.strip()]
        by_class.setdefault(row[2], []).extend(part[:2_000] for part in some)
    names, drawn = sorted(by_class), random.Random(0)
    for _ in range(n - len(frame)):
        yield "\n\n".join(drawn.choices(by_class[drawn.choice(names)], k=drawn.randint(1, PARAGRAPHS)))


def fill(folder, data, n):
    import corpuskit as ck

    texts = folder / "texts"
    if (folder / "corpus" / "catalog.sqlite").exists():
        return
    for i, text in enumerate(texts_of(data, n)):
        if i % 1_000 == 0:
            (texts / f"{i // 1_000:03}").mkdir(parents=True)
        (texts / f"{i // 1_000:03}" / f"{i:06}.txt").write_text(text, "utf-8")
    with ck.open(folder / "corpus") as corpus:
        corpus.add(texts, progress=False)
        corpus.elements(text=False)


def space(corpus):
    corpus.embed(progress=False)


def topics(corpus):
    corpus.topics()


def positions(corpus):
    corpus.positions()


def the_map(corpus):
    corpus.map().close()


def made_up(corpus):
    import numpy as np
    import pandas as pd

    from corpuskit.features.vectors.widgets.map import DocumentMap

    doc_ids, drawn = corpus.documents()["doc_id"], np.random.default_rng(0)
    topic = drawn.integers(0, 60, len(doc_ids))
    xy = (drawn.normal(size=(60, 2))[topic] * 6 + drawn.normal(size=(len(doc_ids), 2))).astype("float32")
    points = pd.DataFrame({"doc_id": doc_ids, "x": xy[:, 0], "y": xy[:, 1], "topic": pd.array(topic, dtype="Int32")})
    regions = pd.DataFrame({
        "topic": range(72), "name": [f"topic {i}" for i in range(72)], "level": [1] * 60 + [0] * 12,
        "parent": pd.array([60 + i % 12 for i in range(60)] + [None] * 12, dtype="Int32"), "words": "some words",
    })  # fmt: skip
    made_up_map = DocumentMap(corpus._folder, lambda: (points, regions), by="me")
    made_up_map.close()


def timed(name, folder, acts):
    """Runs acts one after the other in a process of their own."""

    def run():
        import corpuskit as ck
        import corpuskit.features.vectors.widgets.map

        with ck.open(folder) as corpus:
            corpus.documents()
            for number, act in enumerate(acts):
                before, begun = os.times(), time.perf_counter()
                act(corpus)
                after, wall = os.times(), time.perf_counter() - begun
                cpu = after.user + after.system - before.user - before.system
                peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                again = ", again" if number else ""
                print(f"{name + again:32} {wall:8.2f} s, CPU {cpu:8.2f} s, peak {peak:6,.0f} MB", flush=True)

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"{name} failed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--corpus", type=Path)
    chosen = parser.parse_args()
    folder = chosen.corpus or Path(tempfile.mkdtemp())
    begun = time.perf_counter()
    fill(folder, chosen.data, chosen.documents)
    print(f"{chosen.documents:,} documents in {folder}, {time.perf_counter() - begun:.0f} s", flush=True)
    corpus = folder / "corpus"
    shutil.rmtree(corpus / "vectors", ignore_errors=True)
    for name, acts in (
        ("space and vectors", [space]),
        ("topics", [topics]),
        ("layout", [positions]),
        ("map", [the_map, the_map]),
        ("map of made-up points", [made_up, made_up]),
    ):
        timed(name, corpus, acts)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
