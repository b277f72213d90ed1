"""The map of a corpus without a browser: points, regions, colours, group labels, the static picture."""

import io
import json
import struct
import threading

import numpy as np
import pandas as pd
import pytest

from corpuskit.errors import ConfigurationError
from corpuskit.features.vectors.widgets.map import DocumentMap
from corpuskit.features.vectors.widgets.map_colours import palette

HOSTILE = "<img src=x onerror=window.hurt=1>"


def fill(corpus, folder, n=30, start=0):
    for i in range(start, start + n):
        topic = "insurance premium claim" if i % 2 else "garden flower tomato"
        page = f"<title>Text {i}</title><h1>Text {i}</h1><p>About {topic} number {i}.</p>"
        (folder / f"d{i:03}.html").write_text(page, "utf-8")
    corpus.add(folder / "d*.html", progress=False)


def source(corpus, topics=True):
    """Points on two lines by title: even ones at x = -1, odd ones at x = 1; regions of both, odd ones in two finer ones."""

    def give():
        docs = corpus.documents().sort_values("title", key=lambda t: t.str.extract(r"(\d+)")[0].astype(float))
        number = docs["title"].str.extract(r"(\d+)")[0].astype(int).to_numpy()
        points = pd.DataFrame({"doc_id": docs["doc_id"].tolist()})
        points["x"] = np.where(number % 2, 1.0, -1.0).astype("float32")
        points["y"] = (number / 10).astype("float32")
        points["topic"] = pd.array(np.where(number % 2, np.where(number < 10, 2, 3), 0), dtype="Int32")
        regions = pd.DataFrame(
            {
                "topic": pd.array([0, 1, 2, 3], dtype="Int32"), "name": ["garden", "insurance", f"claim {HOSTILE}", "premium"],
                "level": pd.array([0, 0, 1, 1], dtype="Int32"), "parent": pd.array([None, None, 1, 1], dtype="Int32"),
                "documents": pd.array([0] * 4, dtype="Int64"), "words": ["tomato", "claim", "x", "y"], "stability": [1.0] * 4,
            }
        )  # fmt: skip
        return points, regions if topics else None

    return give


def silent(made):
    made.points.sent = []
    made.points.send = lambda content, buffers=None: made.points.sent.append((content, buffers))
    return made


@pytest.fixture
def filled(make_once, tmp_path):
    return make_once("map", lambda corpus: fill(corpus, tmp_path))


@pytest.fixture
def shown(filled):
    made = silent(DocumentMap(filled._folder, source(filled), by="me"))
    yield made
    made.close()


def say(made, op, rows=None, **more):
    buffers = [] if rows is None else [np.array(rows, "<u4").tobytes()]
    made.points._answer(None, {"op": op, **more}, buffers)
    return [content for content, _ in made.points.sent]


def titles(frame):
    return sorted(frame["title"].str.extract(r"(\d+)")[0].astype(int))


def rows_of(made, corpus, numbers):
    """The points of the documents with these numbers."""
    titles = corpus.documents().set_index("doc_id")["title"].str.extract(r"(\d+)")[0].astype(int)
    return [made.points._point_layout.row[doc_id] for doc_id in titles[titles.isin(list(numbers))].index]


def labels(corpus):
    current = corpus.labels().query("not superseded and label != 'withdrawn'")
    return current["label"].value_counts().to_dict()


# -- points and regions ------------------------------------------------------------------------------------------------


def test_points_come_as_two_floats_each_between_minus_one_and_one(shown, filled):
    xy = np.frombuffer(shown.points.places, "<f4").reshape(-1, 2)
    assert xy.shape == (30, 2)
    # x spans 2, y spans 2.9: the longer side fills the map, the other keeps its proportion.
    assert xy[:, 1].min() == pytest.approx(-1)
    assert xy[:, 1].max() == pytest.approx(1)
    assert np.ptp(xy[:, 0]) == pytest.approx(2 * 2 / 2.9, rel=1e-5)


def test_regions_are_counted_placed_and_numbered_as_an_outline(shown):
    told = {row[1]: (row[0], row[2], row[3], row[4]) for row in shown.points.regions}
    # 30 documents: 15 even ones; 15 odd ones, 5 of them below 10.
    assert told == {
        "garden": ("1", 0, -1, 15), "insurance": ("2", 0, -1, 15), "premium": ("2.1", 1, 1, 10), f"claim {HOSTILE}": ("2.2", 1, 1, 5),
    }  # fmt: skip
    fine = np.frombuffer(shown.points.fine, "<u2")
    assert sorted(np.bincount(fine, minlength=4).tolist()) == [0, 5, 10, 15]


def test_new_documents_appear_and_the_old_ones_stay(shown, filled, tmp_path):
    before = np.frombuffer(shown.points.places, "<f4").copy()
    fill(filled, tmp_path, n=6, start=30)
    shown.refresh()
    after = np.frombuffer(shown.points.places, "<f4")
    assert len(after) == 2 * 36
    np.testing.assert_array_equal(after[:60], before)
    assert "36 documents" in shown.summary()


@pytest.mark.slow
def test_documents_of_a_crawl_appear_without_being_asked(shown, filled, tmp_path, monkeypatch):
    came = threading.Event()
    shown.points.observe(lambda change: came.set(), "places")
    fill(filled, tmp_path, n=6, start=30)
    assert came.wait(60)
    shown.points.stop()
    assert "36 documents" in shown.summary()


def test_a_document_that_was_removed_is_gone_and_no_row_is_given_again(shown, filled):
    victim = shown.points._point_layout.ids[3]
    filled.remove([victim], reason="test")
    shown.refresh()
    xy = np.frombuffer(shown.points.places, "<f4").reshape(-1, 2)
    assert np.isnan(xy[3]).all()
    assert np.isfinite(np.delete(xy, 3, axis=0)).all()
    shown.select([victim])
    assert shown.selection.empty


def test_an_empty_corpus_one_document_and_no_topics_have_a_map(corpus, tmp_path):
    empty = pd.DataFrame(
        {"doc_id": pd.Series([], dtype="str"), "x": pd.Series([], dtype="float32"), "y": pd.Series([], dtype="float32")}
    )
    made = silent(DocumentMap(corpus._folder, lambda: (empty, None), by="me"))
    assert made.points.places == b""
    assert made.selection.empty
    assert "0 documents" in made._repr_mimebundle_()["text/html"]
    fill(corpus, tmp_path, n=1)
    one = source(corpus, topics=False)
    made.points._source = one
    assert made.refresh() == 1
    assert np.frombuffer(made.points.places, "<f4").tolist() == [0.0, 0.0]
    assert "1 document" in made._repr_mimebundle_()["text/html"]
    assert made.points.legend == [[255, "no label", 1]]
    made.close()


def test_only_some_documents_are_shown_where_some_are_named(filled):
    some = filled.documents().doc_id.tolist()[:7]
    made = DocumentMap(filled._folder, source(filled), docs=some, by="me")
    assert set(made.points._point_layout.ids) == set(some)
    made.close()


# -- colours -----------------------------------------------------------------------------------------------------------


def test_each_colour_has_a_legend_whose_counts_are_all_documents(shown, filled):
    numbers = filled.documents().set_index("doc_id")["title"].str.extract(r"(\d+)")[0].astype(int)
    filled.set_labels({d: "relevant" if n % 2 else "other" for d, n in numbers.items() if n < 20}, by="ann")
    filled.train()
    for colour in shown.points.colours:
        shown.points.colour = colour
        assert sum(row[2] for row in shown.points.legend) == 30, colour
    shown.points.colour = "label"
    assert {row[1]: row[2] for row in shown.points.legend} == {"relevant": 10, "other": 10, "no label": 10}
    shown.points.colour = "topic"
    assert {row[1]: row[2] for row in shown.points.legend} == {"garden": 15, "insurance": 15}
    with pytest.raises(ConfigurationError, match="colour='size'"):
        DocumentMap(filled._folder, source(filled), colour="size", by="me")


def test_dates_of_one_day_are_one_class_and_no_two_classes_have_one_name():
    from corpuskit.features.vectors.widgets.map_colours import _by_date

    def legend(times):
        made = _by_date(pd.Series(pd.to_datetime(times, utc=True)))
        assert [int((made.codes == row[0]).sum()) for row in made.legend] == [row[2] for row in made.legend]
        return [row[1:] for row in made.legend]

    seconds = [f"2026-11-23T06:{i:02}:00" for i in range(40)]
    assert legend(seconds) == [("2026-11-23, all on one day", 40)]
    named = legend([*seconds, "2026-11-24T01:00:00", "2026-11-24T02:00:00", None])
    assert sum(count for _, count in named) == 43
    assert len({name for name, _ in named}) == len(named)


def test_more_values_than_colours_and_shapes_are_told_as_others(shown, filled, monkeypatch):
    from corpuskit.features.vectors.widgets import map_colours

    values = [f"v{i:02}" for i in range(30) for _ in range(31 - i)] + [None] * 4
    made = map_colours._by_category(values, "none")
    # 7 colours in 4 shapes have names; v28 and v29 stand 3 and 2 times.
    assert [row[1] for row in made.legend[:28]] == [f"v{i:02}" for i in range(28)]
    assert made.legend[28:] == [(254, "others", 5), (255, "none", 4)]


# Machado, Oliveira, Fernandes 2009, severity 1.0; OKLab: Ottosson 2020; contrast: WCAG 2.1.
_EYES = {
    "usual": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "tritanopia": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}  # fmt: skip
_A = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_B = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def _linear(colours):
    value = np.array([[int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)] for colour in colours])
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def _oklab(linear):
    return np.cbrt(np.clip(linear, 0, 1) @ _A.T) @ _B.T


@pytest.mark.parametrize(("theme", "ground"), [("light", "#ffffff"), ("dark", "#111111")])
def test_colours_are_told_apart_by_all_eyes_and_stand_out_from_the_ground(theme, ground):
    colours = _linear([palette()[theme][str(code)] for code in range(7)])
    for eye, matrix in _EYES.items():
        seen = _oklab(colours @ matrix.T)
        apart = np.linalg.norm(seen[:, None] - seen[None], axis=2)[np.triu_indices(7, 1)]
        assert apart.min() >= 0.08, eye
    light = np.array([0.2126, 0.7152, 0.0722])
    bright, dark = colours @ light, (_linear([ground]) @ light)[0]
    assert ((np.maximum(bright, dark) + 0.05) / (np.minimum(bright, dark) + 0.05)).min() >= 3.0
    ramp = _oklab(_linear([palette()[theme][str(64 + i)] for i in range(5)]))[:, 0]
    assert (np.diff(ramp) < -0.05).all() or (np.diff(ramp) > 0.05).all()


# -- choosing and labelling --------------------------------------------------------------------------------------------


def test_what_is_chosen_on_the_page_is_a_dataframe(shown, filled):
    say(shown, "select", rows_of(shown, filled, [2, 5, 9]))
    assert titles(shown.selection) == [2, 5, 9]
    assert list(shown.selection.columns) == list(filled.documents().columns)
    assert shown.select(filled.documents().doc_id.tolist()[:4]) == 4
    assert len(shown.selection) == 4


def test_a_key_labels_the_group_on_the_disk_before_it_is_acknowledged(shown, filled):
    seen = []
    files = filled._folder.path / "labels"
    shown.points.send = lambda content, buffers=None: seen.append(
        (content, "".join(file.read_text() for file in files.glob("*.jsonl")).count("\n"))
    )
    say_rows = rows_of(shown, filled, range(12))
    shown.points._answer(
        None, {"op": "label", "label": "other", "page": "p", "seq": 1}, [np.array(say_rows, "<u4").tobytes()]
    )
    assert seen[0] == ({"op": "saved", "seq": 1, "n": 12, "kept": 0, "label": "other"}, 12)
    assert labels(filled) == {"other": 12}
    assert set(filled.labels()["note"]) == {"map"}
    assert set(filled.labels()["by"]) == {"me"}


def test_one_undo_takes_the_whole_group_back_and_gives_what_was_before(shown, filled):
    shown.points.sent = []
    say(shown, "label", rows_of(shown, filled, range(10)), label="other", page="p", seq=1)
    say(shown, "label", rows_of(shown, filled, range(5, 15)), label="relevant", page="p", seq=2)
    assert labels(filled) == {"other": 5, "relevant": 10}
    say(shown, "undo", page="p", seq=3, of=2)
    assert labels(filled) == {"other": 10}
    assert set(filled.labels().query("not superseded and label == 'other'")["note"]) == {"map"}
    assert shown.undo() == 10
    assert labels(filled) == {}
    assert shown.undo() == 0


def test_a_document_that_was_looked_at_keeps_its_label_and_undo_leaves_later_ones_alone(shown, filled):
    ids = shown.points._point_layout.ids
    filled.set_labels({ids[0]: "relevant"}, by="me")
    sent = say(shown, "label", range(6), label="other", page="p", seq=1)
    assert sent[-1] == {"op": "saved", "seq": 1, "n": 5, "kept": 1, "label": "other"}
    assert filled.documents().set_index("doc_id").label[ids[0]] == "relevant"
    filled.set_labels({ids[1]: "relevant"}, by="me")
    assert shown.undo() == 4
    assert labels(filled) == {"relevant": 2}


def test_groups_of_a_page_are_saved_in_the_order_of_its_keys_and_once(shown, filled):
    say(shown, "label", range(4), label="other", page="p", seq=2)
    assert filled.labels().empty
    say(shown, "label", range(3), label="relevant", page="p", seq=1)
    sent = say(shown, "label", range(4), label="other", page="p", seq=2)
    assert [message["seq"] for message in sent] == [1, 2, 2]
    assert filled.labels()["label"].tolist() == ["relevant"] * 3 + ["other"] * 4


def test_what_cannot_be_saved_is_told(shown, filled, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(filled._folder.labels, "add", lambda *a, **k: (_ for _ in ()).throw(OSError("disk full")))
        sent = say(shown, "label", range(4), label="other", page="p", seq=1)
    assert (sent[-1]["op"], sent[-1]["of"], sent[-1]["message"]) == ("error", "label", "disk full")


@pytest.mark.parametrize(
    ("op", "rows", "more"),
    [
        ("select", [99], {}),
        ("label", [0], {"label": "unheard of", "page": "p", "seq": 1}),
        ("label", None, {"label": "other", "page": "p", "seq": 1}),
        ("about", None, {"row": 99}),
        ("about", None, {"row": -1}),
        ("open", None, {"row": "x"}),
    ],
)
def test_messages_that_mean_nothing_are_told_and_change_nothing(shown, filled, op, rows, more):
    sent = say(shown, op, rows, **more)
    assert [message["op"] for message in sent] == ["error"]
    assert filled.labels().empty


def test_keys_names_and_heights_are_checked(filled):
    for wrong in ({"keys": {"z": "other"}}, {"keys": {"ab": "other"}}, {"by": "machine:m"}, {"height": 0}):
        with pytest.raises(ConfigurationError):
            DocumentMap(filled._folder, source(filled), **wrong)


# -- what is told ------------------------------------------------------------------------------------------------------


@pytest.mark.feature("linguistics")
def test_a_search_finds_titles_and_with_enter_texts(shown, filled):
    say(shown, "search", text="text 12", in_texts=False, seq=1)
    assert shown.points.sent[-1][0]["n"] == 1
    say(shown, "search", text="tomato", in_texts=False, seq=2)
    assert shown.points.sent[-1][0]["n"] == 0
    say(shown, "search", text="tomato", in_texts=True, seq=3)
    content, [found] = shown.points.sent[-1]
    assert content["n"] == 15
    assert sorted(np.frombuffer(found, "<u4").tolist()) == sorted(rows_of(shown, filled, range(0, 30, 2)))


def test_a_click_tells_title_source_and_text_and_opens_the_tree(shown, filled):
    [row] = rows_of(shown, filled, [7])
    told = say(shown, "about", row=row)[-1]
    assert told["title"] == "Text 7"
    assert told["uri"].endswith("d007.html")
    assert f"claim {HOSTILE}" in told["facts"]
    assert "About insurance premium claim number 7." in told["text"]
    say(shown, "open", row=row)
    assert shown.tree.title == "Text 7"
    assert shown.tree.layout.display == ""


def test_the_list_is_of_what_is_chosen_or_of_all(shown, filled):
    say(shown, "list", generation=1)
    say(shown, "rows", generation=1, start=0, end=50)
    assert len(shown.points.sent[-1][0]["rows"]) == 30
    say(shown, "list", rows_of(shown, filled, [3, 4]), generation=2)
    sent = say(shown, "rows", generation=2, start=0, end=50)
    assert sorted(row[1] for row in sent[-1]["rows"]) == ["Text 3", "Text 4"]
    count = len(sent)
    assert len(say(shown, "rows", generation=1, start=0, end=5)) == count


def test_more_like_these_are_lit_up(filled):
    asked = []

    def similar(doc_ids):
        asked.append(doc_ids)
        return pd.DataFrame({"doc_id": [*filled.documents().doc_id[:3].tolist(), "gone"]})

    made = silent(DocumentMap(filled._folder, source(filled), by="me", similar=similar))
    say(made, "similar", [4, 5], seq=1)
    assert asked == [[made.points._point_layout.ids[4], made.points._point_layout.ids[5]]]
    assert made.points.sent[-1][0] == {"op": "hits", "seq": 1, "of": "similar", "n": 3}
    made.close()


def test_a_page_without_kernel_shows_a_picture_its_legend_and_its_regions_as_text(shown):
    html = shown._repr_mimebundle_()["text/html"]
    assert 'src="data:image/png;base64,' in html
    assert "<img src=x" not in html
    assert "claim &lt;img src=x onerror=window.hurt=1&gt;" in html
    for told in ("garden", "insurance", "premium", "2.1", "15", "Colours: topic"):
        assert told in html
    json.dumps(html)


def test_the_picture_shows_each_point_in_its_colour(shown):
    from PIL import Image

    data = shown.picture()
    assert struct.unpack(">II", data[16:24]) == (720, 480)
    pixels = np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).reshape(-1, 3).astype(int)
    for code in ("0", "1"):
        wanted = [int(palette()["light"][code][i : i + 2], 16) for i in (1, 3, 5)]
        assert (np.abs(pixels - wanted).max(axis=1) < 12).sum() > 200, code
