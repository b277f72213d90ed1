"""Options of one extraction; what is not main stays in the tree."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corpuskit
from corpuskit.document.elements import TEXT_BLOCK
from corpuskit.errors import ConfigurationError
from corpuskit.extraction import ExtractOptions
from corpuskit.extraction.html.alignment import align, joined

SENTENCE = "The keeper moves the hives to the heather in August, when the lime trees have finished flowering. "
OTHER = "A colony needs about twenty kilograms of honey to live through the winter, and more in a cold spring. "
PAGE = f"""<html lang="en"><head><title>Heather honey</title><meta name="author" content="Ann Marlow">
<meta property="article:published_time" content="2019-08-01"><meta property="article:modified_time" content="2021-02-03">
<link rel="canonical" href="https://hives.example/heather"></head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/shop">Shop</a></li></ul></nav>
<article><h1>Heather honey</h1><p id="first">{SENTENCE * 3}</p><p class="advert">Buy our gloves, now cheaper than ever.</p>
<table><tr><th>Year</th><td>1987 was the best of all years</td></tr></table>
<p>{OTHER * 2}<a href="/more">Read more of it</a></p><p id="again">{SENTENCE * 3}</p>
<p><a href="/x">All of this text is a link to another page of the site and so it is hardly content</a></p>
<p>See <img src="/hive.jpg" alt="the hive"> and <img src="/pictures/smoker%20old.png"> here.</p>
<p style="display:none">A hidden remark of the author.</p></article><footer>Imprint of the hives</footer></body></html>""".encode()


def extract(**options):
    return corpuskit.extract(PAGE, uri="https://hives.example/heather?x=1", options=ExtractOptions(**options))


def test_all_is_main_with_all_and_nothing_is_lost_with_any_choice():
    whole = extract(main="all")
    assert whole.to_text(main=True) == whole.to_text()
    assert "Home" in whole.to_text(main=True)
    for main in ("model", "rules"):
        document = extract(main=main)
        assert document.to_text() == whole.to_text()
        assert "moves the hives" in document.to_text(main=True)
        assert "Imprint" not in document.to_text(main=True)


def test_tables_are_left_out_of_the_main_content():
    assert "1987" in extract(main="all").to_text(main=True)
    without = extract(main="all", tables=False)
    assert "1987" in without.to_text()
    assert "1987" not in without.to_text(main=True)


@pytest.mark.parametrize("selector", ["//p[@class='advert']", "p.advert", "article > .advert", ".//*[@class='advert']"])
def test_parts_are_dropped_by_xpath_or_css(selector):
    assert "gloves" in extract().to_text()
    document = extract(drop=(selector,))
    assert "gloves" not in document.to_text()
    assert "moves the hives" in document.to_text()


@pytest.mark.parametrize("selector", ["//p[", "p..advert", "//p[nothing()]"])
def test_a_selector_that_is_none_is_told(selector):
    with pytest.raises(ConfigurationError, match="drop"):
        extract(drop=(selector,))


def test_the_text_behind_what_is_dropped_stays():
    document = corpuskit.extract(b"<p>one <b>two</b> three</p><hr>four", options=ExtractOptions(drop=("b", "hr")))
    assert document.to_text().split() == ["one", "three", "four"]


def test_a_block_that_stood_before_is_not_main_a_second_time():
    document = extract(main="all", deduplicate=True)
    assert document.to_text(main=True).count(SENTENCE.strip()) == 3
    assert document.to_text().count(SENTENCE.strip()) == 6


def test_blocks_of_many_links_are_not_main():
    assert "hardly content" in extract(main="all").to_text(main=True)
    document = extract(main="all", link_density=0.5)
    assert "hardly content" not in document.to_text(main=True)
    assert "Read more of it" in document.to_text(main=True)


def test_hidden_parts_are_kept_on_demand():
    assert "hidden remark" not in extract().to_text()
    assert "hidden remark" in extract(hidden=True).to_text()


def test_images_are_kept_with_their_addresses():
    document = extract(image_addresses=True)
    row = next(i for i, text in enumerate(document.table.text) if text and text.startswith("See"))
    assert document.table.text[row] == "See the hive and smoker old.png here."
    assert document.table.marks["links"][row] == (
        '[[4,12,"https://hives.example/hive.jpg"],[17,31,"https://hives.example/pictures/smoker%20old.png"]]'
    )


@pytest.mark.parametrize(
    ("markup", "text", "spans"),
    [
        ("<p>a <b>bold</b> word</p>", "a bold word", '[[2,6,"bold"]]'),
        ("<p><strong>all </strong></p>", "all", '[[0,3,"bold"]]'),
        ("<p>x <b> <i>both</i> </b> y</p>", "x both y", '[[2,6,"bold"],[2,6,"italic"]]'),
        ("<p>a<b></b>b <em> </em>c</p>", "ab c", None),
        ("<p>see <a href='/u'>the <code>run()</code> call</a></p>", "see the run() call", '[[8,13,"code"]]'),
        ("<pre>a  <b>b  c</b>\n d</pre>", "a  b  c\n d", '[[3,7,"bold"]]'),
        ("<h2>On <i>Apis</i></h2><p>z</p>", "On Apis", '[[3,7,"italic"]]'),
        ("<p>H<sub>2</sub>O<br><b>x</b></p>", "H2O\nx", '[[1,2,"subscript"],[4,5,"bold"]]'),
    ],
)
def test_formatting_is_kept_as_spans_beside_the_plain_text(markup, text, spans):
    options = ExtractOptions(main="all", formatting=True)
    document = corpuskit.extract(markup.encode(), media_type="text/html", uri="https://a.example/", options=options)
    table = document.table
    row = table.text.index(text)
    assert table.marks.get("formatting", {}).get(row) == spans
    plain = corpuskit.extract(markup.encode(), media_type="text/html", uri="https://a.example/")
    assert plain.to_text() == document.to_text()
    assert plain.table.marks.get("links") == table.marks.get("links")
    if spans:
        assert document.to_frame().formatting[row] == spans
    assert "formatting" not in plain.to_frame()


def test_formatting_over_blocks_goes_on_in_the_next(tmp_path):
    options = ExtractOptions(main="all", formatting=True)
    document = corpuskit.extract(
        b"<div><b><div>one</div><div>two</div><div>three</div></b><div>four</div></div>", options=options
    )
    spans = {document.table.text[row]: value for row, value in document.table.marks["formatting"].items()}
    assert spans == {"one": '[[0,3,"bold"]]', "two": '[[0,3,"bold"]]', "three": '[[0,5,"bold"]]'}


@pytest.mark.whole
def test_a_corpus_keeps_formatting_and_pages_of_the_gate_keep_their_text(corpus, tmp_path):
    toml = tmp_path / "corpus" / "corpus.toml"
    toml.write_text(toml.read_text("utf-8") + "formatting = true\n", "utf-8")
    (tmp_path / "a.html").write_bytes(PAGE)
    with corpuskit.open(tmp_path / "corpus") as opened:
        opened.add(tmp_path / "a.html", progress=False)
        (document,) = opened
        assert opened.check() == []
        assert len(opened.elements()) == len(document.table)
    bold = corpuskit.extract(PAGE.replace(b"1987", b"<b>1987</b>"), options=ExtractOptions(formatting=True))
    assert bold.table.marks["formatting"] == {bold.table.text.index("1987 was the best of all years"): '[[0,4,"bold"]]'}
    assert bold.to_text() == extract().to_text()


def test_the_timestamp_is_the_date_that_is_asked_for():
    assert str(extract().timestamp.date()) == "2021-02-03"
    document = extract(date="original")
    assert (str(document.timestamp.date()), document.metadata["timestamp_source"]) == ("2019-08-01", "published")
    assert extract(earliest_date="2020-01-01").metadata.get("published") is None
    assert str(extract(earliest_date="2020-01-01", date="original").timestamp.date()) == "2021-02-03"
    assert extract(earliest_date="2022-01-01").timestamp is None


def test_refused_authors_are_none():
    assert extract().metadata["author"] == "Ann Marlow"
    assert "author" not in extract(refused_authors=("ann marlow",)).metadata
    assert extract(refused_authors=("Bob",)).metadata["author"] == "Ann Marlow"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"target_language": "fr"}, "target_language is 'fr', and its text is in 'en'"),
        ({"refused_urls": ("https://hives.example/heather",)}, "the address https://hives.example/heather is refused"),
        ({"only_with_metadata": True, "earliest_date": "2022-01-01"}, "only_with_metadata, and it has no date"),
    ],
)
def test_a_page_that_is_not_wanted_has_no_main_content_and_says_why(options, why):
    document = extract(**options)
    assert document.to_text(main=True) == ""
    assert "moves the hives" in document.to_text()
    assert f"nothing is main: {why}" in document.warnings
    assert "moves the hives" in extract(target_language="en", only_with_metadata=True).to_text(main=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"main": "modle"}, "main = 'modle': expected one of 'model', 'rules', 'trafilatura', 'all'"),
        ({"favor": "both"}, "favor = 'both'"),
        ({"date": "first"}, "date = 'first'"),
        ({"link_density": 50}, "link_density = 50: expected a share, 0 to 1"),
        ({"earliest_date": "1995"}, "earliest_date = '1995'"),
        ({"trafilatura": {"fast": True}}, "require main"),
    ],
)
def test_a_wrong_value_is_told(options, message):
    with pytest.raises(ConfigurationError, match=message):
        ExtractOptions(**options)


# -- Trafilatura's choice ----------------------------------------------------------------------------------------------


def words(text):
    import re

    return re.findall(r"\w+", text)


def theirs(**options):
    import trafilatura

    return trafilatura.extract(PAGE, url="https://hives.example/heather?x=1", include_comments=False, **options) or ""


@pytest.mark.parametrize(
    ("ours", "given"),
    [
        ({}, {}),
        ({"favor": "precision"}, {"favor_precision": True}),
        ({"favor": "recall"}, {"favor_recall": True}),
        ({"tables": False}, {"include_tables": False}),
        ({"target_language": "fr"}, {"target_language": "fr"}),
        ({"drop": ("//p[@id='first']",)}, {"prune_xpath": ["//p[@id='first']"]}),
        ({"refused_urls": ("https://hives.example/heather",)}, {"url_blacklist": {"https://hives.example/heather"}}),
        ({"trafilatura": {"fast": True}}, {"fast": True}),
        ({"trafilatura": {"prune_xpath": "//table"}}, {"prune_xpath": "//table"}),
    ],
)
def test_trafilaturas_choice_is_marked_on_our_tree(ours, given):
    document = extract(main="trafilatura", **ours)
    assert words(document.to_text(main=True)) == words(theirs(**given))
    if "drop" not in ours:
        assert "Imprint of the hives" in document.to_text()
    assert any(document.table.marks["locator"].values())


def test_a_block_of_which_trafilatura_takes_a_part_becomes_several():
    inner = f'{SENTENCE}<span class="note">Noted by its printer.</span> {OTHER}<a href="/end">The end.</a>'
    page = f"<html><body><article><h1>Days</h1><p>{OTHER}</p><p>{inner}</p></article></body></html>".encode()
    options = ExtractOptions(main="trafilatura", trafilatura={"prune_xpath": "//span"})
    document = corpuskit.extract(page, uri="https://hives.example/", options=options)
    table = document.table
    texts = [OTHER.strip(), SENTENCE.strip(), "Noted by its printer.", f"{OTHER}The end."]
    assert [text for text, kind in zip(table.text, table.type, strict=True) if kind == TEXT_BLOCK] == texts
    assert [table.main[table.text.index(text)] for text in texts] == [True, True, False, True]
    assert table.marks["links"] == {4: f'[[{len(OTHER)},{len(OTHER) + 8},"https://hives.example/end"]]'}
    assert (table.parent_id, table.subtree_end) == ([-1, 0, 0, 0, 0], [5, 2, 3, 4, 5])
    assert document.normalize() == document


def test_text_that_only_trafilatura_sees_is_added():
    hidden = f"<noscript><p>{OTHER}{OTHER}</p></noscript>"
    page = f"<html><body><article><h1>Days</h1><p>{SENTENCE * 4}</p>{hidden}</article></body></html>".encode()
    document = corpuskit.extract(page, options=ExtractOptions(main="trafilatura"))
    import trafilatura

    assert words(document.to_text(main=True)) == words(trafilatura.extract(page))


def test_comments_are_a_part_of_their_own():
    comment = "I have kept bees on the heather for forty years and never saw a better August than this one was."
    page = PAGE.replace(b"</article>", f'</article><div id="comments" class="comments"><p>{comment}</p></div>'.encode())
    document = corpuskit.extract(page, options=ExtractOptions(main="trafilatura", comments=True))
    roles = document.table.marks["role"]
    assert [document.table.text[row] for row, role in roles.items() if role == "comment"] == [comment]
    without = corpuskit.extract(page, options=ExtractOptions(main="trafilatura"))
    assert comment not in without.to_text(main=True)


def test_an_argument_that_trafilatura_does_not_have_is_told():
    with pytest.raises(ConfigurationError, match="include_everything"):
        extract(main="trafilatura", trafilatura={"include_everything": True})
    with pytest.raises(ConfigurationError, match="given by the extraction itself"):
        extract(main="trafilatura", trafilatura={"url": "https://x.example/"})


def test_a_document_with_a_peer_can_be_sent_to_another_process():
    document = pickle.loads(pickle.dumps(extract(main="trafilatura")))
    assert document == extract(main="trafilatura")


_WORDS = st.lists(st.sampled_from("abcde"), max_size=40)


@given(_WORDS, _WORDS)
def test_an_alignment_gives_each_word_an_equal_one_and_none_twice(wanted, there):
    places = align(wanted, there)
    found = [place for place in places if place >= 0]
    assert len(found) == len(set(found))
    assert all(place < 0 or there[place] == word for place, word in zip(places, wanted, strict=True))


@given(_WORDS)
def test_a_text_is_found_in_itself_as_a_whole(words):
    assert align(words, words) == list(range(len(words)))


def test_words_written_together_are_found():
    wanted, there = ["one", "twothree", "four"], ["one", "two", "three", "four"]
    assert joined(wanted, there, align(wanted, there)) == {1: (1, 3)}


def test_an_argument_that_trafilatura_does_not_have_is_refused_before_a_page_is_read():
    import inspect

    import trafilatura

    from corpuskit.extraction.options import _RESERVED_ARGUMENTS, _TRAFILATURA_ARGUMENTS

    assert set(inspect.signature(trafilatura.extract).parameters) <= _TRAFILATURA_ARGUMENTS | _RESERVED_ARGUMENTS
    with pytest.raises(
        ConfigurationError, match=r"trafilatura = \{'bogus': ...\}: unknown argument, expected one of author_"
    ):
        ExtractOptions(main="trafilatura", trafilatura={"bogus": 1})
