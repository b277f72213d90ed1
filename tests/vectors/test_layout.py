"""The layout of the map."""

from pathlib import Path

import numpy as np
import pytest

from corpuskit.errors import CorpusError
from corpuskit.vectors import layout
from corpuskit.vectors.layout import lay_out, place_new
from corpuskit.vectors.making import unit


def islands(sizes, seed=0):
    """Rows around directions that are orthogonal, and the island of each."""
    random = np.random.default_rng(seed)
    of = np.repeat(np.arange(len(sizes)), sizes)
    rows = np.eye(len(sizes), 12)[of] + random.normal(0, 0.05, (len(of), 12))
    return unit(rows), of


def nearest_islands(points, of, among=None, of_among=None):
    among, of_among = points if among is None else among, of if of_among is None else of_among
    distance = ((points[:, None] - among[None]) ** 2).sum(axis=2)
    if among is points:
        np.fill_diagonal(distance, np.inf)
    return of_among[distance.argmin(axis=1)]


@pytest.fixture(params=["few", "many"])
def way(request, monkeypatch):
    """Few documents are compared one by one, many by a tree and a grid."""
    monkeypatch.setattr(layout, "_MIN_APPROXIMATE", 1000 if request.param == "few" else 20)
    monkeypatch.setattr(layout, "_STEPS", 100)


@pytest.mark.slow
def test_documents_that_are_alike_stand_together(way):
    rows, of = islands((40, 30, 20))
    points = lay_out(rows)
    assert points.dtype == np.float32
    assert (nearest_islands(points, of) == of).all()
    inside = np.linalg.norm(points, axis=1) <= 1 + 1e-5
    assert inside.sum() == 81  # nine in ten of 90


@pytest.mark.slow
def test_the_same_documents_and_seed_give_the_same_map(way):
    rows, _ = islands((40, 30))
    assert (lay_out(rows, seed=3) == lay_out(rows, seed=3)).all()


def test_without_opentsne_the_map_is_laid_out_all_the_same(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "openTSNE", None)
    rows, of = islands((40, 30, 20))
    assert (nearest_islands(lay_out(rows), of) == of).all()


def test_a_document_is_placed_among_those_it_is_like():
    rows, of = islands((40, 30, 20))
    points = lay_out(rows[::2])
    late = place_new(rows[1::2], rows[::2], points, [f"late{i}" for i in range(45)])
    assert (nearest_islands(late, of[1::2], points, of[::2]) == of[1::2]).all()


def test_what_is_like_nothing_stands_in_the_middle():
    rows, _ = islands((40, 30))
    late = place_new(np.zeros((20, 12), np.float32), rows, lay_out(rows), [f"late{i}" for i in range(20)])
    assert np.linalg.norm(late, axis=1).max() <= 0.05
    assert len(np.unique(late, axis=0)) == 20


def test_documents_with_the_same_neighbours_stand_beside_each_other_whatever_comes_with_them():
    rows, _ = islands((40, 30))
    points, same = lay_out(rows), np.repeat(rows[:1], 50, axis=0)
    ids = [f"late{i}" for i in range(50)]
    late = place_new(same, rows, points, ids)
    assert len(np.unique(late.round(4), axis=0)) == 50
    assert np.linalg.norm(late - late.mean(axis=0), axis=1).max() < 0.1
    alone = place_new(same[:1], rows, points, ids[7:8])
    assert alone.tolist() == late[7:8].tolist()


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 7])
def test_few_documents_have_a_place(n):
    points = lay_out(np.eye(8, dtype=np.float32)[:n])
    assert points.shape == (n, 2)
    assert np.isfinite(points).all()


def test_equal_documents_have_a_place():
    points = lay_out(np.ones((60, 3), np.float32))
    assert np.isfinite(points).all()


@pytest.mark.slow
def test_new_documents_are_placed_without_moving_the_old(three, pages, subject_of):
    before = three.positions()
    assert list(before.columns) == ["doc_id", "title", "uri", "x", "y"]
    assert [str(kind) for kind in before.dtypes] == ["str", "str", "str", "float32", "float32"]
    assert before["doc_id"].tolist() == three.documents()["doc_id"].tolist()
    for i in range(3):
        pages.write("rocket", f"late{i}", "rocket orbit moon launch engine satellite")
    three.add(pages.folder, progress=False)
    after = three.positions()
    assert len(after) == 33
    both = after[after["doc_id"].isin(before["doc_id"])].reset_index(drop=True)
    assert both.equals(before)
    late = after[~after["doc_id"].isin(before["doc_id"])]
    of = np.array([subject_of(doc_id) for doc_id in before["doc_id"]])
    near = nearest_islands(late[["x", "y"]].to_numpy(), None, before[["x", "y"]].to_numpy(), of)
    assert near.tolist() == ["rocket"] * 3
    assert three.positions().equals(after)
    assert (before.attrs["placed"], after.attrs["placed"], three.positions().attrs["placed"]) == (0, 3, 3)


def test_the_map_is_laid_out_anew_when_asked(three, pages):
    three.positions()
    pages.write("rocket", "late", "rocket orbit")
    three.add(pages.folder, progress=False)
    placed = three.positions()
    anew = three.positions(renew=True)
    assert not anew.equals(placed)
    assert three.positions().equals(anew)
    assert (placed.attrs["placed"], anew.attrs["placed"]) == (1, 0)


def test_a_map_stays_when_the_space_of_the_corpus_is_made_anew(corpus, pages):
    for i in range(6):
        pages.write("garden", f"g{i}", "garden tomato soil")
    corpus.add(pages.folder, progress=False)
    before = corpus.positions()
    for i in range(20):
        pages.write("rocket", f"r{i}", "rocket orbit moon")
    corpus.add(pages.folder, progress=False)
    after = corpus.positions().set_index("doc_id").loc[before["doc_id"]].reset_index()
    assert after.equals(before)


LAYOUT = "vectors/corpus/layout.pos"


def _nan(file):
    import hashlib

    content = bytearray(file.read_bytes())
    content[-8:-4] = np.array([np.nan], "<f4").tobytes()
    content[32:64] = hashlib.sha256(content[64:]).digest()
    file.write_bytes(bytes(content))


@pytest.mark.parametrize(
    "damage",
    [
        lambda f: f.write_bytes(f.read_bytes()[:-7]),
        lambda f: f.write_bytes(b"x" * 900),
        lambda f: f.write_bytes(b""),
        _nan,
    ],
)
def test_a_damaged_layout_is_told_and_made_again(three, damage):
    before = three.positions()
    damage(Path(three.path) / LAYOUT)
    assert [problem.where for problem in three.check()] == [LAYOUT]
    assert three.positions().equals(before)  # of the same documents
    assert three.check() == []


def test_a_link_in_the_place_of_the_layout_is_told(three, tmp_path):
    three.positions()
    file = Path(three.path) / LAYOUT
    file.rename(tmp_path / "outside.pos")
    file.symlink_to(tmp_path / "outside.pos")
    with pytest.raises(CorpusError, match=r"layout\.pos"):
        three.positions()
