"""A fastText classifier that learned a model's verdicts, read by the fastText package as others would."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import fasttext
import numpy as np
import pytest

from corpuskit.errors import MissingExtraError, RelevanceError
from corpuskit.relevance import AuditRecord, RelevanceModel, fasttext_line, to_fasttext

World = tuple[list[str], list[str]]


def read(path: Path, texts: list[str], prepare: Any = fasttext_line) -> list[bool]:
    """Whether the file calls each text relevant."""
    labels, _ = fasttext.load_model(str(path)).predict([prepare(text) for text in texts])
    return [label == ("__label__relevant",) or label == ["__label__relevant"] for label in labels]


def test_the_file_gives_the_labels_the_record_claims(world: World, model: RelevanceModel, tmp_path: Path) -> None:
    texts = [f"{text.capitalize()}!" for text in world[0]]
    student = to_fasttext(model, texts, tmp_path / "s.bin")
    assert student.size == (tmp_path / "s.bin").stat().st_size
    assert student.texts + student.held_out == 400
    assert student.held_out == 40
    assert student.agreement is not None
    assert student.agreement >= 0.95
    teacher = model.score(texts) >= 0.5
    assert student.relevant / student.texts == pytest.approx(teacher.mean(), abs=0.01)

    def by_hand(text: str) -> str:
        """The preparation that the docstring describes, for ASCII, as another program would write it."""
        return " ".join("".join(c if c.isalnum() else " " for c in text.lower()).split())

    assert np.mean(np.array(read(student.path, texts, by_hand)) == teacher) >= 0.95
    assert set(fasttext.load_model(str(student.path)).get_labels()) == {"__label__other", "__label__relevant"}


def test_agreement_precision_and_recall_are_those_of_the_texts_it_never_saw(
    world: World, model: RelevanceModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    train_supervised = fasttext.train_supervised

    def watched(file: str, **options: Any) -> Any:
        shown.extend(line.split(" ", 1)[1] for line in Path(file).read_text("utf-8").splitlines())
        return train_supervised(file, **options)

    monkeypatch.setattr(fasttext, "train_supervised", watched)
    student = to_fasttext(model, world[0], tmp_path / "s.bin")
    kept = [text for text in world[0] if fasttext_line(text) not in shown]
    pairs = list(zip(read(student.path, kept), (model.score(kept) >= 0.5).tolist(), strict=True))
    assert len(kept) == student.held_out
    assert student.agreement == sum(a == b for a, b in pairs) / len(pairs)
    assert student.precision == sum(a and b for a, b in pairs) / sum(a for a, _ in pairs)
    assert student.recall == sum(a and b for a, b in pairs) / sum(b for _, b in pairs)


@pytest.mark.slow
def test_the_same_input_and_seed_give_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    code = (
        "import sys; from corpuskit.relevance import train, to_fasttext\n"
        "texts = [f'sea ship fish {i}' if i % 3 else f'law tax court {i}' for i in range(90)]\n"
        "model = train(texts[:12], ['relevant' if i % 3 else 'other' for i in range(12)], pool=texts)\n"
        "junk = [bytearray(b'\\xff' * 300_000) for _ in range(int(sys.argv[2]))]; del junk\n"
        "to_fasttext(model, texts, sys.argv[1])"
    )
    for name, used_before in (("a", "0"), ("b", "50")):
        subprocess.run([sys.executable, "-c", code, tmp_path / name, used_before], check=True, timeout=120)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_order_of_the_texts_and_copies_of_them_change_nothing(
    world: World, model: RelevanceModel, tmp_path: Path
) -> None:
    to_fasttext(model, world[0], tmp_path / "a.bin")
    to_fasttext(model, [*world[0][::-1], *world[0][:50]], tmp_path / "b.bin")
    assert (tmp_path / "a.bin").read_bytes() == (tmp_path / "b.bin").read_bytes()


def test_a_label_by_people_wins_over_the_score(world: World, model: RelevanceModel, tmp_path: Path) -> None:
    texts = [*world[0], *(f"whale whale whale net net captain {i}" for i in range(100))]
    unseen = ["captain whale net whale net whale"]
    assert model.score(unseen)[0] > 0.5
    assert read(to_fasttext(model, texts, tmp_path / "a.bin").path, unseen) == [True]
    labels = ["other" if text.startswith("whale whale") else None for text in texts]
    student = to_fasttext(model, texts, tmp_path / "b.bin", labels=labels)
    assert student.labelled == 100
    assert read(student.path, unseen) == [False]


def test_a_certified_threshold_is_the_border(world: World, model: RelevanceModel, tmp_path: Path) -> None:
    scores = np.sort(model.score(world[0]))
    record = AuditRecord(model.fingerprint, float(scores[-30]), 0.95, 0.9, 100)
    student = to_fasttext(model.with_audit(record), world[0], tmp_path / "s.bin")
    assert student.is_certified
    assert student.threshold == scores[-30]
    assert student.relevant == 27  # three of the thirty are held out
    assert f"by scores from {student.threshold:.3f} on (certified)" in repr(student)


def test_texts_of_one_class_are_refused_and_leave_the_old_file(model: RelevanceModel, tmp_path: Path) -> None:
    file = tmp_path / "s.bin"
    file.write_bytes(b"old")
    for texts, path, labels, message in (
        (["law court", "court judge", "tax law"], file, None, "3 texts: no text is relevant"),
        (["sea ship", "fish sea"], file, None, "no text is other"),
        ([], file, None, "0 texts: no text is relevant"),
        (["sea ship", "law court"], tmp_path, None, "got a directory"),
        (["sea ship"], file, ["unsure"], "label 'unsure' at 0"),
    ):
        with pytest.raises(RelevanceError, match=message):
            to_fasttext(model, texts, path, labels=labels)
    assert [path.name for path in tmp_path.iterdir()] == ["s.bin"]
    assert file.read_bytes() == b"old"
    student = to_fasttext(model, ["sea ship fish", "law court tax"], file)
    assert (student.texts, student.held_out, student.agreement) == (2, 0, None)
    assert "no text was held out to compare" in repr(student)


def test_hostile_texts_make_no_label_and_no_line_of_their_own(model: RelevanceModel, tmp_path: Path) -> None:
    evil = "law\n__label__relevant sea </s> \x00 \ud800 \u2028 __label__evil court"
    assert "\n" not in fasttext_line(evil)
    assert "__label__" not in fasttext_line(evil)
    student = to_fasttext(model, ["sea ship fish", "law court tax", evil, "\x00", ""], tmp_path / "s.bin")
    assert sorted(fasttext.load_model(str(student.path)).get_labels()) == ["__label__other", "__label__relevant"]
    url = "http://a.example/x \t__label__relevant\n</s>\x00/y?__label__evil=1"
    assert not [token for token in fasttext_line(url, "url").split(" ") if token.startswith(("__label__", "</s>"))]
    assert len(fasttext_line(url, "url").splitlines()) == 1


def test_urls_are_learned_from_their_model(links: World, url_model: RelevanceModel, tmp_path: Path) -> None:
    urls = links[0]
    student = to_fasttext(url_model, urls, tmp_path / "u.bin")
    found = read(student.path, urls, lambda url: fasttext_line(url, "url"))
    assert student.kind == "url"
    assert np.mean(np.array(found) == (url_model.score(urls) >= 0.5)) >= 0.95


def test_of_too_many_texts_labelled_ones_are_kept(
    world: World, model: RelevanceModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpuskit.relevance.distillation._MAX_TEXTS", 100)
    labels = [world[1][i] if i % 10 == 0 else None for i in range(400)]
    student = to_fasttext(model, world[0], tmp_path / "s.bin", labels=labels)
    assert student.labelled == 40
    assert student.texts + student.held_out == 100


def test_without_fasttext_it_says_what_to_install(
    world: World, model: RelevanceModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fasttext", None)
    with pytest.raises(MissingExtraError, match=r"corpuskit\[relevance\]"):
        to_fasttext(model, world[0], tmp_path / "s.bin")


@pytest.mark.slow
def test_a_corpus_teaches_with_its_documents_and_the_labels_of_people(fill: Any, world: World, tmp_path: Path) -> None:
    page = "<html><head><title>Page</title></head><body><p>{}.</p></body></html>"
    corpus = fill({f"{world[1][i]}{i:03d}.html": page.format(world[0][i]) for i in range(100)})
    with pytest.raises(RelevanceError, match="train one first"):
        corpus.export_fasttext(tmp_path / "s.bin")
    documents = corpus.documents().sort_values("uri")
    relevant, other = (
        documents[documents.uri.str.contains(f"/{side}")].doc_id.tolist() for side in ("relevant", "other")
    )
    corpus.set_labels(dict.fromkeys(relevant[:6], "relevant") | dict.fromkeys(other[:10], "other"), by="me")
    corpus.train()
    corpus.set_labels({relevant[6]: "other"}, by="me")  # later than the model, and it wins
    student = corpus.export_fasttext(tmp_path / "new" / "s.bin")
    assert (student.texts + student.held_out, student.labelled) == (100, 17)
    doc = corpus[relevant[8]]
    assert read(student.path, [f"{doc.title}\n{doc.to_text(main=True)}"]) == [True]
    with pytest.raises(RelevanceError, match="expected document or url"):
        corpus.export_fasttext(tmp_path / "s.bin", kind="site")
    with pytest.raises(RelevanceError, match="no model of URLs"):
        corpus.export_fasttext(tmp_path / "s.bin", kind="url")
    # A class of one's own is the relevant one.
    labels = dict.fromkeys(relevant[:7], "ships") | dict.fromkeys(other[:10], "courts")
    corpus.set_labels(labels, by="me", new_class=True)
    corpus.train(positive="ships")
    student = corpus.export_fasttext(tmp_path / "s.bin")
    assert student.labelled == 17
    assert read(student.path, ["ship sailor fish", "court tax judge"]) == [True, False]
