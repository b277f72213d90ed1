"""The normaliser: what each layer does, the way back, and that twice is once."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpuskit.errors import ConfigurationError
from corpuskit.text import LAYERS, PRESETS, NormalizeOptions, Target, normalize
from corpuskit.text.offsets import OffsetMap, apply_edits

SUSPECTS = "éàœﬁ½²ⅣⅡ①раΑο☎\x93\x80\x85\u2028\r\n \t’“«…Ã©â€™Â\xa0e\u0301\u0327\u200b\u00ad\ufffd\ufffcl's漢ｱ가\u1100\u1161\ud800\ue000\ufe0f1👍🏽ßþĳ"
texts = st.one_of(st.text(), st.text(alphabet=SUSPECTS, max_size=12), st.text(alphabet="Ã©â€™Â« Ð¿ñ", max_size=10))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("l\x92\xe9t\xe9", "l'été"),
        ("L'Ã©tÃ© oÃ¹ tout va, â€œbienâ€\x9d", 'L\'été où tout va, "bien"'),
        ("jusqu\ufffdici, l\ufffdami", "jusqu'ici, l'ami"),
        ("e\u0301te\u0301", "été"),
        ("a\u00a0b\u00adc\u200bd\r\ne\u2028f", "a bcd\ne\nf"),
        ("ℂ ª Ａ ⓐ ™ ㎏ 𝓐", "C a A a TM kg A"),
        ("ﬃ œ Œ æ ĳ ß", "ffi oe OE ae ij ss"),
        ("1½ ¾ ⑴ ⅷ ٣", "1 1/2 3/4 (1) +8 3"),
        ("‹a› “b” ‘c’ – — ‐ ▪ … ⁄", "'a' \"b\" 'c' - - - • ... /"),
        ("раураl Москва", "paypal \ufffc041C_\ufffc043E_\ufffc0441_\ufffc043A_\ufffc0432_\ufffc0430_"),
        ("ō ż ø ł", "o z o l"),
        ("漢", "\ufffc6F22_"),
        ("→ ☎", "$RightwardsArrow_ $BlackTelephone_"),
        ("a\ue000\ufe0fb", "ab"),
    ],
)
def test_each_layer_does_its_work_in_french(source, expected):
    assert normalize(source, "french").text == expected


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_that_is_off_changes_nothing(layer):
    changing = {
        "win1252_as_latin1": "a\x92b", "utf8_as_win1252": "Ã©tÃ©", "win1252_as_utf8": "l\ufffdami", "combining": "e\u0301",
        "control": "a\u200bb", "letter_symbols": "ℂ", "ligatures": "œ", "number_symbols": "½", "equivalents": "—",
        "look_alikes": "раypal", "rare_diacritics": "ō", "other_scripts": "漢", "symbols": "☎", "ignore": "\ue000",
    }[layer]  # fmt: skip
    assert normalize(changing, "french", layers=[layer]).text != changing
    assert normalize(changing, "french", layers=()).text == changing
    assert all(change.layer != layer for change in normalize(changing, "french", without=[layer]).explain())


def test_french_and_portuguese_words_are_no_mojibake():
    for good in ("château â l'âge", "« À côté »", "«AMANHÃ»", "Âge… naïf’s", "SCHÖ»"):
        assert normalize(good).text == good


def test_a_page_that_mixes_good_and_bad_text_is_repaired_where_it_is_bad():
    assert normalize("déjà vu, dÃ©jÃ\xa0 vu, dÃ©jÃ  vu, Ð¿Ñ€Ð¸Ð²ÐµÑ‚").text == "déjà vu, déjà vu, déjà vu, привет"


def test_any_language_keeps_its_letters():
    for text in (
        "Ελληνικά κείμενα",
        "русский текст",
        "العربية",
        "日本語のテキスト",
        "हिन्दी",
        "می‌خواهم",
        "Straße æ œ ½ ² → «»",
    ):
        assert normalize(text).text == text


def test_a_target_can_be_another_script():
    cyrillic = NormalizeOptions(target=Target(("CYRILLIC",), None, "«»"))
    assert normalize("Привет, «мир» — ½", cyrillic).text == "Привет, «мир» - 1/2"
    assert normalize("Привет λ", cyrillic).text == "Привет \ufffc03BB_"


def test_explain_tells_layer_place_before_and_after():
    changes = normalize("x² ﬁn", "french").explain()
    assert [(c.layer, c.start, c.end, c.before, c.after) for c in changes] == [
        ("number_symbols", 1, 2, "²", "(2)"),
        ("ligatures", 3, 4, "ﬁ", "fi"),
    ]


def test_offsets_lead_both_ways():
    result = normalize("x² ﬁn", "french")  # x(2) fin
    assert result.to_source(1, 4) == (1, 2)
    assert result.to_source(5) == (3, 4)
    assert result.to_source(7) == (4, 5)
    assert result.to_result(3) == (5, 7)
    assert result.to_result(0, 5) == (0, 8)


def test_offsets_over_removed_and_joined_characters():
    result = normalize("a\u200be\u0301b")
    assert result.text == "aéb"
    assert result.to_source(1) == (2, 4)
    assert result.to_result(1) == (1, 1)
    assert result.to_result(3) == (1, 2)


def test_a_place_between_two_characters_is_a_place_in_the_source():
    result = normalize("x² ﬁn", "french")  # x(2) fin
    assert result.to_source(0, 0) == (0, 0)
    assert result.to_source(5, 5) == (3, 3)
    assert result.to_source(8, 8) == (5, 5)


@pytest.mark.parametrize("span", [(-1,), (-1, 2), (3, 2), (8,), (0, 9)])
def test_a_span_outside_the_result_is_refused(span):
    result = normalize("x² ﬁn", "french")  # x(2) fin: eight characters
    with pytest.raises(IndexError):
        result.to_source(*span)


@pytest.mark.parametrize("span", [(-1,), (-1, 2), (3, 2), (5,), (0, 6)])
def test_a_span_outside_the_source_is_refused(span):
    result = normalize("x² ﬁn", "french")  # five characters
    with pytest.raises(IndexError):
        result.to_result(*span)


def test_a_wrong_name_tells_the_right_ones():
    with pytest.raises(ConfigurationError, match="french"):
        normalize("a", "klingon")
    with pytest.raises(ConfigurationError, match="look_alikes"):
        normalize("a", without=["lookalikes"])
    with pytest.raises(ConfigurationError, match="look_alikes"):
        normalize("a", layers=["lookalikes"])


@pytest.mark.parametrize("preset", PRESETS)
@given(text=texts)
@example(text="e\u200b\u0301")
@example(text="ÃÂ©")
@example(text="ﬁ\u0300")
def test_twice_is_once(preset, text):
    once = normalize(text, preset).text
    assert normalize(once, preset).text == once


@pytest.mark.parametrize("preset", PRESETS)
@given(text=texts)
def test_the_traced_way_gives_what_the_fast_way_gives(preset, text):
    result = normalize(text, preset)
    offsets = result.offsets
    assert len(offsets.starts) == len(result.text) + 1
    assert list(offsets.starts) == sorted(offsets.starts)
    assert offsets.starts[-1] == offsets.ends[-1] == len(text)
    # What was not changed leads to itself.
    for position, char in enumerate(result.text):
        start, end = result.to_source(position)
        assert start <= end
        if end - start == 1 and text[start] == char:
            first, last = result.to_result(start)
            assert first <= position < last


@pytest.mark.parametrize("preset", ["french", "english"])
@given(text=texts)
def test_nothing_but_the_target_is_left(preset, text):
    target = PRESETS[preset].target
    assert all(target.keeps(char) for char in normalize(text, preset).text)


@given(
    text=st.text(max_size=20),
    cuts=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 3), st.text(max_size=3)), max_size=4),
)
def test_an_offset_map_knows_every_character_that_was_not_replaced(text, cuts):
    edits, done = [], 0
    for start, length, replacement in sorted(cuts):
        if start >= done and start + length <= len(text):
            edits.append((start, start + length, replacement))
            done = start + length
    result = apply_edits(text, edits)
    offsets = OffsetMap.identity(len(text)).after(edits)
    kept = [i for i in range(len(text)) if not any(s <= i < e for s, e, _ in edits)]
    for i in kept:
        first, last = offsets.to_result(i)
        assert text[i] in result[first:last]
