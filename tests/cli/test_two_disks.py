"""A corpus of one's own on two disks: links in it are refused, and followed where that is typed."""

import sys

import pytest

import corpuskit

PAGE = "<html><head><title>{0}</title></head><body><p>The text of page {0} about premiums.</p></body></html>"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")


@pytest.fixture
def apart(tmp_path):
    """A corpus of four files whose originals are on another disk."""
    folder = tmp_path / "in"
    folder.mkdir()
    for name in "abcd":
        (folder / f"{name}.html").write_text(PAGE.format(name))
    with corpuskit.open(tmp_path / "c") as corpus:
        corpus.add(folder, progress=False)
    (tmp_path / "c" / "originals").rename(tmp_path / "disk2")
    (tmp_path / "c" / "originals").symlink_to(tmp_path / "disk2")
    return tmp_path / "c"


def test_check_tells_one_cause_once_and_what_to_type(cli, apart):
    found = cli("check", apart)
    assert found.code == 3
    words = " ".join(found.out.split())
    assert words.startswith("4 problems")
    assert words.count("is a link") == 1
    assert "originals │ a.html.d/a.html │ 4 │ originals is a link" in words
    assert "b.html.d/b.html" not in words
    assert "trust=True (--trust)" in words


@pytest.mark.slow
def test_links_of_ones_own_corpus_are_followed_where_that_is_typed(cli, apart, tmp_path):
    (tmp_path / "in" / "e.html").write_text(PAGE.format("e"))
    assert cli("add", apart, tmp_path / "in").code != 0
    assert not (tmp_path / "disk2" / "e.html.d").exists()
    trusted = cli("--trust", "check", apart)
    assert (trusted.code, trusted.out) == (0, "no problems found\n")
    assert cli("--trust", "add", apart, tmp_path / "in").code == 0
    assert (tmp_path / "disk2" / "e.html.d" / "e.html").exists()
    assert cli("--trust", "kwic", apart, "premiums").code == 0


def test_what_a_message_names_is_a_command_that_lists_failures(cli, tmp_path):
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7 of nothing")
    added = cli("add", "S1", tmp_path / "bad.pdf")
    assert added.code == 3
    assert "corpuskit failures S1 lists the failures" in added.out
    assert "bad.pdf" in cli("failures", "S1").out
