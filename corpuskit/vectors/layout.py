"""The layout of the map: a place in the plane for each document, near the places of documents that are like it."""

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
from corpuskit.vectors.making import OWN, Floats, room_of, vectors_of
from corpuskit.vectors.neighbours import nearest

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FILE", "forget_positions", "lay_out", "place", "positions", "read"]

FILE: Final = "layout.pos"
_RECORD: Final = np.dtype([("doc_id", "S16"), ("x", "<f4"), ("y", "<f4"), ("placed", "<u4")])
_NEIGHBOURS: Final = 5
_NEAREST_ASIDE, _FARTHEST_ASIDE = 0.005, 0.05  # of the map, which is 2 wide
_FEWEST: Final = 5  # different documents; fewer are no map yet
_MANY: Final = 1000  # documents; fewer are compared one by one
_PERPLEXITY: Final = 15
_EARLY, _STEPS = 150, 250


def positions(folder: CorpusFolder, name: str = OWN, *, renew: bool = False, seed: int = 0) -> pd.DataFrame:
    """Return where each document stands on the map.

    The layout is made once and kept; documents that came later are placed among those that are like them, and none of the
    others moves. Same documents and seed, same layout.

    Args:
        folder: the corpus.
        name: of the vectors.
        renew: lays out all documents anew.
        seed: of the layout.

    Returns:
        Columns doc_id (str), x, y (float32), by host and URI, of all documents that have a vector. When it is laid out, the
        middle is 0, and nine in ten documents lie within 1 of it. ``attrs["placed"]`` is how many came later: where they are
        many, ``renew=True`` gives them room.

    Raises:
        ConfigurationError: there are no vectors of this name.
        CorpusError: something else stands in their place.
    """
    import pandas as pd

    vectors, room = vectors_of(folder, name), room_of(folder, name)
    kept = None if renew else read(room)
    place_of = {} if kept is None else {doc_id: number for number, doc_id in enumerate(records.doc_ids_of(kept))}
    known = np.array([place_of.get(doc_id, -1) for doc_id in vectors.doc_ids], np.int64)
    points, placed = np.zeros((len(vectors), 2), np.float32), np.zeros(len(vectors), np.uint32)
    old = known >= 0
    if kept is None or old.sum() < min(_FEWEST, len(vectors)):
        points = lay_out(vectors.matrix, seed=seed)
    else:
        points[old] = np.column_stack([kept["x"], kept["y"]])[known[old]]
        new = [doc_id for doc_id, is_old in zip(vectors.doc_ids, old.tolist(), strict=True) if not is_old]
        points[~old] = place(vectors.matrix[~old], vectors.matrix[old], points[old], new)
        placed[old], placed[~old] = kept["placed"][known[old]], 1
    if renew or kept is None or not old.all() or len(kept) != len(vectors):
        rows = np.zeros(len(vectors), _RECORD)
        rows["doc_id"] = [doc_id.encode() for doc_id in vectors.doc_ids]
        rows["x"], rows["y"], rows["placed"] = points[:, 0], points[:, 1], placed
        with contextlib.suppress(OSError):  # a disk that cannot be written: it is made again next time
            records.write(room, FILE, rows)
    ids = pd.array(list(vectors.doc_ids), dtype="str")
    found = pd.DataFrame({"doc_id": ids, "x": points[:, 0], "y": points[:, 1]})
    found.attrs["placed"] = int(placed.sum())
    return found


def lay_out(matrix: Floats, *, seed: int = 0) -> Floats:
    """Return a place in the plane for each row: t-SNE, which begins with the two directions in which the rows differ most.

    Perplexity 15 and 400 steps: on 20,000 documents 750 steps keep .002 more of the ten nearest in three times the time
    (2026-11-23, benchmarks/map_layout.py).

    Raises:
        MissingExtraError: neither openTSNE nor scikit-learn is installed.
    """
    flat = _flat(matrix)
    if len(np.unique(flat, axis=0)) < _FEWEST:
        return scaled(flat)
    # A small beginning, as t-SNE wants it.
    beginning = flat.astype(np.float64) / max(float(flat.std()), 1e-9) * 1e-4
    perplexity = min(_PERPLEXITY, (len(matrix) - 1) / 3)
    with one_thread():
        try:
            import openTSNE
        except ImportError:
            return scaled(_by_scikit_learn(matrix, beginning, perplexity, seed))
        is_large = len(matrix) >= _MANY
        alike = openTSNE.affinity.PerplexityBasedNN(
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
        return scaled(np.asarray(model.fit(affinities=alike, initialization=beginning)))


def _neighbours(matrix: Floats, n: int) -> Any:
    """The nearest rows of each row, by distances that do not depend on the processor: t-SNE enlarges a last bit to a map."""
    import openTSNE
    from scipy.spatial.distance import cdist

    distances = comparable(cdist(matrix, matrix))
    np.fill_diagonal(distances, np.inf)
    places = np.argsort(distances, axis=1, kind="stable")[:, :n]
    return openTSNE.nearest_neighbors.PrecomputedNeighbors(places, np.take_along_axis(distances, places, 1))


def _by_scikit_learn(matrix: Floats, beginning: npt.NDArray[Any], perplexity: float, seed: int) -> npt.NDArray[Any]:
    """The same, in several times the time: openTSNE has no wheel for every system."""
    try:
        from sklearn.manifold import TSNE
    except ImportError as error:
        raise MissingExtraError("openTSNE", "map") from error
    found: npt.NDArray[Any] = TSNE(perplexity=perplexity, init=beginning, random_state=seed, n_jobs=1).fit_transform(
        matrix
    )
    return found


def _flat(matrix: Floats) -> Floats:
    """The rows along the two directions in which they differ most."""
    found = np.zeros((len(matrix), 2), np.float32)
    if len(matrix):
        centred = untied(matrix)
        centred -= centred.mean(axis=0)
        with one_thread():
            _, _, axes = np.linalg.svd(centred.T @ centred)
            # The sign of an axis is an accident of the machine: its largest number is above 0.
            largest = comparable(np.abs(axes[:2])).argmax(axis=1)
            axes = axes[:2] * np.sign(axes[np.arange(len(axes[:2])), largest])[:, None]
            found[:, : len(axes)] = comparable(centred @ axes.T)
    return found


def place(new: Floats, old: Floats, points: Floats, doc_ids: Sequence[str]) -> Floats:
    """Return a place for each new row: amid those of the old rows that are most like it.

    Documents with the same neighbours would stand on each other: each goes some way aside, where its id says, so that it
    stands there whatever comes with it.

    Args:
        new: rows of length one, or zeros.
        old: those that have a place.
        points: these places.
        doc_ids: of the new rows.
    """
    if not len(new):
        return np.zeros((0, 2), np.float32)
    near, cosines = nearest(new, old, _NEIGHBOURS)
    found: Floats = np.zeros((len(new), 2), np.float32)
    like = cosines.max(axis=1, initial=0.0) > 0  # what is like nothing stands in the middle
    found[like] = np.median(points[near[like]], axis=1)
    reach = np.full(len(new), _FARTHEST_ASIDE)
    reach[like] = np.linalg.norm(points[near[like]] - found[like][:, None], axis=2).mean(axis=1) / 2
    found += _aside(doc_ids) * np.clip(reach, _NEAREST_ASIDE, _FARTHEST_ASIDE)[:, None].astype(np.float32)
    return found


def _aside(doc_ids: Sequence[str]) -> Floats:
    """A point within 1 of the middle for each document, all over the disc."""
    drawn = [hashlib.sha256(doc_id.encode("utf-8", "replace")).digest() for doc_id in doc_ids]
    turn, far = (np.array([int.from_bytes(one[at : at + 4], "big") for one in drawn]) / 2**32 for at in (0, 4))
    angle = 2 * np.pi * turn
    aside: Floats = (np.sqrt(far)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])).astype(np.float32)
    return aside


def scaled(points: npt.NDArray[Any]) -> Floats:
    """The points around 0, nine in ten of them within 1."""
    if not len(points):
        return np.zeros((0, 2), np.float32)
    centred = points - np.median(points, axis=0)
    reach = float(np.quantile(np.linalg.norm(centred, axis=1), 0.9)) or float(np.abs(centred).max()) or 1.0
    whole: Floats = (centred / reach).astype(np.float32)
    return whole


def forget_positions(room: SafeFolder, gone: Set[str]) -> None:
    """Take documents out of the layout."""
    kept = read(room)
    if kept is None:
        room.remove(FILE)
        return
    stay = np.array([doc_id not in gone for doc_id in records.doc_ids_of(kept)], np.bool_)
    if not stay.all():
        records.write(room, FILE, kept[stay])


def read(room: SafeFolder) -> npt.NDArray[Any] | None:
    """Return the places that are kept; None where they are absent or damaged."""
    kept = records.read(room, FILE, _RECORD)
    if kept is None or not (np.isfinite(kept["x"]).all() and np.isfinite(kept["y"]).all()):
        return None
    return kept
