"""Hebrew and Arabic: drawn from left to right as people see it, read in logical order."""

import re

import pytest

from .reading import read, table_cells
from .writer import Page, pdf

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
