from __future__ import annotations

import builtins
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from corpuskit.errors import MissingExtraError, RelevanceError
from corpuskit.relevance import RelevanceModel, VectorSpace, train

World = tuple[list[str], list[str]]


def test_thirty_labels_tell_the_topics_apart(world: World, model: RelevanceModel) -> None:
    texts, labels = world
    called = model.score(texts[30:]) >= 0.5
    assert np.mean(called == np.array([label == "relevant" for label in labels[30:]])) > 0.98


def test_scores_are_probabilities_in_any_process(world: World, model: RelevanceModel) -> None:
    texts = [*world[0], "", "sea ship harbour fish " * 50_000]
    scores = model.score(texts)
    assert scores.dtype == float
    assert ((scores >= 0) & (scores <= 1)).all()
    assert scores[-1] > 0.5
    assert model.score([]).shape == (0,)
    assert (pickle.loads(pickle.dumps(model)).score(texts) == scores).all()
    with pytest.raises(RelevanceError, match="NoneType as text 1"):
        model.score(["sea", None])  # type: ignore[list-item]
    with pytest.raises(RelevanceError, match="one string"):
        model.score("sea")


def test_a_text_without_a_known_word_is_never_relevant(model: RelevanceModel) -> None:
    assert (model.score(["", "   ", "qwrtz xcvbn 4711"]) < 0.5).all()
    assert model.decide([""]) == ["unknown"]
    assert model.unknown_share(["", "qwrtz"]).tolist() == [1.0, 1.0]


def test_contributions_add_up_to_the_logit(world: World, model: RelevanceModel) -> None:
    for text in [*world[0][:20], "", "sea"]:
        found = model.explain(text)
        assert sum(amount for _, amount in found) == pytest.approx(found.logit, abs=1e-9)
        assert found.logit == pytest.approx(float(model.logits([text])[0]), abs=1e-9)
        assert found.probability == pytest.approx(1 / (1 + np.exp(-found.logit)))
    shares = sorted(model.explain("harbour court people"), key=lambda pair: pair[1])
    assert (shares[0][0], shares[-1][0]) == ("court", "harbour")


@pytest.mark.parametrize(
    ("texts", "labels", "found"),
    [
        (["a b", "c d", "e f"], ["relevant"] * 3, "3 labels 'relevant' and 0 others"),
        (["a b", "c d", "e f"], ["relevant", "relevant", "other"], "2 labels 'relevant' and 1 others"),
        ([], [], "0 labels"),
        ("sea", ["relevant"], "one string"),
        (["a b"], ["relevant", "other"], "1 texts and 2 labels"),
        (["a b"], ["yes"], "label 'yes' at 0"),
        (["a b", "a b"] * 4, ["relevant", "other"] * 4, "8 labels contradict"),
        (["", "", " ", "!"], ["relevant", "relevant", "other", "other"], "found"),
        (["!", "!!", "?", "??"], ["relevant", "relevant", "other", "other"], "no word"),
        (["a b", None, "c"], ["relevant", "other", "other"], "NoneType as text 1"),
    ],
)
def test_labels_that_teach_nothing_are_refused(texts: list[str], labels: list[str], found: str) -> None:
    with pytest.raises(RelevanceError, match=found):
        train(texts, labels)


def test_contradicted_texts_and_unsure_labels_are_left_out_and_counted(world: World) -> None:
    texts, labels = world
    card = train([*texts[:31], texts[0]], [*labels[:30], "unsure", "other"], pool=texts).card
    assert (card.contradicted, card.unsure, card.relevant) == (2, 1, 5)


def test_labels_by_chance_give_no_certainty(world: World) -> None:
    texts, _ = world
    labels = np.random.RandomState(3).choice(["relevant", "other"], 60).tolist()
    scores = train(texts[:60], labels, pool=texts).score(texts[60:])
    assert scores.std() > 0
    assert np.mean((scores > 0.05) & (scores < 0.95)) > 0.9


def test_one_class_against_the_rest(world: World) -> None:
    texts, labels = world
    names = ["sea" if label == "relevant" else ("law" if i % 2 else "tax") for i, label in enumerate(labels)]
    model = train(texts[:40], names[:40], pool=texts, positive="sea")
    assert model.score(["ship harbour fish"])[0] > 0.5 > model.score(["court judge verdict"])[0]


def test_a_space_is_used_again_for_texts_of_its_kind(world: World, model: RelevanceModel) -> None:
    texts, labels = world
    space = VectorSpace.fit(texts)
    assert train(texts[:30], labels[:30], space=space).fingerprint == model.fingerprint
    with pytest.raises(RelevanceError, match="kind 'document'"):
        train(texts[:30], labels[:30], space=space, kind="url")


def test_url_models_learn_folders_and_know_their_hosts(links: World, url_model: RelevanceModel) -> None:
    urls, labels = links
    scores = url_model.score(urls[60:])
    truth = np.array([label == "relevant" for label in labels[60:]])
    assert scores[truth].min() > scores[~truth].max()
    assert url_model.is_seen(["http://www.site3.example/x", "http://new.example/sea/"]) == [True, False]


def test_without_scikit_learn_training_says_what_to_install(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, labels = world
    real = builtins.__import__

    def refuse(name: str, *args: object, **kwargs: object) -> object:
        if name.startswith("sklearn"):
            raise ImportError(name)
        return real(name, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtraError, match=r"corpuskit\[relevance\]"):
        train([*texts[:30], "a text no space was fitted on yet"], [*labels[:30], "other"], pool=texts)


def sites(first: int, last: int) -> tuple[list[str], list[str], list[str]]:
    """Texts about the sea or the law, half of each of words that only their site has; labels and sites."""
    random = np.random.RandomState(first)
    sea = ["sea", "ship", "harbour", "fish", "sailor", "tide", "anchor", "wave"]
    law = ["court", "law", "judge", "tax", "contract", "statute", "appeal", "clause"]
    plain = ["day", "people", "time", "year", "thing", "place", "story", "question"]
    texts, labels, names = [], [], []
    for site in range(first, last):
        label, topic = ("relevant", sea) if site % 3 == 0 else ("other", law)
        own = [f"word{site}x{number}" for number in range(10)]
        for _ in range(6):
            texts.append(" ".join([*random.choice(topic, 2), *random.choice(own, 10), *random.choice(plain, 10)]))
            labels.append(label)
            names.append(f"site{site}.example")
    return texts, labels, names


def test_the_border_between_the_classes_holds_for_sites_without_labels() -> None:
    texts, labels, names = sites(0, 12)
    new, truth, _ = sites(12, 60)
    space = VectorSpace.fit([*texts, *new])
    relevant = np.array([label == "relevant" for label in truth])
    alone, grouped = (train(texts, labels, space=space, groups=groups).score(new) for groups in (None, names))
    assert (np.argsort(alone, kind="stable") == np.argsort(grouped, kind="stable")).all()

    def right(scores: np.ndarray) -> float:
        return (np.mean(scores[relevant] >= 0.5) + np.mean(scores[~relevant] < 0.5)) / 2

    assert right(grouped) > right(alone) + 0.05


def test_labels_of_one_site_alone_are_trained_on_as_if_none_were_named(world: World, model: RelevanceModel) -> None:
    texts, labels = world
    assert train(texts[:30], labels[:30], pool=texts, groups=["a.example"] * 30).fingerprint == model.fingerprint
    with pytest.raises(RelevanceError, match="30 texts and 2 groups"):
        train(texts[:30], labels[:30], pool=texts, groups=["a", "b"])


SCRIPT = """
import sys; sys.path.insert(0, {folder!r})
import numpy as np
from conftest import LAW, SEA, write
from corpuskit.relevance import train
random = np.random.RandomState(7)
labels = ["relevant" if i % 5 == 0 else "other" for i in range(400)]
texts = [write(SEA if label == "relevant" else LAW, random) for label in labels]
urls = [f"http://h{{i % 9}}.example/{{label}}/{{i}}" for i, label in enumerate(labels)]
for kind, pool in (("document", texts), ("url", urls)):
    train(pool[:30], labels[:30], pool=pool, kind=kind).save({target!r} + "/" + kind)
"""


@pytest.mark.slow
def test_processes_write_the_same_bytes_whatever_memory_holds(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    runs = []
    for number, fill in enumerate(("", "85", "170")):
        script = SCRIPT.format(folder=str(request.path.parent), target=f"{tmp_path}/{number}")
        env = {**os.environ, "PYTHONHASHSEED": str(number), **({"MALLOC_PERTURB_": fill} if fill else {})}
        runs.append(subprocess.Popen([sys.executable, "-c", script], env=env))
    assert [run.wait() for run in runs] == [0, 0, 0]
    written = [
        [(file.relative_to(folder), file.read_bytes()) for file in sorted(folder.rglob("*.*"))]
        for folder in sorted(tmp_path.iterdir())
    ]
    assert len(written[0]) == 4
    assert written[0] == written[1] == written[2]


def test_a_saved_space_trains_the_same_model(world: World, links: World, tmp_path: Path) -> None:
    for kind, (texts, labels) in (("document", world), ("url", links)):
        space = VectorSpace.fit(texts, kind=kind)
        space.save(tmp_path / kind)
        again = VectorSpace.load(tmp_path / kind)
        first, second = (train(texts[:30], labels[:30], kind=kind, space=s) for s in (space, again))
        assert first.fingerprint == second.fingerprint


def test_url_explanations_name_host_and_folder(links: World, url_model: RelevanceModel) -> None:
    for url in [*links[0][:5], "http://new.example/sea/", "", "mailto:"]:
        found = url_model.explain(url)
        assert sum(amount for _, amount in found) == pytest.approx(found.logit, abs=1e-9)
        assert found.logit == pytest.approx(float(url_model.logits([url])[0]), abs=1e-9)
    names = [token for token, _ in url_model.explain("https://www.site3.example/sea/day-1.html")]
    assert "pages of host=www.site3.example" in names
    assert "under=www.site3.example/sea" in names


def test_a_host_that_the_pool_shows_to_be_uniform_lifts_its_urls() -> None:
    pool = [
        f"http://{host}{i % 8}.example/{topic}/{i}" for host, topic in (("a", "sea"), ("b", "law")) for i in range(80)
    ]
    labelled = [*pool[:3], *pool[80:86]]  # hosts a0 to a2, and six of b
    model = train(labelled, ["relevant"] * 3 + ["other"] * 6, pool=pool, kind="url")
    lifted, plain = model.score(["http://a7.example/x", "http://zz.other/x"])
    assert lifted > plain


def test_one_topic_word_among_unknown_ones_is_weak_evidence(model: RelevanceModel) -> None:
    alone, drowned = model.score(["sea ship fish", "sea ship fish " + " ".join(f"qwrtz{i}" for i in range(60))])
    assert drowned < alone - 0.1
