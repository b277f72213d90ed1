"""The report on a model, and crawls side by side."""

import pytest

from corpuskit.errors import ConfigurationError, RelevanceError

SEA = ["sea", "fish", "net", "boat", "harbour", "tide", "cod", "herring", "sailor", "wave"]
LAW = ["law", "form", "tax", "office", "court", "clause", "duty", "invoice", "clerk", "stamp"]


@pytest.fixture
def crawled(make_once, web):
    web.add("http://site.example/", "front page", [f"/{kind}/{n}" for n in range(30) for kind in ("sea", "law")])
    for kind, words in (("sea", SEA), ("law", LAW)):
        for n in range(30):
            text = " ".join(words[(n * k + k) % 10] for k in range(1, 9))
            web.add(f"http://site.example/{kind}/{n}", f"{text} and more of it {n}", [])

    def crawl(corpus):
        corpus.crawl("http://site.example/", pages=31, delay=0, proxy=web.proxy).wait(progress=False)
        corpus.crawl(resume=True, delay=0, proxy=web.proxy).wait(progress=False)

    return make_once("sea-and-law", crawl)


def label(corpus, count, by="me", wrong=0, positive="relevant", other="other"):
    documents = corpus.documents()
    sea, law = (documents[documents.uri.str.contains(kind)].doc_id.tolist()[:count] for kind in ("/sea/", "/law/"))
    labels = dict.fromkeys(sea, positive) | dict.fromkeys(law, other) | dict.fromkeys(law[:wrong], positive)
    corpus.set_labels(labels, by=by, new_class=positive != "relevant")
    return labels


@pytest.mark.slow
def test_a_report_tells_how_good_the_model_is_on_what_it_has_not_seen(crawled):
    label(crawled, 12)
    model = crawled.train()
    report = crawled.relevance_report()
    assert report.version == model.version
    assert len(report.held_out) == 24
    assert report.average_precision > 0.9
    assert report.learning.labels == tuple(sorted(report.learning.labels))
    assert report.labels == {"relevant": 12, "other": 12}
    assert report.audit is None
    assert report.drift.distance <= 1
    assert set(report.urls.side) == {"seen"}  # one host: never unseen
    assert "average precision" in repr(report)
    assert len(report.chart().axes) == 3


@pytest.mark.slow
def test_mistakes_are_listed_to_be_looked_at_again(crawled):
    labels = label(crawled, 14, wrong=1)
    crawled.train()
    report = crawled.relevance_report()
    odd = next(doc_id for doc_id, said in labels.items() if said == "relevant" and "/law/" in crawled[doc_id].uri)
    assert odd in set(report.mistakes.doc_id)
    assert report.mistakes.wrong_by.is_monotonic_decreasing


@pytest.mark.slow
def test_annotators_are_compared(crawled):
    label(crawled, 10, by="ann")
    label(crawled, 10, by="bob", wrong=2)
    crawled.train()
    row = crawled.relevance_report().agreement.iloc[0]
    assert (row["first"], row["second"], row["documents"]) == ("ann", "bob", 20)
    assert row["kappa"] == pytest.approx(0.8)  # 18 of 20 agree; by chance one half


@pytest.mark.slow
def test_audit_labels_judge_the_decisions(crawled):
    label(crawled, 8)
    crawled.train()
    audit = crawled.audit(precision=0.8, confidence=0.8)
    while len(batch := audit.next()):
        audit.add({row.doc_id: "relevant" if "/sea/" in row.uri else "other" for row in batch.itertuples()}, by="me")
    report = crawled.relevance_report()
    found = report.audit
    total = found.relevant_relevant + found.relevant_other + found.unknown_relevant + found.unknown_other
    assert total + found.other_relevant + found.other_other == len(audit._audit.labels)


def test_few_labels_make_a_short_report(crawled):
    with pytest.raises(RelevanceError, match=r"train one with \.train\(\)"):
        crawled.relevance_report()
    label(crawled, 2, positive="marine", other="legal")
    crawled.train(positive="marine")
    report = crawled.relevance_report()
    assert report.learning is None
    assert "Report on" in repr(report)
    assert "label 10 marine and 10 others" in repr(report)


@pytest.mark.slow
def test_a_report_counts_classes_of_ones_own_as_the_model_did(crawled):
    label(crawled, 12, positive="marine", other="legal")
    crawled.train(positive="marine")
    report = crawled.relevance_report()
    assert report.positive == "marine"
    assert report.held_out.label.value_counts().to_dict() == {"relevant": 12, "other": 12}
    assert report.average_precision > 0.9
    assert report.learning is not None
    assert report.urls.relevant.tolist() == [12]
    assert "too few labels" not in repr(report)


def test_crawls_side_by_side(crawled):
    labels = label(crawled, 12)
    crawled.train()
    found = crawled.compare()
    assert found.table.pages.tolist() == [31, 30]
    assert found.pages.groupby("crawl").page.max().tolist() == [31, 30]
    second = found.table.iloc[1]
    assert second.harvest_rate == second.relevant / 30
    assert found.pages.relevant.sum() == found.table.relevant.sum()
    truth = found.pages.set_index("url").relevant
    for doc_id, said in labels.items():
        assert truth[crawled[doc_id].uri] == (said == "relevant")
    assert "harvest_rate" in repr(found)
    lines = found.chart().get_lines()
    assert [line.get_ydata()[-1] for line in lines] == found.table.relevant.tolist()
    only = crawled.compare(int(found.table.crawl.iloc[1]))
    assert len(only.table) == 1
    with pytest.raises(ConfigurationError, match="found no pages of crawl 99"):
        crawled.compare(99)
