from corpuskit.document import DocumentBuilder, to_nlptext


def test_carriage_returns_become_line_feeds_before_escaping():
    builder = DocumentBuilder("t", "u")
    builder.add_text_block("a\r\nb\rc")
    assert to_nlptext(builder.build()).splitlines()[-1] == r"a\nb\nc"


def test_white_space_blocks_and_empty_groups_are_dropped_but_never_a_navigation_list():
    builder = DocumentBuilder()
    builder.add_text_block(" \u00a0\n")
    builder.start_section()
    builder.start_section(" ")
    builder.end_section()
    builder.end_section()
    builder.start_section()
    builder.start_navigation_list()
    builder.end_navigation_list()
    builder.end_section()
    builder.start_section("titled")
    builder.end_section()
    normal = builder.build().normalize()
    assert [(e.type, e.nesting_level) for e in normal] == [("Section", 1), ("NavigationList", 2), ("Section", 1)]


def test_an_empty_cell_is_dropped_and_the_grid_comes_from_coordinates():
    builder = DocumentBuilder()
    builder.start_table()
    builder.start_table_cell(1, 1)
    builder.end_table_cell()
    builder.start_table_cell(1, 2)
    builder.add_text_block("x")
    builder.end_table_cell()
    builder.end_table()
    table = builder.build().normalize().elements[0]
    assert [(cell.row, cell.col) for cell in table.elements] == [(1, 2)]


def test_lone_surrogates_become_replacement_characters_and_are_counted():
    builder = DocumentBuilder("a\ud800", "u")
    builder.add_text_block("\udfff\udfff")
    normal = builder.build().normalize()
    assert normal.title == "a\ufffd"
    assert normal.table.text == ["\ufffd\ufffd"]
    assert normal.warnings == ["3 lone surrogates became U+FFFD"]


def test_marks_and_main_follow_their_elements():
    builder = DocumentBuilder()
    builder.add_text_block(" ")
    builder.mark("role", builder.add_text_block("kept"), "paragraph")
    document = builder.build()
    document.table.main[1] = False
    normal = document.normalize()
    assert normal.table.marks == {"role": {0: "paragraph"}}
    assert normal.table.main == [False]


def test_a_list_with_two_bars_in_an_item_or_an_arrow_in_its_title_takes_the_long_form():
    for title, item in ((None, "a||b"), ("x >> y", "a"), (None, "x" * 50), (" t", "a")):
        builder = DocumentBuilder("t", "u")
        builder.start_list(title)
        builder.start_list_item()
        builder.add_text_block(item)
        builder.end_list_item()
        builder.end_list()
        assert "List Items" not in to_nlptext(builder.build())


def test_the_end_of_a_long_title_is_cut_at_47_utf16_units():
    builder = DocumentBuilder("t", "u")
    builder.start_section("😀" * 24)  # 48 units; the 24th would be cut in two
    builder.add_text_block("x")
    builder.end_section()
    assert f"## 1 Section End <<{'😀' * 23}...>>" in to_nlptext(builder.build())


def test_links_go_where_a_line_end_of_two_characters_became_one_and_stay_elsewhere():
    builder = DocumentBuilder()
    for text in ("a\r\nb", "a\nb", "a\rb"):
        builder.mark("links", builder.add_text_block(text), '[[2, 3, "http://a.example/"]]')
    normal = builder.build().normalize()
    assert normal.table.text == ["a\nb"] * 3
    assert normal.table.marks["links"] == {1: '[[2, 3, "http://a.example/"]]'}
