import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpuskit.store.paths import document_path, version_path

RESERVED = {"con", "prn", "aux", "nul", *(f"com{i}" for i in range(10)), *(f"lpt{i}" for i in range(10))}


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("http://www.bank.example/a/b.html", "www.bank.example/a/b.html"),
        ("http://bank.example", "bank.example/_default_"),
        ("http://bank.example/a/", "bank.example/a/_default_"),
        ("http://bank.example/a%20b/c", "bank.example/a b/c"),
        # MD5 of "?id=3", upper hexadecimal digits: printf '?id=3' | md5sum
        ("http://bank.example/p?id=3", "bank.example/p_E30BFCD60DD86E3372A2FCA41279E254"),
        ("http://bank.example:8080/x", "bank.example_8080/x"),
        ("reports/2024/a.pdf", "_files_/reports/2024/a.pdf"),
        ("http://bank.example/a:b*c", "bank.example/a_b_c"),
        ("http://bank.example/con/x", "bank.example/_con/x"),
        ("http://bank.example/../../etc/passwd", "bank.example/etc/passwd"),
        ("http://bank.example/%2e%2e/%2e%2e/etc", "bank.example/etc"),
        ("http://bank.example/a%2fb", "bank.example/a_b"),
    ],
)
def test_a_document_stands_where_its_host_and_path_say(uri, path):
    assert document_path(uri) == path


@given(st.text(max_size=300), st.sampled_from(["http://h.example/", "https://h.example/?", "", "file:///"]))
def test_any_uri_gives_a_path_that_is_legal_on_every_system(text, prefix):
    path = document_path(prefix + text)
    assert len(path.encode()) < 2000
    for segment in path.split("/"):
        assert segment
        assert segment not in {".", ".."}
        assert not re.search(r'[<>:"\\|?*\x00-\x1f]', segment)
        assert not segment.endswith((".", " "))
        assert segment.partition(".")[0].lower() not in RESERVED
        assert len(segment.encode()) <= 120
        segment.encode()


@pytest.mark.parametrize(
    ("last", "taken", "path"),
    [
        (None, set(), "h.example/lib.videos/x"),
        (None, {"h.example/lib.videos/x"}, "h.example/lib.videos/x~0123456789abcdef"),
        ((1, "h.example/lib.videos/x"), set(), "h.example/lib.videos/x.v2"),
        ((2, "h.example/lib.videos/x.v2"), set(), "h.example/lib.videos/x.v3"),
        ((1, "h.example/lib.v2"), set(), "h.example/lib.v2.v2"),
        ((2, "h.example/x.v2"), {"h.example/x.v3"}, "h.example/x.v3~0123456789abcdef.v3"),
        ((3, "h.example/x.v3~0123456789abcdef.v3"), set(), "h.example/x.v4"),
        ((1, "h.example/x~0123456789abcdef"), set(), "h.example/x~0123456789abcdef.v2"),
        ((9, "h.example/x.v9"), set(), "h.example/x.v10"),
    ],
)
def test_a_version_stands_beside_the_last_one(last, taken, path):
    assert version_path("http://h.example/lib.videos/x", "0123456789abcdef", last, taken.__contains__) == path


def test_a_page_of_an_older_corpus_keeps_its_name():
    old = "bank.example/p_D708890652C8C91BE720C10731416368"  # its question mark was not hashed
    taken = {old}
    assert version_path("http://bank.example/p?id=3", "0" * 16, (1, old), taken.__contains__) == f"{old}.v2"
