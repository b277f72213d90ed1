"""Results do not depend on the processor: ties are decided by position, not by the last bit of a matrix product."""

import os
import platform
import subprocess
import sys

import numpy as np
import pytest

from corpuskit.relevance.vector_space import untied
from corpuskit.vectors.clustering import cluster
from corpuskit.vectors.neighbours import cosines_of, nearest

# Texts that are alike up to the words: singular values, clusters and neighbours are tied everywhere.
RESULTS = """
import hashlib
import threadpoolctl
from corpuskit.relevance import train
from corpuskit.relevance.sampling import cold_start_queries, suggest
from corpuskit.relevance.vector_space import VectorSpace
from corpuskit.vectors.clustering import cluster_with_stability
from corpuskit.vectors.layout import lay_out
from corpuskit.vectors.making import embedded
from corpuskit.vectors.neighbours import nearest

words = "ship captain anchor sail court judge appeal verdict garden flower tomato soil premium claim insurer risk".split()
texts = [f"{words[i % 16]} {words[(i + 1) % 16]} {words[(i + 2) % 16]} common word{i // 16}" for i in range(64)]
space = VectorSpace.fit(texts)
vectors = embedded(space, texts)
model = train(texts[:16], ["relevant" if i % 4 == 0 else "other" for i in range(16)], space=space)
print({row["architecture"] for row in threadpoolctl.threadpool_info() if "architecture" in row})
print(hashlib.sha256(space.codes.tobytes()).hexdigest(), hashlib.sha256(vectors.tobytes()).hexdigest())
print(nearest(vectors, vectors, 5)[0].tolist(), cluster_with_stability(vectors, 4)[0].tolist(), lay_out(vectors).round(3).tolist())
for seeds in [], ["ship"]:
    print([item.index for item in cold_start_queries(texts, 30, seeds=seeds, space=space)])
print([item.index for item in suggest(model, texts[16:], 12, certain=3)], model.score(texts).round(6).tolist())
"""


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="the kernels are those of x86-64 processors")
def test_symmetrical_texts_have_the_same_results_on_every_processor():
    kernels, results = [], []
    for kernel, threads in ("Sandybridge", "1"), ("Sandybridge", "2"), ("Haswell", "1"), ("Haswell", "2"):
        environment = {**os.environ, "OPENBLAS_CORETYPE": kernel, "OPENBLAS_NUM_THREADS": threads}
        command = [sys.executable, "-c", RESULTS]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        first, *rest = done.stdout.splitlines()
        kernels.append(first)
        results.append(rest)
    if len(set(kernels)) < 2:
        pytest.skip(f"the linear algebra library has one kernel only: {kernels[0]}")
    assert results[1:] == results[:1] * 3


def test_of_equally_near_rows_the_first_ones_are_chosen_and_come_first():
    rows = np.eye(8, dtype=np.float32)
    # The last bit of the cosines differs in either direction, as between processors.
    among = np.repeat(rows[:1], 40, axis=0) * (1 + np.tile([0.0, 1e-7, -1e-7, 2e-7], 10)[:, None]).astype(np.float32)
    places, cosines = nearest(rows[:3], among, 7)
    assert places.tolist() == [list(range(7))] * 3
    assert cosines.tolist() == [[1.0] * 7, [0.0] * 7, [0.0] * 7]


def test_rows_of_zeros_are_near_to_nothing_and_have_no_cosine():
    rows = np.array([[1, 0], [0, 0], [0.6, 0.8]], np.float32)
    places, cosines = nearest(rows, rows, 5)
    assert places.tolist() == [[0, 2], [0, 2], [2, 0]]
    assert np.allclose(cosines, [[1, 0.6], [0, 0], [1, 0.6]])
    assert cosines_of(rows, rows).tolist() == [[1, 0, 0.6], [0, 0, 0], [0.6, 0, 1]]


def test_clusters_of_the_same_size_are_numbered_by_their_first_row():
    rows = np.eye(3, dtype=np.float32)[[2, 0, 1, 0, 2, 1, 1]]
    for seed in range(5):
        assert cluster(rows, 3, seed=seed).tolist() == [1, 2, 0, 2, 1, 0, 0]


def test_equal_rows_stay_equal_and_others_move_by_a_millionth():
    rows = np.array([[1, 0], [0, 1], [1, 0], [0, 1]], np.float32)
    moved = untied(rows)
    assert (moved[0] == moved[2]).all()
    assert (moved[1] == moved[3]).all()
    assert moved[0, 0] - moved[0, 1] != moved[1, 1] - moved[1, 0]
    assert 1e-8 < np.abs(moved - rows).max() < 1e-5
    assert (untied(rows) == moved).all()
