from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from corpuskit.errors import RelevanceError
from corpuskit.relevance import CorpusModel, RelevanceModel, train

World = tuple[list[str], list[str]]


def test_a_loaded_model_scores_and_explains_as_before(world: World, model: RelevanceModel, tmp_path: Path) -> None:
    model.save(tmp_path / "m")
    again = RelevanceModel.load(tmp_path / "m")
    assert (again.score(world[0]) == model.score(world[0])).all()
    assert again.explain(world[0][0]) == model.explain(world[0][0])
    assert again.card == model.card
    assert again.query_boundary == model.query_boundary != 0.0


def test_a_model_of_an_earlier_version_scores_as_it_did() -> None:
    """Saved before models had directions, with the scores it gave then."""
    old = RelevanceModel.load(Path(__file__).parent / "data" / "model-without-directions")
    assert old.fingerprint == "6ffe76df46d9a8f3"
    scores = old.score(["sea ship day", "court law day", "time"])
    assert scores.tolist() == pytest.approx([0.9704083781342353, 0.026957054463938406, 0.44119597270072525], abs=1e-12)
    assert old.query_boundary == 0.0


def test_directions_that_are_not_one_a_word_are_refused(model: RelevanceModel, tmp_path: Path) -> None:
    [table] = model.tables
    assert table.lsa is not None
    cut = replace(table, lsa=replace(table.lsa, vectors=table.lsa.vectors[1:]))
    replace(model, tables=(cut,)).save(tmp_path)
    with pytest.raises(RelevanceError, match="one vector per word"):
        RelevanceModel.load(tmp_path)


def files_in(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_saving_the_same_model_twice_gives_the_same_bytes(model: RelevanceModel, tmp_path: Path) -> None:
    for name in ("a", "b"):
        model.save(tmp_path / name)
    assert files_in(tmp_path / "a") == files_in(tmp_path / "b")


def test_saving_over_a_model_leaves_only_the_new_one(world: World, model: RelevanceModel, tmp_path: Path) -> None:
    model.save(tmp_path)
    other = train(world[0][:60], world[1][:60], pool=world[0])
    other.save(tmp_path)
    assert RelevanceModel.load(tmp_path).fingerprint == other.fingerprint
    assert len(list(tmp_path.iterdir())) == 2


def _edit_arrays(edit: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda folder: [file.write_bytes(edit(file.read_bytes())) for file in folder.glob("*.npz")]


def _edit(**changes: object) -> Callable[[Path], object]:
    def edit(folder: Path) -> None:
        meta = json.loads((folder / "model.json").read_text())
        (folder / "model.json").write_text(json.dumps({**meta, **changes}))

    return edit


@pytest.mark.parametrize(
    "damage",
    [
        _edit_arrays(lambda raw: raw[:-100]),
        _edit_arrays(lambda raw: raw[: len(raw) // 2] + bytes([raw[len(raw) // 2] ^ 0xFF]) + raw[len(raw) // 2 + 1 :]),
        lambda folder: next(folder.glob("*.npz")).unlink(),
        lambda folder: (folder / "model.json").unlink(),
        lambda folder: (folder / "model.json").write_text("{"),
        lambda folder: (folder / "model.json").write_text("[]"),
        _edit(format=99),
        _edit(tokenizer_version=99),
        _edit(tables=[{"tokenizer": "document", "bias": 0.5, "best": 100}]),
        _edit(tables=[{"tokenizer": "document", "bias": None, "best": 100}]),
        _edit(card={}),
        _edit(file="../x.npz"),
        _edit(tables=["document", "document"]),
        _edit(tables=[]),
    ],
)
def test_a_damaged_folder_is_refused(model: RelevanceModel, tmp_path: Path, damage: Callable[[Path], object]) -> None:
    model.save(tmp_path)
    damage(tmp_path)
    with pytest.raises(RelevanceError, match=str(tmp_path)):
        RelevanceModel.load(tmp_path)


def test_a_pickle_in_the_folder_is_not_executed(model: RelevanceModel, tmp_path: Path) -> None:
    model.save(tmp_path)
    evil = tmp_path / "evil.npz"
    np.savez(evil, **{"0_bytes": np.array([object()], object)}, allow_pickle=True)
    meta = json.loads((tmp_path / "model.json").read_text())
    meta |= {"file": "evil.npz", "sha256": hashlib.sha256(evil.read_bytes()).hexdigest()}
    (tmp_path / "model.json").write_text(json.dumps(meta))
    with pytest.raises(RelevanceError, match="damaged"):
        RelevanceModel.load(tmp_path)


def test_a_saved_model_scores_without_scikit_learn(model: RelevanceModel, tmp_path: Path) -> None:
    model.save(tmp_path)
    script = (
        "import sys\n"
        "for name in ('sklearn', 'scipy', 'pandas'): sys.modules[name] = None\n"
        "from corpuskit.relevance import RelevanceModel\n"
        f"print(RelevanceModel.load({str(tmp_path)!r}).score(['sea ship harbour'])[0] > 0.5)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


def test_a_corpus_model_survives_saving(
    world: World, links: World, model: RelevanceModel, url_model: RelevanceModel, tmp_path: Path
) -> None:
    both = CorpusModel(document=model, url=url_model, version="2024-03")
    both.save(tmp_path)
    again = CorpusModel.load(tmp_path)
    assert again.version == "2024-03"
    assert (again.score(world[0][:9]) == both.score(world[0][:9])).all()
    assert (again.score_urls(links[0][:9]) == both.score_urls(links[0][:9])).all()


def test_a_corpus_model_without_urls_says_so(model: RelevanceModel, tmp_path: Path) -> None:
    alone = CorpusModel(document=model, version="1")
    with pytest.raises(RelevanceError, match="no model of URLs"):
        alone.score_urls(["http://a.example/"])
    assert "not certified" in repr(alone)
    alone.save(tmp_path)
    assert CorpusModel.load(tmp_path).url is None


def test_models_of_two_trainings_are_not_taken_for_one(world: World, model: RelevanceModel, tmp_path: Path) -> None:
    CorpusModel(document=model).save(tmp_path)
    train(world[0][:60], world[1][:60], pool=world[0]).save(tmp_path / "document")
    with pytest.raises(RelevanceError, match="belong to different trainings"):
        CorpusModel.load(tmp_path)
