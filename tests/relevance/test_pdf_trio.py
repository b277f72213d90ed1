"""The classifier of pdf_trio beside ours, and its cascade."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from corpuskit.errors import RelevanceError
from corpuskit.relevance import (
    AuditRecord,
    CorpusModel,
    PdfTrioModel,
    RelevanceModel,
    ascii_tokens,
    decode_confidence,
    encode_confidence,
    pdf_trio_url_tokens,
    train,
)

World = tuple[list[str], list[str]]


@pytest.fixture(scope="module")
def baseline(world: World) -> PdfTrioModel:
    return train(world[0], world[1], preset="pdf_trio")


def test_it_is_trained_with_the_recipes_options_on_its_tokens(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    import fasttext

    given: dict[str, object] = {}
    lines: list[str] = []

    def keep(file: str, **options: object) -> object:
        given.update(options)
        lines.extend(Path(file).read_text("utf-8").splitlines())
        return object()

    monkeypatch.setattr(fasttext, "train_supervised", keep)
    train(["The É, Sea!", "law"], ["relevant", "other"], preset="pdf_trio")
    assert (given["lr"], given["dim"], given["epoch"]) == (1.0, 50, 2)
    assert lines == [f"__label__relevant {ascii_tokens('The É, Sea!').strip()}", "__label__other law"]
    lines.clear()
    url = "http://arxiv.org/pdf/1312.pdf"
    train([url, "http://a.example/b/c"], ["relevant", "other"], preset="pdf_trio", kind="url")
    assert lines[0] == f"__label__relevant{pdf_trio_url_tokens(url)}"


def test_its_figures_are_those_of_fasttext_test(world: World, baseline: PdfTrioModel, tmp_path: Path) -> None:
    import fasttext

    found = baseline.test(world[0], world[1])
    baseline.save(tmp_path / "model.bin")
    lines = [f"__label__{label} {ascii_tokens(text).strip()}\n" for text, label in zip(world[0], world[1], strict=True)]
    (tmp_path / "test.txt").write_text("".join(lines), "utf-8")
    n, precision, recall = fasttext.load_model(str(tmp_path / "model.bin")).test(str(tmp_path / "test.txt"))
    assert (found.n, found.precision, found.recall) == (n, precision, recall) == (len(world[0]), precision, precision)
    assert repr(found) == f"pdf_trio: N {n}, P@1 {precision:.3f}, R@1 {recall:.3f}"


def test_scores_agree_with_the_labels_it_gives(world: World, baseline: PdfTrioModel) -> None:
    scores = baseline.score(world[0])
    assert ((scores >= 0) & (scores <= 1)).all()
    right = np.mean((scores > 0.5) == (np.array(world[1]) == "relevant"))
    assert right == pytest.approx(baseline.test(world[0], world[1]).precision)
    assert baseline.score(["", "?!"]).tolist() == [0.5, 0.5]


def test_ours_stands_beside_it_on_the_same_texts(
    world: World, links: World, model: RelevanceModel, url_model: RelevanceModel, baseline: PdfTrioModel
) -> None:
    theirs, ours = baseline.compare(model, world[0], world[1])
    assert (theirs.system, ours.system) == ("pdf_trio", "corpuskit")
    assert theirs.n == ours.n == len(world[0])
    assert ours.precision > 0.9
    whole = CorpusModel(model, url_model)  # what a corpus has trained
    assert baseline.compare(whole, *world) == baseline.compare(model, *world)
    of_urls = train(*links, preset="pdf_trio", kind="url")
    assert of_urls.compare(whole, *links)[1] == of_urls.compare(url_model, *links)[1]
    for system, other, message in (
        (baseline, url_model, "expected one of documents"),
        (of_urls, CorpusModel(model), "found no model of URLs"),
    ):
        with pytest.raises(RelevanceError, match=message):
            system.compare(other, [], [])


@pytest.mark.parametrize(
    ("more", "message"),
    [({"preset": "bert"}, "expected 'pdf_trio'"), ({"preset": "pdf_trio", "pool": ["sea"]}, "on labels only")],
)
def test_what_does_not_go_together_is_refused(more: dict[str, object], message: str) -> None:
    with pytest.raises(RelevanceError, match=message):
        train(["sea", "law"], ["relevant", "other"], **more)  # type: ignore[call-overload]
    with pytest.raises(RelevanceError, match="one class"):
        train(["sea", "law"], ["relevant", "relevant"], preset="pdf_trio")


def test_a_cascade_asks_the_text_only_where_the_url_does_not_say_yes(
    links: World, model: RelevanceModel, url_model: RelevanceModel
) -> None:
    both = CorpusModel(model, url_model)
    scores = both.score_urls(links[0])
    first, last = int(scores.argmax()), int(scores.argmin())
    urls = [links[0][first], links[0][last], links[0][last]]
    asked: list[str] = []

    def get(url: str) -> str | None:
        asked.append(url)
        return "sea ship harbour fish sailor" if len(asked) == 1 else None

    found = both.cascade(urls, get, sure=float(scores[first]))
    assert asked == urls[1:]
    assert found.by.tolist() == ["url", "document", "nothing"]
    assert found.decision.tolist() == ["relevant", "unknown", "unknown"]  # no audit, no claim; a URL never says no
    assert found.relevance[1] == model.score(["sea ship harbour fish sailor"])[0]
    record = AuditRecord(model.fingerprint, 0.5, 0.9, 0.9, 10)
    certified = CorpusModel(model.with_audit(record), both.url)
    assert certified.cascade(urls[1:2], ["sea ship harbour fish sailor"]).decision.tolist() == ["relevant"]
    with pytest.raises(RelevanceError, match="1 texts and 3 URLs"):
        both.cascade(urls, ["one"])


@pytest.mark.parametrize(
    ("relevant", "probability", "confidence"),
    [(True, 0.51, 0.755), (False, 0.51, 0.245), (True, 1.0, 1.0), (False, 1.0, 0.0), (True, 0.0, 0.5)],
)
def test_its_scale_of_confidence_goes_both_ways(relevant: bool, probability: float, confidence: float) -> None:
    assert encode_confidence(relevant, probability) == pytest.approx(confidence)
    label, back = decode_confidence(confidence)
    assert (label, back) == (relevant, pytest.approx(probability))
    with pytest.raises(RelevanceError):
        decode_confidence(1.01)
