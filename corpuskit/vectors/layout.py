"""The layout of the map: a place in the plane for each document, near the places of documents that are like it."""

from __future__ import annotations

import contextlib
from collections.abc import Set
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from corpuskit.safe_folder import SafeFolder
from corpuskit.store import CorpusFolder
from corpuskit.vectors import records
from corpuskit.vectors.making import OWN, Floats, room_of, vectors_of
from corpuskit.vectors.neighbours import nearest

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["forget_positions", "lay_out", "place", "positions"]

_FILE: Final = "layout.pos"
_RECORD: Final = np.dtype([("doc_id", "S16"), ("x", "<f4"), ("y", "<f4")])
_FEW: Final = 50  # documents; a map of fewer says too little to be held to it
_NEIGHBOURS: Final = 5


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
        Columns doc_id (str), x, y (float32), by host and URI, of all documents that have a vector. The middle is 0, and nine
        in ten documents lie within 1 of it.

    Raises:
        ConfigurationError: there are no vectors of this name.
        CorpusError: something else stands in their place.
    """
    import pandas as pd

    vectors, room = vectors_of(folder, name), room_of(folder, name)
    kept = None if renew else _read(room)
    place_of = {} if kept is None else {doc_id: number for number, doc_id in enumerate(records.doc_ids_of(kept))}
    known = np.array([place_of.get(doc_id, -1) for doc_id in vectors.doc_ids], np.int64)
    points = np.zeros((len(vectors), 2), np.float32)
    old = known >= 0
    if kept is None or old.sum() < min(_FEW, len(vectors)):
        points = lay_out(vectors.matrix, seed=seed)
    else:
        points[old] = np.column_stack([kept["x"], kept["y"]])[known[old]]
        points[~old] = place(vectors.matrix[~old], vectors.matrix[old], points[old])
    if kept is None or not old.all() or len(kept) != len(vectors):
        rows = np.zeros(len(vectors), _RECORD)
        rows["doc_id"] = [doc_id.encode() for doc_id in vectors.doc_ids]
        rows["x"], rows["y"] = points[:, 0], points[:, 1]
        with contextlib.suppress(OSError):  # a disk that cannot be written: it is made again next time
            records.write(room, _FILE, rows)
    return pd.DataFrame({"doc_id": pd.array(list(vectors.doc_ids), dtype="str"), "x": points[:, 0], "y": points[:, 1]})


def lay_out(matrix: Floats, *, seed: int = 0) -> Floats:
    """Return a place in the plane for each row: the two directions in which the rows differ most."""
    if not len(matrix):
        return np.zeros((0, 2), np.float32)
    middle = matrix.mean(axis=0)
    centred = matrix - middle
    _, _, axes = np.linalg.svd(centred.T @ centred)
    found = np.zeros((len(matrix), 2), np.float32)
    found[:, : len(axes[:2])] = centred @ axes[:2].T
    return scaled(found)


def place(new: Floats, old: Floats, points: Floats) -> Floats:
    """Return a place for each new row: amid those of the old rows that are most like it."""
    if not len(new):
        return np.zeros((0, 2), np.float32)
    near, _ = nearest(new, old, min(_NEIGHBOURS, len(old)))
    middle: Floats = np.median(points[near], axis=1).astype(np.float32)
    return middle


def scaled(points: npt.NDArray[Any]) -> Floats:
    """The points around 0, nine in ten of them within 1."""
    centred = points - np.median(points, axis=0)
    reach = float(np.quantile(np.linalg.norm(centred, axis=1), 0.9)) or float(np.abs(centred).max()) or 1.0
    whole: Floats = (centred / reach).astype(np.float32)
    return whole


def forget_positions(room: SafeFolder, gone: Set[str]) -> None:
    """Take documents out of the layout."""
    kept = _read(room)
    if kept is None:
        room.remove(_FILE)
        return
    stay = np.array([doc_id not in gone for doc_id in records.doc_ids_of(kept)], np.bool_)
    if not stay.all():
        records.write(room, _FILE, kept[stay])


def _read(room: SafeFolder) -> npt.NDArray[Any] | None:
    kept = records.read(room, _FILE, _RECORD)
    if kept is None or not (np.isfinite(kept["x"]).all() and np.isfinite(kept["y"]).all()):
        return None
    return kept
