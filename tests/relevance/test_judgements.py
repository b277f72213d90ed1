"""What labels teach: own labels, rules for hosts, classes of one's own, seed words."""

from collections import Counter
from random import Random

import pytest

from corpuskit.errors import ConfigurationError
from corpuskit.labels import labels_by_annotator, training_labels, training_url_labels
from corpuskit.relevance.active_learning import choose_by_source


@pytest.fixture
def sites(make_once, web):
    for host, words in (("sea.example", "fish net boat harbour tide"), ("law.example", "tax form court clause duty")):
        links = [f"/{n}" for n in range(30)]
        web.add(f"http://{host}/", f"front of {host}", links)
        for n in range(30):
            picked = " ".join(Random(f"{host} {n}").choices(words.split(), k=12))
            web.add(f"http://{host}/{n}", f"{picked} page number {n} of this site", [])
    seeds = ["http://sea.example/", "http://law.example/"]
    return make_once("two-hosts", lambda corpus: corpus.crawl(seeds, delay=0, proxy=web.proxy).wait(progress=False))


def id_of(corpus, uri):
    documents = corpus.documents()
    return documents[documents.uri == uri].doc_id.iloc[0]


def test_a_rule_for_a_host_labels_some_of_its_documents_unless_they_have_a_label_and_trains_a_model(sites):
    hosts = {"sea.example": "relevant", "law.example": "other"}
    sites.set_labels(hosts, kind="host", by="rule: known hosts")
    judged = training_labels(sites._folder)
    host_of = sites.documents().set_index("doc_id").host
    assert {host_of[doc_id]: label for doc_id, label in judged.items()} == hosts
    assert len(judged) == 40  # twenty of each, of 31
    urls = training_url_labels(sites._folder, judged)
    assert urls["http://sea.example/3"] == "relevant"
    assert urls["http://law.example/3"] == "other"
    sites.train()
    means = sites.documents().groupby("host").relevance.mean()
    assert means["sea.example"] > 0.7 > 0.3 > means["law.example"]
    mine, unsure = id_of(sites, "http://sea.example/1"), id_of(sites, "http://sea.example/2")
    sites.set_labels({mine: "other", unsure: "unsure"}, by="me")
    judged = training_labels(sites._folder)
    assert judged[mine] == "other"
    assert unsure not in judged


@pytest.mark.slow
def test_what_a_rule_taught_is_not_audited(sites):
    sites.set_labels({"sea.example": "relevant", "law.example": "other"}, kind="host", by="rule")
    sites.train()
    audit = sites.audit()
    taught = training_labels(sites._folder).keys()
    while len(batch := audit.next()):
        assert not taught & set(batch.doc_id)
        audit.add(dict.fromkeys(batch.doc_id, "relevant"), by="me")


def test_one_class_against_the_rest(sites):
    documents = sites.documents()
    sea = documents[documents.host == "sea.example"].doc_id.tolist()
    law = documents[documents.host == "law.example"].doc_id.tolist()
    sites.set_labels(
        dict.fromkeys(sea[:8], "fishing") | dict.fromkeys(law[:5], "courts") | dict.fromkeys(law[5:9], "tax"),
        by="me",
        new_class=True,
    )
    assert training_labels(sites._folder) == {}
    judged = training_labels(sites._folder, positive="fishing")
    assert sorted(set(judged.values())) == ["other", "relevant"]
    assert judged[law[0]] == judged[law[5]] == "other"
    sites.train(positive="fishing")
    assert sites.documents().groupby("host").relevance.mean()["sea.example"] > 0.6


def test_who_said_what(sites):
    target = id_of(sites, "http://sea.example/1")
    sites.set_labels({target: "relevant"}, by="ann")
    sites.set_labels({target: "other"}, by="bob")
    sites.set_labels({target: "withdrawn"}, by="bob")
    assert labels_by_annotator(sites._folder) == {"ann": {target: "relevant"}}


def test_labelling_begins_near_the_seed_words_and_in_every_region(sites):
    sites.describe(seeds=["quaternion"])  # in no text
    assert set(sites.next_to_label(4).reason) == {"new region"}
    sites.describe("Fishing and harbours", seeds=["fish", "harbour"])
    asked = sites.next_to_label(8)
    assert asked.reason.tolist() == ["seed words", "new region", "seed words"] * 2 + ["seed words", "new region"]
    assert set(asked.host[asked.reason == "seed words"]) == {"sea.example"}
    assert set(asked.host[asked.reason == "new region"]) == {"law.example", "sea.example"}
    documents = sites.documents()
    for host, label in ("sea.example", "relevant"), ("law.example", "other"):
        sites.set_labels(dict.fromkeys(documents[documents.host == host].doc_id[:5], label), by="me")
    sites.train()
    assert "seed words" not in set(sites.next_to_label(8).reason)


def test_a_description_leaves_the_comments_of_its_file(sites):
    file = sites._folder.path / "corpus.toml"
    before = file.read_text()
    assert sites.describe("Fishing", seeds=["net "]) == "Fishing"
    assert sites._folder.settings.seeds == ("net",)
    after = file.read_text()
    assert after == before.replace('description = ""', 'description = "Fishing"').replace(
        "seeds = []", 'seeds = ["net"]'
    )
    with pytest.raises(ConfigurationError, match="expected a list of words"):
        sites.describe(seeds="net")
    file.write_text('name = "x"\n\n[crawl]\ndelay = 2.0\n')  # a file without seeds
    sites.describe(seeds=["net"])
    assert sites._folder.settings.seeds == ("net",)
    assert sites._folder.settings.crawl.delay == 2.0


def test_labels_are_asked_of_sources_by_what_is_at_stake_and_what_is_known():
    free = {f"{host}{n}": f"{host}.example" for host in "abc" for n in range(4)}
    doubt = {"a0": 0.4, "a1": 0.1, "a2": 0.3, "a3": 0.2}
    given = Counter({"a.example": 2})
    asked = choose_by_source(free, given, doubt, {"a.example": 90, "b.example": 20, "elsewhere.example": 400}, 4)
    # 90 / 9 and 20 / 1, then 20 / 4 and 90 / 9, 90 / 16, 90 / 25: b, a, a, b
    assert [doc_id[0] for doc_id in asked] == ["b", "a", "a", "b"]
    assert list(asked.values()) == ["new source", "uncertain", "uncertain", "new source"]
    assert [doc_id for doc_id in asked if doc_id[0] == "a"] == ["a1", "a3"]


def test_no_more_is_asked_of_a_source_than_it_has():
    assert choose_by_source({"a0": "a.example"}, Counter(), {}, {"a.example": 5, "b.example": 9}, 3) == {
        "a0": "new source"
    }
