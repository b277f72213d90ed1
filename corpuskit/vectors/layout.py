"""Layout of the map: two-dimensional positions in which similar documents are close."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from corpuskit.errors import MissingExtraError
from corpuskit.relevance.vector_space import comparable, one_thread, untied
from corpuskit.safe_folder import SafeFolder
from corpuskit.store import CorpusFolder
from corpuskit.vectors import records
from corpuskit.vectors.making import OWN, Floats, vectors_folder, vectors_of
from corpuskit.vectors.neighbours import nearest

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FILE", "lay_out", "place_new", "positions", "read", "remove_documents"]

FILE: Final = "layout.pos"
_RECORD: Final = np.dtype([("doc_id", "S16"), ("x", "<f4"), ("y", "<f4"), ("placed", "<u4")])
_NEIGHBOURS: Final = 5
_MIN_OFFSET, _MAX_OFFSET = 0.005, 0.05  # of the map, which has a width of 2
_MIN_DOCUMENTS: Final = 5  # distinct documents for t-SNE
_MIN_APPROXIMATE: Final = 1000  # documents from which neighbours are approximate
_PERPLEXITY: Final = 15
_EARLY, _STEPS = 150, 250


def positions(folder: CorpusFolder, name: str = OWN, *, renew: bool = False, seed: int = 0) -> pd.DataFrame:
    """Return the map positions of all documents with a vector; see ``corpus.vectors.positions()``.

    Args:
        folder: The corpus.
        name: Name of the vectors.
        renew: Compute the layout again.
        seed: Seed of the layout.

    Returns:
        Columns doc_id (str), x, y (float32), by host and URI. ``attrs["placed"]`` is the number of documents added later.
    """
    import pandas as pd

    vectors, subfolder = vectors_of(folder, name), vectors_folder(folder, name)
    stored = None if renew else read(subfolder)
    row_of = {} if stored is None else {doc_id: number for number, doc_id in enumerate(records.doc_ids_of(stored))}
    known = np.array([row_of.get(doc_id, -1) for doc_id in vectors.doc_ids], np.int64)
    points, placed = np.zeros((len(vectors), 2), np.float32), np.zeros(len(vectors), np.uint32)
    old = known >= 0
    if stored is None or old.sum() < min(_MIN_DOCUMENTS, len(vectors)):
        points = lay_out(vectors.matrix, seed=seed)
    else:
        points[old] = np.column_stack([stored["x"], stored["y"]])[known[old]]
        new = [doc_id for doc_id, is_old in zip(vectors.doc_ids, old.tolist(), strict=True) if not is_old]
        points[~old] = place_new(vectors.matrix[~old], vectors.matrix[old], points[old], new)
        placed[old], placed[~old] = stored["placed"][known[old]], 1
    if renew or stored is None or not old.all() or len(stored) != len(vectors):
        rows = np.zeros(len(vectors), _RECORD)
        rows["doc_id"] = [doc_id.encode() for doc_id in vectors.doc_ids]
        rows["x"], rows["y"], rows["placed"] = points[:, 0], points[:, 1], placed
        with contextlib.suppress(OSError):  # a read-only disk: the layout is recomputed next time
            records.write(subfolder, FILE, rows)
    ids = pd.array(list(vectors.doc_ids), dtype="str")
    result = pd.DataFrame({"doc_id": ids, "x": points[:, 0], "y": points[:, 1]})
    result.attrs["placed"] = int(placed.sum())
    return result


def lay_out(matrix: Floats, *, seed: int = 0) -> Floats:
    """Return two-dimensional positions of the rows by t-SNE, initialized with the first two principal axes.

    Perplexity 15 and 400 steps: on 20,000 documents 750 steps preserve .002 more of the ten nearest neighbours and take three times as long
    (2026-11-23, benchmarks/map_layout.py).

    Raises:
        MissingExtraError: Neither openTSNE nor scikit-learn is installed.
    """
    flat = _principal_plane(matrix)
    if len(np.unique(flat, axis=0)) < _MIN_DOCUMENTS:
        return scaled(flat)
    # t-SNE needs small initial coordinates.
    beginning = flat.astype(np.float64) / max(float(flat.std()), 1e-9) * 1e-4
    perplexity = min(_PERPLEXITY, (len(matrix) - 1) / 3)
    with one_thread():
        try:
            import openTSNE
        except ImportError:
            return scaled(_by_scikit_learn(matrix, beginning, perplexity, seed))
        is_large = len(matrix) >= _MIN_APPROXIMATE
        affinities = openTSNE.affinity.PerplexityBasedNN(
            matrix if is_large else None,
            perplexity=perplexity,
            metric="euclidean",
            method="annoy",
            knn_index=None if is_large else _neighbours(matrix, int(3 * perplexity)),
            n_jobs=1,
            random_state=seed,
        )
        model = openTSNE.TSNE(
            early_exaggeration_iter=_EARLY,
            n_iter=_STEPS,
            negative_gradient_method="fft" if is_large else "bh",
            n_jobs=1,
            random_state=seed,
        )
        return scaled(np.asarray(model.fit(affinities=affinities, initialization=beginning)))


def _neighbours(matrix: Floats, n: int) -> Any:
    """Return nearest neighbours by distances equal on every processor. t-SNE amplifies a difference in the last bit."""
    import openTSNE
    from scipy.spatial.distance import cdist

    distances = comparable(cdist(matrix, matrix))
    np.fill_diagonal(distances, np.inf)
    neighbours = np.argsort(distances, axis=1, kind="stable")[:, :n]
    return openTSNE.nearest_neighbors.PrecomputedNeighbors(neighbours, np.take_along_axis(distances, neighbours, 1))


def _by_scikit_learn(matrix: Floats, beginning: npt.NDArray[Any], perplexity: float, seed: int) -> npt.NDArray[Any]:
    """Compute t-SNE by scikit-learn, which is several times slower: openTSNE does not have wheels for every system."""
    try:
        from sklearn.manifold import TSNE
    except ImportError as error:
        raise MissingExtraError("openTSNE", "map") from error
    positions: npt.NDArray[Any] = TSNE(
        perplexity=perplexity, init=beginning, random_state=seed, n_jobs=1
    ).fit_transform(matrix)
    return positions


def _principal_plane(matrix: Floats) -> Floats:
    """Return the projection of the rows on their first two principal axes."""
    projected = np.zeros((len(matrix), 2), np.float32)
    if len(matrix):
        centred = untied(matrix)
        centred -= centred.mean(axis=0)
        with one_thread():
            _, _, axes = np.linalg.svd(centred.T @ centred)
            # The sign of an axis depends on the machine. Make its largest component positive.
            largest = comparable(np.abs(axes[:2])).argmax(axis=1)
            axes = axes[:2] * np.sign(axes[np.arange(len(axes[:2])), largest])[:, None]
            projected[:, : len(axes)] = comparable(centred @ axes.T)
    return projected


def place_new(new: Floats, old: Floats, points: Floats, doc_ids: Sequence[str]) -> Floats:
    """Return a position for each new row: the median of the positions of its nearest old rows.

    Documents with the same neighbours would overlap. Each is moved by an offset derived from its id, so its position does not
    depend on the other new documents.

    Args:
        new: Rows of length one, or zeros.
        old: Rows with a position.
        points: Positions of the old rows.
        doc_ids: Ids of the new rows.
    """
    if not len(new):
        return np.zeros((0, 2), np.float32)
    neighbours, cosines = nearest(new, old, _NEIGHBOURS)
    positions: Floats = np.zeros((len(new), 2), np.float32)
    is_similar = cosines.max(axis=1, initial=0.0) > 0  # a row without neighbours is placed at the origin
    positions[is_similar] = np.median(points[neighbours[is_similar]], axis=1)
    reach = np.full(len(new), _MAX_OFFSET)
    reach[is_similar] = (
        np.linalg.norm(points[neighbours[is_similar]] - positions[is_similar][:, None], axis=2).mean(axis=1) / 2
    )
    positions += _offsets(doc_ids) * np.clip(reach, _MIN_OFFSET, _MAX_OFFSET)[:, None].astype(np.float32)
    return positions


def _offsets(doc_ids: Sequence[str]) -> Floats:
    """Return a point of the unit disc for each document, uniformly distributed."""
    digests = [hashlib.sha256(doc_id.encode("utf-8", "replace")).digest() for doc_id in doc_ids]
    turn, radius = (
        np.array([int.from_bytes(digest[at : at + 4], "big") for digest in digests]) / 2**32 for at in (0, 4)
    )
    angle = 2 * np.pi * turn
    offsets: Floats = (np.sqrt(radius)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])).astype(np.float32)
    return offsets


def scaled(points: npt.NDArray[Any]) -> Floats:
    """Return the points centred at 0 and scaled, so nine in ten are within a radius of 1."""
    if not len(points):
        return np.zeros((0, 2), np.float32)
    centred = points - np.median(points, axis=0)
    reach = float(np.quantile(np.linalg.norm(centred, axis=1), 0.9)) or float(np.abs(centred).max()) or 1.0
    result: Floats = (centred / reach).astype(np.float32)
    return result


def remove_documents(folder: SafeFolder, removed: Set[str]) -> None:
    """Remove documents from the stored layout."""
    stored = read(folder)
    if stored is None:
        folder.remove(FILE)
        return
    stay = np.array([doc_id not in removed for doc_id in records.doc_ids_of(stored)], np.bool_)
    if not stay.all():
        records.write(folder, FILE, stored[stay])


def read(folder: SafeFolder) -> npt.NDArray[Any] | None:
    """Return the stored positions, or None if they are missing or damaged."""
    stored = records.read(folder, FILE, _RECORD)
    if stored is None or not (np.isfinite(stored["x"]).all() and np.isfinite(stored["y"]).all()):
        return None
    return stored
