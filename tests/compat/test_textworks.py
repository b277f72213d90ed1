"""Segmentation, text grid and artifact directories, as TextWorks has them."""

import json

import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pdf_builder import Page, pdf
from pdf_reading import PROSE, read

from corpuskit.compat import textworks
from corpuskit.compat.textworks import annotation_json
from corpuskit.compat.textworks.extractor import extract_pdf_with_artifacts
from corpuskit.compat.textworks.whole_words import make_segmentation_whole, make_textgrid_whole
from corpuskit.errors import ConfigurationError, CorpusError
from corpuskit.extraction import ExtractOptions
from corpuskit.extraction.pdf.analysis import analyse
from corpuskit.extraction.pdf.notation import token_of
from corpuskit.extraction.pdf.words import Word


def formula(page, x, y, *parts, size=12):
    """Parts are texts; those that start with _ or ^ are smaller and lower or higher."""
    for part in parts:
        script = part[0] in "_^"
        text, points = (part[1:], 0.65 * size) if script else (part, size)
        page.text(x, y + {"_": 0.2, "^": -0.35}.get(part[0], 0) * size, text, size=points)
        x += points * 0.56 * len(text)
    return page


def made(content):
    document = pypdfium2.PdfDocument(content)
    analysis = analyse(document)
    return textworks.segmentation(document, analysis, "x.pdf"), textworks.textgrid(document, analysis, "x.pdf")


def tokens(segmentation):
    return [t for p in segmentation["pages"] for b in p["blocks"] for line, _ in b["lines"] for t in line]


PAPER = pdf(
    formula(
        Page().text(60, 60, "1. Introduction", size=14, font="bold").lines(60, 90, PROSE, size=12, leading=14),
        60, 200, "H", "_2", "O",
    ).text(60, 240, "a_b and {x} are plain", size=12).text(60, 300, "Table 1: Of waters", size=12),
    Page().lines(60, 90, PROSE, size=12, leading=14),
)  # fmt: skip


def test_scripts_are_written_in_the_notation():
    segmentation, _ = made(PAPER)
    assert "{H_{2}O}" in tokens(segmentation)
    assert "a_b" in tokens(segmentation)
    assert "\\{x\\}" in tokens(segmentation)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([("Ph", 0), ("Si", 0), ("H", 0), ("3", -1)], "{PhSiH_{3}}"),
        ([("x", 0), ("2", 1)], "{x^{2}}"),
        ([("Fe", 0), ("3", -1), ("O", 0), ("4", -1)], "{Fe_{3}O_{4}}"),
        ([("a_b", 0)], "a_b"),
        ([("{x}", 0)], "\\{x\\}"),
        ([("a_b", 0), ("{", 1)], "{a\\_b^{\\{}}"),
        ([("6", -1)], "6"),
        ([("it", 0), ("’", 1), ("s", 0)], "it’s"),
        ([("x", 0), ("2", 1), ("i", -1)], "{x^{2}_{i}}"),
    ],
)
def test_tokens_follow_the_specification(parts, expected):
    words = [
        Word(10.0 * k, 0, 10.0 * k + 9, 10, text, 10 if not script else 6.5, 100 - 3.5 * script, 0, k > 0, k, k, -1, 0)
        for k, (text, script) in enumerate(parts)
    ]
    assert token_of(words, 10, 100) == expected


def test_the_text_of_an_element_stays_plain():
    document = read(PAPER)
    position = document.table.text.index("H2O")
    assert document.table.marks["tex"][position] == "{H_{2}O}"


@pytest.mark.parametrize("order", [("^-", "_6"), ("_6", "^-")])
def test_a_superscript_over_a_subscript_belongs_to_its_base(order):
    page = Page().lines(60, 60, PROSE, size=12, leading=14).text(60, 200, "salts of PF", size=12)
    for part in order:  # both start where the base ends: 11 letters of Helvetica, 4724 thousandths of 12 points
        page.text(60 + 56.8, 200 + (2.4 if part[0] == "_" else -4.2), part[1:], size=7.8)
    page.text(60 + 68, 200, "and of more", size=12)
    expected = "{PF" + "".join(f"{part[0]}{{{part[1:]}}}" for part in order) + "}"
    assert expected in tokens(made(pdf(page))[0])


def test_a_word_parted_at_a_line_end_keeps_its_hyphen_in_the_segmentation():
    content = pdf(Page().lines(60, 100, ["The committee met in the after-", "noon and spoke of nothing but the mill."]))
    segmentation, _ = made(content)
    assert next(line for line, _ in segmentation["pages"][0]["blocks"][0]["lines"])[-1] == "after-"
    assert "afternoon" in read(content).to_text()


def test_dehyphenated_words_stand_whole_and_each_letter_keeps_its_place():
    content = pdf(
        Page().lines(60, 100, ["The committee met in the after-", "noon, and its well-", "known chair spoke"])
    )
    document = pypdfium2.PdfDocument(content)
    segmentation, textgrid = made(content)
    places = [locus for row in textgrid["pages"][0]["textgrid"]["rows"] for locus in row["loci"] if "g" in locus]
    make_segmentation_whole(segmentation)
    make_textgrid_whole(textgrid)
    check(segmentation, textgrid)
    lines = [line for line, _ in segmentation["pages"][0]["blocks"][0]["lines"]]
    assert [line[-1] for line in lines] == ["afternoon,", "wellknown", "spoke"]
    rows = textgrid["pages"][0]["textgrid"]["rows"]
    assert [row["text"] for row in rows] == ["The committee met in the afternoon,", "and its wellknown", "chair spoke"]
    after = [locus for row in rows for locus in row["loci"] if "g" in locus]
    assert after == [place for place in places if place["g"][0][0] != "-"]
    assert annotation_json(document, analyse(document))["annotations"][0]["label"] == "Para"


FRONT = pdf(
    Page().text(60, 30, "© 2019 Mill Press. All rights reserved.", size=8).text(60, 70, "On the Floods of the Mill River", size=18, font="bold")
    .text(60, 100, "Anna Miller, Bert Weaver and Carl Dyer").text(60, 118, "Department of Rivers, University of the Valley")
    .text(60, 136, "Received 3 May 2018; accepted 1 June 2019", size=9)
    .text(60, 170, "Abstract", size=12, font="bold").lines(60, 190, PROSE).text(60, 300, "Keywords: floods, mills, rivers")
    .text(60, 340, "References", size=12, font="bold").lines(60, 360, ["[1] A. Miller, Floods, 1901.", "[2] B. Weaver, Mills of the", "valley, 1902."]),
)  # fmt: skip


def test_the_front_of_a_paper_and_its_references_have_labels():
    segmentation, textgrid = made(FRONT)
    check(segmentation, textgrid)
    labels = {
        " ".join(t for line, _ in b["lines"] for t in line)[:14]: tuple(b["labels"])
        for b in segmentation["pages"][0]["blocks"]
    }
    assert labels["© 2019 Mill Pr"] == ("header", "publisher")
    assert labels["On the Floods "] == ("header", "title")
    assert labels["Anna Miller, B"] == ("header", "authors")
    assert labels["Department of "] == ("header", "affiliation")
    assert labels["Received 3 May"] == ("header", "dates")
    assert labels["Keywords: floo"] == ("body", "keywords")
    assert labels[" ".join(PROSE)[:14]] == ("body", "abstract")
    assert labels["[1] A. Miller,"] == ("references", "reference")
    frame = read(FRONT).to_frame()
    assert frame[frame.role.eq("authors")].text.tolist() == ["Anna Miller, Bert Weaver and Carl Dyer"]


def test_annotations_are_zones_with_boxes_in_hundredths_of_points():
    document = pypdfium2.PdfDocument(FRONT)
    found = annotation_json(document, analyse(document), "x.pdf.d")["annotations"]
    texts = {}
    for one in found:
        texts.setdefault(one["label"], []).append(one["body"]["text"])
    assert texts["Author"] == ["Anna Miller,", "Bert Weaver", "Carl Dyer"]
    assert texts["Reference"] == ["[1] A. Miller, Floods, 1901.", "[2] B. Weaver, Mills of the\nvalley, 1902."]
    assert texts["NumericRefMarker"] == ["[1]", "[2]"]
    title = next(one for one in found if one["label"] == "Title")
    region = title["location"]["Zone"]["regions"][0]
    assert region["page"] == {"stableId": "x.pdf.d", "pageNum": 0}
    assert region["bbox"]["left"] == pytest.approx(6000, abs=200)
    assert len({one["id"] for one in found}) == len(found)


def check(segmentation, textgrid):
    import jsonschema  # three seconds, which collecting tests does not need

    jsonschema.Draft202012Validator(textworks.SEGMENTATION_SCHEMA).validate(segmentation)
    jsonschema.Draft202012Validator(textworks.TEXTGRID_SCHEMA).validate(textgrid)
    places = dict(segmentation["ids"])
    assert len(places) == len(segmentation["ids"])
    used = []
    for page in segmentation["pages"]:
        _, _, width, height = page["pageGeometry"]
        for block in page["blocks"]:
            for line, ids in block["lines"]:
                assert len(line) == len(ids)
                used += ids
                for number in ids:
                    at, (top, left, wide, tall) = places[number]
                    assert at == page["page"]
                    assert left + wide <= width + 0.02
                    assert top + tall <= height + 0.02
    assert sorted(used) == sorted(places)
    for page in textgrid["pages"]:
        offset = 0
        for row in page["textgrid"]["rows"]:
            assert row["offset"] == offset
            offset += len(row["text"])
            read_back = "".join((locus["g"][0] if "g" in locus else locus["i"])[0] for locus in row["loci"])
            assert read_back == row["text"]


def test_the_artifacts_of_a_paper_are_valid():
    segmentation, textgrid = made(PAPER)
    check(segmentation, textgrid)
    labels = [tuple(block["labels"]) for page in segmentation["pages"] for block in page["blocks"]]
    assert ("body", "section-heading") in labels
    assert ("body", "caption") in labels
    assert [page["pageGeometry"] for page in textgrid["pages"]] == [[0, 0, 60000, 80000]] * 2


def test_boxes_are_top_left_width_height_in_points():
    segmentation, textgrid = made(pdf(Page().text(100, 200, "Word", size=10)))
    assert segmentation["boxFormat"] == ["top", "left", "width", "height"]
    top, left, width, height = segmentation["ids"][0][1][1]
    assert (left, width) == (pytest.approx(100, abs=0.5), pytest.approx(25, abs=1.5))  # Helvetica: 944+556+333+556
    assert 188 < top < 193
    assert 8 < height < 14
    place = textgrid["pages"][0]["textgrid"]["rows"][0]["loci"][0]["g"][0]
    assert place[:2] == ["W", 0]
    assert place[2][0] == pytest.approx(10000, abs=50)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.lists(st.text(st.sampled_from("abcXYZ019_^{}\\()"), min_size=1, max_size=6), min_size=1, max_size=6),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from([0, 90, 180, 270]),
)
def test_any_page_gives_valid_artifacts(lines, rotate):
    page = Page(rotate=rotate)
    for k, line in enumerate(lines):
        formula(page, 60, 100 + 20 * k, *line)
    check(*made(pdf(page)))


def test_the_layout_is_done_once_for_document_and_artifacts(tmp_path, monkeypatch):
    import corpuskit.extraction.pdf.extract as extract

    calls = []
    monkeypatch.setattr(extract, "analyse", lambda document, **how: calls.append(1) or analyse(document, **how))
    monkeypatch.setattr(textworks.artifacts, "analyse", lambda _: pytest.fail("analysed again"))
    document = extract_pdf_with_artifacts(PAPER, uri="x", options=ExtractOptions(), folder=tmp_path)
    assert calls == [1]
    assert "Introduction" in document.to_text()
    check(*(json.loads((tmp_path / name).read_text("utf-8")) for name in ("segmentation.json", "textgrid.json")))


def corpus(tmp_path):
    (tmp_path / "a.pdf").write_bytes(PAPER)
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.4 broken")
    (tmp_path / "notes.txt").write_text("left alone")
    return tmp_path


def test_init_moves_files_into_artifact_directories(tmp_path):
    root = corpus(tmp_path)
    assert textworks.init_corpus(root) == ["a.pdf", "b.pdf"]
    found = sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())
    assert found == [".corpus-root", "a.pdf.d/a.pdf", "b.pdf.d/b.pdf", "notes.txt"]
    (root / "c.ps").write_bytes(b"%!PS")
    (root / "a.pdf").write_bytes(b"another")
    assert textworks.init_corpus(root) == ["c.ps"]
    assert (root / "a.pdf.d" / "a.pdf").read_bytes() == PAPER


def test_a_run_goes_on_after_a_failure_and_skips_what_is_made(tmp_path):
    root = corpus(tmp_path)
    textworks.init_corpus(root)
    outcomes = {outcome.name: outcome.state for outcome in textworks.run_corpus(root)}
    assert outcomes == {"a.pdf.d": "made", "b.pdf.d": "failed"}
    check(
        *(json.loads((root / "a.pdf.d" / name).read_text("utf-8")) for name in ("segmentation.json", "textgrid.json"))
    )
    assert [outcome.state for outcome in textworks.run_corpus(root, filter=r"a\..*")] == ["skipped"]
    assert [outcome.state for outcome in textworks.run_corpus(root, filter="a")] == []
    assert json.loads((root / "a.pdf.d" / "textgrid.json").read_text("utf-8"))["documentId"] == "a.pdf.d"
    assert [outcome.state for outcome in textworks.run_corpus(root, filter=r"a\..*", overwrite=True)] == ["made"]


def test_a_folder_that_is_no_corpus_root_is_refused_with_the_command(tmp_path):
    with pytest.raises(CorpusError, match="textworks init --corpus"):
        textworks.run_corpus(tmp_path)


def test_one_file_gives_its_text_grid(tmp_path, monkeypatch):
    source = tmp_path / "paper.pdf"
    source.write_bytes(PAPER)
    monkeypatch.chdir(tmp_path)
    assert textworks.run_file(source) == tmp_path / "paper.textgrid.json"
    assert textworks.run_file(source, tmp_path / "out.json").exists()
    assert json.loads((tmp_path / "out.json").read_text("utf-8"))["documentId"] == "paper.pdf"


def test_size_tokens_are_whole_points_in_capitals():
    assert textworks.page_size_tokens(read(PAPER).metadata) == "WIDTH600 HEIGHT800"
    assert textworks.page_size_tokens({}) == ""


def test_trace_logs_tell_fonts_and_blocks(tmp_path):
    root = corpus(tmp_path)
    textworks.init_corpus(root)
    assert [o.state for o in textworks.run_corpus(root, filter=r"a\..*")] == ["made"]
    assert [o.state for o in textworks.run_corpus(root, filter=r"a\..*", also=textworks.Also(trace=True))] == ["made"]
    assert [o.state for o in textworks.run_corpus(root, filter=r"a\..*", also=textworks.Also(trace=True))] == [
        "skipped"
    ]
    folder = root / "a.pdf.d" / "tracelogs"
    fonts = json.loads((folder / "font-summary.json").read_text("utf-8"))
    assert fonts["body"] == 12
    assert {font["name"]: font["styles"] for font in fonts["fonts"]} == {"Helvetica": [], "Helvetica-Bold": ["bold"]}
    assert fonts["fonts"][1]["sizes"] == {"14": len("1.Introduction")}
    blocks = json.loads((folder / "tracelog.json").read_text("utf-8"))["blocks"]
    assert (blocks[0]["role"], blocks[0]["text"]) == ("section-heading", "1. Introduction")


def test_artifacts_are_put_got_stashed_and_brought_back(tmp_path):
    folder = tmp_path / "a.pdf.d"
    folder.mkdir()
    entry = textworks.Entry(folder)
    assert entry.put("notes.json", b"1")
    assert not entry.put("notes.json", b"2")
    assert entry.get("notes.json") == b"1"
    assert entry.put("notes.json", b"2", overwrite=True)
    assert entry.stash("notes.json") == 1
    assert entry.get("notes.json") is None
    entry.put("notes.json", b"3")
    assert entry.stash("notes.json") == 2
    entry.put("ours/list.txt", b"x")
    assert entry.artifacts() == ["ours/list.txt"]
    assert entry.unstash("notes.json") == 2
    assert entry.get("notes.json") == b"3"
    assert entry.unstash("notes.json") == 1
    assert entry.unstash("notes.json") is None
    assert sorted(path.name for path in folder.iterdir()) == ["notes.json", "ours"]
    assert entry.delete("ours/list.txt")
    assert not entry.delete("ours/list.txt")
    with pytest.raises(CorpusError, match="to stash"):
        entry.stash("gone.json")


@pytest.mark.parametrize("name", ["", "../a", "a/b/c", "/etc/x", ".hidden", "a/", "..", "C:x", "a\\b"])
def test_names_that_lead_out_of_the_entry_are_refused(tmp_path, name):
    with pytest.raises(ConfigurationError, match="GROUP/NAME"):
        textworks.Entry(tmp_path).put(name, b"")


def test_entries_are_sorted_and_those_without_artifacts_left_out(tmp_path):
    for name in ("c.pdf.d", "a.pdf.d", "b.pdf.d"):
        (tmp_path / name).mkdir()
    textworks.Entry(tmp_path / "c.pdf.d").put("group/x.json", b"{}")
    textworks.Entry(tmp_path / "a.pdf.d").put("x.json", b"{}")
    assert [entry.name for entry in textworks.entries(tmp_path)] == ["a.pdf.d", "c.pdf.d"]


@pytest.mark.parametrize("date", ["September 3, 2010", "3 September 2010", "3. Mai 2010", "2010-09-03"])
def test_a_date_below_the_authors_is_a_date(date):
    page = (
        Page()
        .text(60, 70, "On the Floods of the Mill River", size=18, font="bold")
        .text(60, 100, "Anna Miller and Bert Weaver")
    )
    page = page.text(60, 125, date).text(60, 170, "Abstract", size=12, font="bold").lines(60, 190, PROSE)
    table = read(pdf(page)).table
    assert table.marks["role"][table.text.index(date)] == "dates"


BEHIND = pdf(
    Page().text(60, 30, "On the Floods", size=18, font="bold").lines(60, 60, PROSE)
    .text(60, 340, "References", size=12, font="bold").lines(60, 360, ["[1] A. Miller, Floods, 1901.", "[2] B. Weaver, Mills of the", "valley, 1902."]),
    Page().text(60, 60, "6.5").text(200, 60, "7").text(400, 60, "2.5").text(60, 300, "Slicing by eight, blocked and braided"),
)  # fmt: skip


def test_what_stands_behind_the_references_is_no_reference():
    segmentation, _ = made(BEHIND)
    labels = {
        " ".join(t for line, _ in b["lines"] for t in line)[:14]: tuple(b["labels"])
        for page in segmentation["pages"]
        for b in page["blocks"]
    }
    assert {name for name, said in labels.items() if "reference" in said} == {"[1] A. Miller,", "[2] B. Weaver,"}
