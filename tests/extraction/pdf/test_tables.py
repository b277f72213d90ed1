"""Ruled, booktabs, borderless and tagged tables, and what only looks like one."""

from pdf_builder import Page, pdf
from pdf_reading import PROSE, read, roles, table_cells

GRAIN = [("Grain", "Spring", "Autumn"), ("Rye", "12", "14"), ("Wheat", "15", "11"), ("Oats", "9", "8")]


def has_table(document):
    return 5 in document.table.type


def put(page, rows, xs, y, *, leading=16, **look):
    for i, row in enumerate(rows):
        for x, text in zip(xs, row, strict=True):
            if text:
                page.text(x, y + leading * i, text, **look)
    return page


def plain(rows):
    return {(i, j): (text, 1, 1) for i, row in enumerate(rows, 1) for j, text in enumerate(row, 1)}


def test_a_ruled_table_has_its_cells_and_header():
    page = put(Page().lines(60, 60, PROSE), GRAIN, (85, 185, 285), 152).grid(
        (80, 180, 280, 380), (140, 156, 172, 188, 204)
    )
    document = read(pdf(page.lines(60, 240, PROSE)))
    assert table_cells(document) == plain(GRAIN)
    assert document.table.type.count(6) == 3


def test_a_missing_rule_is_a_span():
    page = Page().grid((80, 180, 280), (140, 160, 180))
    page.content.clear()
    for y in (140, 160, 180):
        page.rule(80, y, 280, y)
    page.rule(80, 140, 80, 180).rule(280, 140, 280, 180).rule(180, 160, 180, 180)
    page.text(85, 154, "Harvest").text(85, 174, "Rye").text(185, 174, "12")
    assert table_cells(read(pdf(page))) == {(1, 1): ("Harvest", 1, 2), (2, 1): ("Rye", 1, 1), (2, 2): ("12", 1, 1)}


def test_rows_without_rules_between_are_parted():
    page = Page()
    for x in (80, 180, 280):
        page.rule(x, 140, x, 210)
    for y in (140, 156, 210):
        page.rule(80, y, 280, y)
    put(page, [row[:2] for row in GRAIN], (85, 185), 152)
    assert table_cells(read(pdf(page))) == plain([row[:2] for row in GRAIN])


def test_a_table_with_three_rules_only():
    page = put(Page().lines(60, 60, PROSE), GRAIN, (85, 185, 285), 152)
    for y in (140, 156, 204):
        page.rule(80, y, 380, y)
    assert table_cells(read(pdf(page.lines(60, 240, PROSE)))) == plain(GRAIN)


def test_a_table_without_any_rule():
    page = put(Page().lines(60, 60, PROSE), GRAIN, (85, 185, 285), 152).lines(60, 240, PROSE)
    assert table_cells(read(pdf(page))) == plain(GRAIN)


def test_a_table_with_few_heads_has_all_its_columns():
    rows = [("", "2019", "", "2020", ""), *[(f"Field {k}", f"{k}1", f"{k}.2", f"{k}3", f"{k}.4") for k in range(1, 9)]]
    page = put(Page(), rows, (60, 160, 220, 300, 360), 100)
    cells = table_cells(read(pdf(page)))
    assert max(col for _, col in cells) == 5
    assert cells[9, 5][0] == "8.4"


def test_groups_of_rows_parted_by_room_are_still_rows():
    page = Page()
    names = [f"Parish {k}" for k in range(12)]
    for k, name in enumerate(names):
        y = 100 + 11 * k + 11 * (k // 4)
        page.text(60, y, name).text(200, y, str(k)).text(300, y, str(k * 7))
    cells = table_cells(read(pdf(page)))
    assert [cells[k + 1, 1][0] for k in range(12)] == names


def test_boxed_code_is_no_table():
    page = Page().lines(60, 60, PROSE)
    for k, line in enumerate(["$ make all", "cc -o mill mill.c", "cc -o weir weir.c", "done"]):
        page.box(60, 130 + 12 * k, 540, 142 + 12 * k).text(64, 139 + 12 * k, line, font="mono")
    document = read(pdf(page.lines(60, 220, PROSE)))
    assert not has_table(document)
    assert roles(document, "code") == ["$ make all\ncc -o mill mill.c\ncc -o weir weir.c\ndone"]


def test_a_frame_around_prose_is_no_table():
    page = Page().grid((50, 560), (90, 160)).lines(60, 105, PROSE)
    assert not has_table(read(pdf(page)))


def test_contents_with_leaders_are_no_table():
    page = Page()
    for k in range(6):
        page.text(60, 100 + 14 * k, f"Chapter of the number {k} . . . . . . . . . . . . . .").text(
            500, 100 + 14 * k, str(k)
        )
    assert not has_table(read(pdf(page)))


def test_a_bar_of_filled_cells_is_the_head_of_the_rows_below():
    page = Page().lines(60, 60, PROSE)
    for left in (80, 180, 280):
        page.box(left, 140, left + 100, 156)
    assert table_cells(read(pdf(put(page, GRAIN, (85, 185, 285), 152)))) == plain(GRAIN)


def test_stripes_behind_some_cells_do_not_tear_a_table_of_amounts_apart():
    page = Page().lines(60, 60, PROSE)
    rows = [
        ("Seed", "$", "178", "$", "141"),
        ("Tools", "", "3,423", "", "2,532"),
        ("Fields", "", "23", "", "32"),
        ("Total", "$", "3,624", "$", "2,705"),
    ]
    put(page, rows, (82, 302, 330, 370, 398), 162, leading=9, size=7)
    for top, left in ((155, 304), (173, 300)):
        page.box(80, top, 300, top + 9).box(left, top, 365, top + 9).box(left + 70, top, 430, top + 9)
    for left, right in ((300, 365), (370, 430)):
        page.rule(left, 182, right, 182).rule(left, 191, right, 191).rule(right, 155, right, 191)
    found = table_cells(read(pdf(page.lines(60, 260, PROSE))))
    assert found == {(i, j): (text, 1, 1) for i, row in enumerate(rows, 1) for j, text in enumerate(row, 1)}


def test_a_line_with_an_amount_and_without_the_number_of_its_row_is_a_row():
    few = [("", f"Ann {name}", "salary of a clerk", f"{k},100.00") for k, name in enumerate(("Ash", "Elm", "Oak"), 1)]
    page = put(Page(), [("Number", "Payee", "What for", "Amount"), *few], (60, 140, 260, 420), 100, leading=12)
    for k in range(6):
        lines = [(f"D-{k}", "A card", "journey to a town", f"{k}20.00"), ("", "", "and back by train", "")]
        put(page, lines, (60, 140, 260, 420), 148 + 24 * k, leading=12)
    found = table_cells(read(pdf(page)))
    assert [found[row, 2][0] for row in range(1, 6)] == ["Payee", "Ann Ash", "Ann Elm", "Ann Oak", "A card"]
    assert found[5, 3][0] == "journey to a town and back by train"


def test_a_head_filled_line_by_line_is_one_row():
    page = Page().grid((80, 180, 280), (140, 170, 186, 202))
    for left in (80, 180):
        page.box(left, 140, left + 100, 170)
        for top in (142, 155):
            page.box(left + 5, top, left + 95, top + 13)
    put(page, [("Grain of", "Tons in"), ("the year", "spring")], (86, 186), 152, leading=13)
    put(page, [("Rye", "12"), ("Oats", "9")], (86, 186), 182)
    found = table_cells(read(pdf(page)))
    assert found == plain([("Grain of the year", "Tons in spring"), ("Rye", "12"), ("Oats", "9")])


def test_a_head_centred_over_short_cells_is_in_their_column():
    page = put(Page(), [("Saccharometer", "DI Water", "Glucose")], (95, 215, 305), 100, font="bold")
    rows = [("1", "16 ml", "12 ml"), ("2", "24 ml", "0 ml"), ("3", "12 ml", "8 ml")]
    page = put(page, rows, (75, 200, 300), 116)
    assert table_cells(read(pdf(page))) == plain([("Saccharometer", "DI Water", "Glucose"), *rows])


def test_rules_that_part_only_the_head_do_not_merge_the_rows_below():
    page = put(Page(), [("Grain", "Spring", "Autumn"), ("", "tons", "tons")], (85, 185, 285), 152)
    rows = [("Rye", "12", "14"), ("Wheat", "15", "11"), ("Oats", "9", "8"), ("Maize", "7", "6"), ("Barley", "5", "4")]
    put(page, rows, (85, 185, 285), 188)
    for y in (143, 158, 174, 178, 256):
        page.rule(80, y, 380, y)
    found = table_cells(read(pdf(page)))
    assert [found[row, 1][0] for row in range(3, 8)] == [row[0] for row in rows]


def test_a_title_between_rows_of_numbers_is_a_row():
    page = put(Page(), GRAIN, (85, 225, 325), 100).text(240, 164, "Tons an acre in both")
    put(page, [("Rye", "1", "2"), ("Oats", "3", "4")], (85, 225, 325), 180)
    found = table_cells(read(pdf(page)))
    assert found[5, 2] == ("Tons an acre in both", 1, 2)
    assert found[6, 1] == ("Rye", 1, 1)


def test_names_of_groups_stand_in_rows_of_their_own():
    page = Page().grid((80, 220, 320, 420), (140, 156, 256))
    put(page, [("Field", "Spring", "Autumn")], (85, 225, 325), 152)
    rows = [
        ("Lower meadow", "", ""),
        ("Rye", "12", "14"),
        ("Oats", "9", "8"),
        ("Upper meadow", "", ""),
        ("Rye", "7", "6"),
    ]
    put(page, rows, (85, 225, 325), 170)
    assert table_cells(read(pdf(page))) == plain([("Field", "Spring", "Autumn"), *rows])


def test_titles_stand_over_the_columns_they_are_centred_on():
    page = Page()
    for x, name in ((205, "Spring"), (375, "Autumn")):
        page.text(x, 100, name, font="bold")
    put(page, [("Grain", "lowest", "highest", "lowest", "highest")], (85, 180, 240, 350, 410), 116, font="bold")
    rows = [("Rye", "12", "14", "3", "5"), ("Wheat", "15", "17", "7", "9"), ("Oats", "9", "19", "6", "8")]
    found = table_cells(read(pdf(put(page, rows, (85, 180, 240, 350, 410), 132))))
    assert found[1, 1] == ("Grain", 2, 1)
    assert found[1, 2] == ("Spring", 1, 2)
    assert found[1, 4] == ("Autumn", 1, 2)
    assert found[2, 2] == ("lowest", 1, 1)


NARROW = [
    "The river rose in the night and stood on",
    "the lower meadows until the week after,",
    "and nobody knew that it had ever come",
    "so far up the lane beside the old mill.",
]


def test_a_table_across_two_columns_of_text_is_whole():
    names = ("Model", "Rye", "Oats", "Wheat", "Barley", "Maize")
    table = [names, *((f"Field {k}", *(str(10 * k + j) for j in range(5))) for k in range(1, 5))]
    page = put(Page(), table, (65, 150, 230, 320, 400, 480), 72)
    for y in (60, 76, 142):
        page.rule(60, y, 520, y)
    for x in (60, 310):
        page.lines(x, 180, 4 * NARROW)
    document = read(pdf(page))
    assert table_cells(document) == plain(table)
    text = " ".join(NARROW)
    assert f"{text} {text}" in document.to_text().replace("\n", " ")


def test_notes_by_number_are_no_table():
    page = Page()
    for k in range(5):
        page.text(60, 100 + 14 * k, str(25 + k)).text(
            90, 100 + 14 * k, f"The millers of the valley, volume {k}, leaf {7 * k}"
        )
    assert not has_table(read(pdf(page)))


def test_a_line_of_prose_with_a_picture_in_it_is_no_table():
    full = "n the case that the distributions were identically distributed with expected value and variance of both of them,"
    page = Page(612, 792).text(54, 119, full).text(54, 135, "and").text(54, 150.5, "individual earnings would be so")
    page.text(90, 135, ", each partner would face the same expected value as before that,").text(
        424, 135, ". But, the variance of their"
    )
    page.text(318, 150.5, ", half of what it was before without combining all").text(54, 166, full)
    assert not has_table(read(pdf(page)))


def test_justified_lines_of_a_narrow_column_are_no_table():
    page = Page().text(60, 100, "incomprehensibilities of men all", font="mono")
    for k, line in enumerate(["tend to be widest", "set the words of it", "far apart on a line", "that is short"], 1):
        words = line.split()
        blank = 6 * (32 - sum(map(len, words))) / (len(words) - 1)  # each letter is 6 points wide
        x = 60
        for word in words:
            page.text(x, 100 + 12 * k, word, font="mono")
            x += 6 * len(word) + blank
    assert not has_table(read(pdf(page)))


def test_leaders_before_several_numbers_are_rows_of_a_table():
    page = put(Page(), [("Share", "1.0", "1.1", "1.2")], (60, 220, 270, 320), 100)
    rows = [
        ("0.99 ............", "800", "880", "960"),
        ("0.95 ............", "160", "176", "192"),
        ("0.90 ............", "80", "88", "96"),
    ]
    assert table_cells(read(pdf(put(page, rows, (60, 220, 270, 320), 114)))) == plain(
        [("Share", "1.0", "1.1", "1.2"), *rows]
    )


CONTENTS = [
    ("Acknowledgements", "vii"),
    ("Introduction", "1"),
    ("The lower meadows", "3"),
    ("The mill", "12"),
    ("The lane", "40"),
]


def test_contents_without_leaders_are_a_list_with_their_parts():
    page = put(Page().text(60, 60, "Contents", size=18), CONTENTS, (60, 400), 100)
    page.text(60, 196, "Part II. The year after", size=14)
    put(page, [("The bridge", "55"), ("The gate posts", "71")], (60, 400), 220)
    document = read(pdf(page))
    assert not has_table(document)
    assert roles(document, "section-heading") == ["Contents"]
    assert roles(document, "list") == [
        *(f"{title} {number}" for title, number in CONTENTS), "Part II. The year after", "The bridge 55", "The gate posts 71",
    ]  # fmt: skip


def test_numbers_that_rise_below_a_head_are_a_table():
    rows = [("Grain", "Tons"), ("Rye", "12"), ("Wheat", "15"), ("Oats", "18"), ("Barley", "21"), ("Maize", "30")]
    assert table_cells(read(pdf(put(Page(), rows, (60, 400), 100)))) == plain(rows)


def chart():
    """Bars with their values and names, a scale on the left."""
    page = Page().lines(60, 60, PROSE)
    for k in range(5):
        page.text(80, 150 + 20 * k, f"{40 - 10 * k:>2}").rule(100, 146 + 20 * k, 400, 146 + 20 * k)
    for k, (name, value) in enumerate([("Rye", 31), ("Oats", 18), ("Wheat", 27)]):
        left, top = 130 + 90 * k, 226 - 2 * value
        page.box(left, top, left + 20, 226, grey=0.4).text(left, top - 3, str(value)).text(left, 244, name)
    return page.text(80, 275, "Source: the mill")


def test_the_labels_of_a_chart_are_one_figure():
    document = read(pdf(chart().lines(60, 300, PROSE)))
    assert not has_table(document)
    assert roles(document, "figure") == ["40 31 30 27 20 18 10 0 Rye Oats Wheat"]
    assert "Source: the mill" in roles(document, "paragraph")


def test_years_that_fall_down_a_table_are_no_scale():
    rows = [("Year", "Rye"), ("2004", "12"), ("2003", "11"), ("2002", "14"), ("2001", "9")]
    page = put(Page(), rows, (80, 180), 100)
    for y in (88, 104, 120, 136, 152, 168):
        page.rule(78, y, 240, y)
    assert table_cells(read(pdf(page))) == plain(rows)


def test_a_definition_list_of_long_texts_is_no_lost_text():
    page = Page()
    for k in range(4):
        page.text(60, 100 + 26 * k, f"Term {k}").lines(160, 100 + 26 * k, [PROSE[0], "and more of it."])
    text = read(pdf(page)).to_text()
    assert all(f"Term {k}" in text for k in range(4))
    assert text.count("and more of it.") == 4


def test_a_caption_above_is_the_title():
    page = Page().lines(60, 60, PROSE).text(80, 134, "Table 1: Harvests")
    put(page, GRAIN, (85, 185, 285), 152).grid((80, 180, 280, 380), (140, 156, 172, 188, 204))
    document = read(pdf(page))
    assert document.table.text[document.table.type.index(5)] == "Table 1: Harvests"
    assert document.to_text().count("Table 1: Harvests") == 1


def test_a_table_goes_on_on_the_next_page():
    xs = (80, 180, 280, 380)
    first = put(Page(), GRAIN, (85, 185, 285), 712).grid(xs, (700, 716, 732, 748, 764))
    more = [("Barley", "7", "6"), ("Maize", "3", "4")]
    second = put(Page(), more, (85, 185, 285), 72).grid(xs, (60, 76, 92))
    document = read(pdf(first, second))
    assert document.table.type.count(5) == 1
    assert table_cells(document) == plain([*GRAIN, *more])


def test_a_repeated_head_is_left_out_when_a_table_goes_on():
    xs = (80, 180, 280, 380)
    first = put(Page(), GRAIN, (85, 185, 285), 712).grid(xs, (700, 716, 732, 748, 764))
    second = put(Page(), [GRAIN[0], ("Barley", "7", "6")], (85, 185, 285), 72).grid(xs, (60, 76, 92))
    assert table_cells(read(pdf(first, second))) == plain([*GRAIN, ("Barley", "7", "6")])


def test_only_the_head_is_taken_for_repeated_when_pages_hold_equal_rows():
    def page():
        return put(Page(), GRAIN, (85, 185, 285), 52).grid((80, 180, 280, 380), (40, 56, 72, 88, 104))

    assert table_cells(read(pdf(page(), page()))) == plain([*GRAIN, *GRAIN[1:]])


def test_equal_rows_without_a_head_are_kept_on_every_page():
    def page():
        return put(Page(), GRAIN[1:], (85, 185, 285), 52).grid((80, 180, 280, 380), (40, 56, 72, 88))

    assert table_cells(read(pdf(page(), page()))) == plain([*GRAIN[1:], *GRAIN[1:]])


def test_tags_give_the_cells_where_rules_do_not():
    page = Page()
    page.tag("P", *[(60, 60 + 12 * k, line) for k, line in enumerate(PROSE)])
    for i, row in enumerate(GRAIN):
        for j, text in enumerate(row):
            place = "Table/+TR" if j == 0 else "Table/TR"
            page.tag("TH" if i == 0 else "TD", (85 + 40 * j, 150 + 12 * i, text), parent=place)
    document = read(pdf(page))
    assert table_cells(document) == plain(GRAIN)
    assert document.table.type.count(6) == 3


def test_heading_tags_are_taken_and_short_paragraphs_are_not():
    page = Page()
    page.tag("H1", (60, 60, "Of boats"))
    page.tag("P", *[(60, 80 + 12 * k, line) for k, line in enumerate(PROSE)])
    page.tag("P", (60, 140, "Not a heading", {"font": "bold", "size": 14}))
    page.tag("P", *[(60, 170 + 12 * k, line) for k, line in enumerate(PROSE)])
    assert roles(read(pdf(page)), "section-heading") == ["Of boats"]
