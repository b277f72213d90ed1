"""Hebrew and Arabic: drawn from left to right as people see it, read in logical order."""

import re

import numpy as np
import pytest
from pdf_builder import Page, pdf
from pdf_reading import read, table_cells

from corpuskit.extraction.pdf.direction import reading_order

HEBREW = ["שלום לכל אנשי הכפר הקטן", "הנהר עלה בלילה ועמד על השדות", "ואיש לא זכר שעלה כל כך 1905 שם"]
ARABIC = ["كان النهر قد ارتفع في الليل", "ووقف على المروج السفلى طويلا"]


def seen(text):
    """Letters as they stand on paper from left to right; numbers and Latin words keep their order."""
    return re.sub(r"[A-Za-z0-9](?:[A-Za-z0-9 ]*[A-Za-z0-9])?", lambda part: part[0][::-1], text[::-1])


def mirrored(text):
    return seen(text).translate(str.maketrans("()[]", ")(]["))


@pytest.mark.parametrize("lines", [HEBREW, ARABIC])
def test_lines_are_read_in_logical_order(lines):
    page = Page()
    for k, line in enumerate(lines):
        page.unicode(500 - 5 * len(line), 100 + 12 * k, seen(line))
    assert read(pdf(page)).to_text() == " ".join(lines)


@pytest.mark.parametrize("backwards", [False, True])
def test_words_drawn_one_by_one_in_either_order_are_put_in_logical_order(backwards):
    page = Page()
    for k, line in enumerate(HEBREW):
        x, placed = 500, []
        for word in line.split():
            x -= 5 * len(word)
            placed.append((x, seen(word)))
            x -= 3
        for left, word in reversed(placed) if backwards else placed:
            page.unicode(left, 100 + 12 * k, word)
    assert read(pdf(page)).to_text() == " ".join(HEBREW)


@pytest.mark.parametrize("line", ["הנהר (river) עלה", "הוא גר ב New York City היום", "עמוד [12] ועוד (כאן) שם"])
def test_brackets_numbers_and_foreign_words_keep_their_place(line):
    page = Page().unicode(300, 100, mirrored(line)).unicode(300, 112, mirrored(line))
    assert read(pdf(page)).to_text() == f"{line} {line}"


def test_a_phrase_in_an_english_line_keeps_its_order():
    page = Page().unicode(60, 100, f"so does {seen('אחר כך')} and {seen('שלום')} later")
    assert read(pdf(page)).to_text() == "so does אחר כך and שלום later"


def test_cells_are_read_in_logical_order():
    page = Page().grid([60, 200, 400], [100, 120, 140, 160])
    for k, (name, value) in enumerate([("שם העיר", "גובה המים"), ("כפר סבא", "12"), ("בית שמש", "14")]):
        page.unicode(70, 114 + 20 * k, seen(value)).unicode(220, 114 + 20 * k, seen(name))
    cells = table_cells(read(pdf(page)))
    assert cells[1, 2][0] == "שם העיר"
    assert cells[2, 2][0] == "כפר סבא"


def test_lam_stands_before_alef_where_both_are_one_sign():
    page = Page().unicode(300, 100, seen("مشك\ue000ت"))
    assert read(pdf(page)).to_text() == "مشكلات"


def in_reading_order(page, x, y, text):
    """The first letter first, each 5 points left of the one before it, as browsers write such scripts."""
    codes = b" 1000 ".join(b"<%s>" % letter.encode("utf-16-be").hex().encode() for letter in text)
    page.content.append(b"BT /FU 10 Tf 1 0 0 1 %d %d Tm [%s] TJ ET" % (x, page.height - y, codes))
    return page


@pytest.mark.parametrize(
    "line", ["שלום לכל אנשי הכפר הקטן", "זה (כאן) היה.", "زبان فارسی یکی از زبانهاست.", "كان النهر قد ارتفع"]
)
def test_letters_drawn_in_the_order_of_reading_are_not_turned_around(line):
    assert read(pdf(in_reading_order(Page(), 400, 100, line))).to_text() == line


@pytest.mark.parametrize("number", ["۱۳۹۸", "٢٠٢٤/٠٥/١٨", "1,250.00"])
def test_numbers_of_each_script_stand_from_left_to_right(number):
    page = Page().unicode(300, 100, f"{seen('نفر بود')} {number} {seen('در سال')}")
    assert read(pdf(page)).to_text() == f"در سال {number} نفر بود"


def test_a_sign_of_per_cent_stands_behind_its_number():
    hebrew, arabic = f"{seen('הנחה')} 15% {seen('של')}", f"{seen('خصم')} %15 {seen('كان')}"  # as UAX 9 has them drawn
    assert read(pdf(Page().unicode(300, 100, hebrew))).to_text() == "של 15% הנחה"
    assert read(pdf(Page().unicode(300, 100, arabic))).to_text() == "كان 15% خصم"


def test_the_stroke_that_fills_a_line_is_no_letter():
    page = Page().unicode(300, 100, seen("زب\x0bان فارس\x0bی"))
    assert read(pdf(page)).to_text() == "زبان فارسی"


def test_a_mark_is_read_after_the_letter_over_which_it_stands():
    mark_over = Page().unicode(300, 98, "ٔ ").unicode(280, 100, seen("شاهنامه"))
    assert (
        read(pdf(mark_over)).to_text() == "شاهٔنامه"
    )  # of seven letters from 280 on, 5 points each, the third from the right


def test_the_letters_of_one_sign_are_turned_back_unless_unicode_has_the_sign():
    code = np.array([0x647, 0x644, 0x644, 0x627])  # heh, lam, lam of one sign, then alef at the left
    boxes = np.array([[20, 10, 30, 0]] * 3 + [[10, 10, 20, 0]], np.float32)
    assert reading_order(code, boxes, np.zeros(4, np.intp)).tolist() == [2, 1, 0, 3]
    allah = np.array([0x627, 0x644, 0x644, 0x647])  # U+FDF2, which pdfium writes out
    assert reading_order(allah, np.repeat(boxes[:1], 4, axis=0), np.zeros(4, np.intp)).tolist() == [0, 1, 2, 3]
