"""How many of the nearest documents stay nearest on the map, at what cost; beside other layouts of the same vectors.

    uv run --with umap-learn --with pacmap python benchmarks/map_layout.py --data FOLDER [--sizes 20000 100000]

The folder is that of topics.py. Of larger sets each text is made of words drawn from one of the folder's, with a seed. Prints for
each layout the share of the ten nearest documents (by cosine, of 2,000 documents) that are among the ten nearest on the map, CPU
seconds on one thread, peak memory of its process, and what it adds to an install. ``placed``: nine in ten documents are laid
out, the others placed among them afterwards. A package that is not installed is left out.
"""

# ruff: noqa: E402 - how many threads there are is read when NumPy is loaded
from __future__ import annotations

import os

for name in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ[f"{name}_NUM_THREADS"] = "1"

import argparse
import importlib.metadata
import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

ASKED = 2_000  # documents whose neighbours are counted
NEAR = 10
BASE = {
    "numpy",
    "scipy",
    "scikit-learn",
    "joblib",
    "threadpoolctl",
    "narwhals",
    "packaging",
    "tqdm",
}  # installed anyway


def vectors(texts: list[str], size: int, seed: int = 0) -> np.ndarray:
    """Our vectors of so many texts."""
    from corpuskit.relevance import VectorSpace
    from corpuskit.vectors.making import embedded

    space, words, random = VectorSpace.fit(texts), [text.split() for text in texts], np.random.default_rng(seed)
    if size <= len(texts):
        return embedded(space, texts[:size])
    found = []
    for first in range(0, size, 5_000):
        drawn = [words[random.integers(len(words))] for _ in range(min(5_000, size - first))]
        some = [" ".join(text[at] for at in random.integers(0, len(text), min(len(text), 2_000))) for text in drawn]
        found.append(embedded(space, some))
    return np.concatenate(found)


def ours(matrix):
    """As corpus.positions()."""
    from corpuskit.vectors.layout import lay_out

    return lay_out(matrix)


def placed(matrix):
    """The same for nine in ten documents, the others placed."""
    from corpuskit.vectors.layout import lay_out, place_new

    late = np.arange(len(matrix)) % 10 == 9
    points = np.zeros((len(matrix), 2), np.float32)
    points[~late] = lay_out(matrix[~late])
    points[late] = place_new(matrix[late], matrix[~late], points[~late], [str(row) for row in np.flatnonzero(late)])
    return points


def opentsne(matrix):
    """openTSNE as it comes."""
    from openTSNE import TSNE

    return np.asarray(TSNE(metric="cosine", n_jobs=1, random_state=0).fit(matrix))


def umap(matrix):
    """umap-learn as it comes."""
    from umap import UMAP

    UMAP(random_state=0, n_jobs=1).fit(matrix[:500])  # compiles
    start = time.process_time()
    return UMAP(metric="cosine", random_state=0, n_jobs=1).fit_transform(matrix), time.process_time() - start


def pacmap(matrix):
    """PaCMAP as it comes."""
    from pacmap import PaCMAP

    PaCMAP(random_state=0).fit_transform(matrix[:500])  # compiles
    start = time.process_time()
    return PaCMAP(random_state=0).fit_transform(matrix), time.process_time() - start


def sklearn_tsne(matrix):
    """scikit-learn's t-SNE as it comes."""
    from sklearn.manifold import TSNE

    return TSNE(random_state=0, n_jobs=1).fit_transform(matrix)


LAYOUTS = {
    "corpuskit": (ours, "openTSNE"), "corpuskit, placed": (placed, "openTSNE"), "openTSNE": (opentsne, "openTSNE"),
    "umap-learn": (umap, "umap-learn"), "pacmap": (pacmap, "pacmap"), "scikit-learn t-SNE": (sklearn_tsne, "scikit-learn"),
}  # fmt: skip


def kept(matrix: np.ndarray, points: np.ndarray, only: np.ndarray | None = None) -> float:
    """The share of the nearest by cosine that are nearest on the map."""
    among = np.arange(len(matrix)) if only is None else only
    asked = np.random.RandomState(0).choice(among, min(ASKED, len(among)), replace=False)
    return float(
        np.mean([len(set(a) & set(b)) / NEAR for a, b in zip(_near(matrix, asked), _near(points, asked), strict=True)])
    )


def _near(rows, asked):
    rows = np.asarray(rows, np.float64)
    squares = (rows**2).sum(axis=1)
    found = []
    for first in range(0, len(asked), 200):
        some = asked[first : first + 200]
        distance = squares - 2 * rows[some] @ rows.T
        distance[np.arange(len(some)), some] = np.inf
        found.append(np.argpartition(distance, NEAR, axis=1)[:, :NEAR])
    return np.concatenate(found)


def installed(package: str) -> str:
    """What a package and those it brings take on the disk, and whether its wheel is for one system."""
    waiting, seen = [package], {}
    while waiting:
        name = waiting.pop().lower()
        if name in seen or (name in BASE and name != package):
            continue
        found = importlib.metadata.distribution(name)
        seen[name] = sum(size for file in found.files or () if (size := _size(file)))
        for need in found.requires or ():
            if "extra ==" not in need:
                waiting.append("".join(c if c.isalnum() or c in "-_." else " " for c in need).split()[0].rstrip("."))
    wheel = importlib.metadata.distribution(package).read_text("WHEEL") or ""
    tag = next((line.partition(": ")[2] for line in wheel.splitlines() if line.startswith("Tag")), "?")
    return f"{sum(seen.values()) / 1e6:.0f} MB, {len(seen)} packages, wheel {tag}"


def _size(file):
    try:
        return file.locate().stat().st_size
    except OSError:
        return 0


def measure(name: str, file: str) -> None:
    """One layout, in a process of its own."""
    matrix = np.load(file)
    function, package = LAYOUTS[name]
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            points = function(matrix)
        except ImportError as error:
            print(json.dumps({"missing": str(error)}))
            return
    seconds = time.process_time() - start
    if isinstance(points, tuple):
        points, seconds = points
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    only = np.flatnonzero(np.arange(len(matrix)) % 10 == 9) if name.endswith("placed") else None
    told = {"kept": kept(matrix, points, only), "seconds": seconds, "memory": memory, "install": installed(package)}
    print(json.dumps(told))


def main() -> None:
    """Measure and print."""
    if sys.argv[1:2] == ["--one"]:
        measure(*sys.argv[2:])
        return
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--sizes", type=int, nargs="+", default=[20_000, 100_000])
    options.add_argument(
        "--only", nargs="+", choices=list(LAYOUTS), default=[name for name in LAYOUTS if "scikit" not in name]
    )
    chosen = options.parse_args()
    from topics import read_texts

    texts, _ = read_texts(chosen.data)
    with tempfile.TemporaryDirectory() as folder:
        for size in chosen.sizes:
            file = f"{folder}/{size}.npy"
            np.save(file, vectors(texts, size))
            for name in chosen.only:
                command = [sys.executable, __file__, "--one", name, file]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                told = json.loads(done.stdout.splitlines()[-1])
                if "missing" in told:
                    print(f"{size:7,} {name:18} not installed ({told['missing']})", flush=True)
                    continue
                print(
                    f"{size:7,} {name:18} kept {told['kept']:.3f}, {told['seconds']:6.1f} s CPU, {told['memory']:5,.0f} MB; adds {told['install']}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
