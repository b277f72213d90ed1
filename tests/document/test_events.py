from corpuskit.document import DocumentBuilder, from_nlptext


def rows(frame):
    columns = (frame.DocEltType.astype(str), frame.DocEltCmd.astype(str), frame.NestingLevel, frame.Text)
    return list(zip(*columns, strict=True))


def test_the_legacy_frame_has_a_row_for_each_event_in_order():
    builder = DocumentBuilder("T", "http://u.example/")
    builder.start_section("S")
    builder.add_text_block("one")
    builder.start_section()
    builder.add_text_block("two")
    builder.end_section()
    builder.end_section()
    frame = builder.build().events(doc_id=7)
    assert frame.DocId.tolist() == [7] * len(frame)
    assert rows(frame) == [
        ("Document", "Start", 0, "7"),
        ("Document", "Title", 0, "T"),
        ("Document", "Uri", 0, "http://u.example/"),
        ("Section", "Start", 1, None),
        ("Section", "Title", 1, "S"),
        ("TextBlock", "Text", 2, "one"),
        ("Section", "Start", 2, None),
        ("TextBlock", "Text", 3, "two"),
        ("Section", "End", 2, None),
        ("Section", "End", 1, None),
        ("Document", "End", 0, None),
    ]
    assert {name: str(dtype) for name, dtype in frame.dtypes.items()} == {
        "DocId": "int64",
        "DocEltType": "category",
        "DocEltCmd": "category",
        "NestingLevel": "uint8",
        "Text": "object",
    }


def test_items_of_a_compact_list_are_list_item_texts_one_level_below_the_list():
    head = "## NLPTextDocument Title T\n## NLPTextDocument Uri u\n## NLPTextDocument Timestamp 2023-05-06T07:08:09\n\n"
    frame = from_nlptext(head + "## 1 List Items Steps >> a || b\n").events()
    assert rows(frame)[3:-1] == [
        ("List", "Start", 1, None),
        ("List", "Title", 1, "Steps"),
        ("ListItem", "Text", 2, "a"),
        ("ListItem", "Text", 2, "b"),
        ("List", "End", 1, None),
    ]


def test_a_document_without_elements_is_four_rows():
    assert len(DocumentBuilder("T", "u").build().events()) == 4
