from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpuskit.relevance import pdf_trio_url_tokens, tokenizer, url_tokens, without_wayback
from corpuskit.relevance.url_tokenizers import bare_host, registered_domain


@pytest.mark.parametrize(
    ("url", "tokens"),
    [
        ("http://arxiv.org/pdf/1312.pdf", " U_pdf U_arxiv.org"),
        ("https://web.archive.org/web/20180511040716/https://ekja.org/upload/pdf/k.pdf", " U_upload U_pdf U_ekja.org"),
        ("http://host.org", " U_host.or"),  # without a path the last letter of the host is lost
        ("http://h.org:8080/a/b/c.pdf", "a U_b U_h.org"),  # with a port the first directory has no prefix
        ("http://h.org/view.php?f=/x", " U_view.php U_h.org"),  # a slash in the query leaves the file name in
        ("http://u@h.org/A/f.pdf", " U_A U_u@h.org"),  # user and case are kept
    ],
)
def test_the_pdf_trio_preset_keeps_its_defects(url: str, tokens: str) -> None:
    assert pdf_trio_url_tokens(url) == tokens


def test_structured_tokens_tell_host_folders_words_type_keys_and_depth() -> None:
    assert url_tokens("https://www.Shop.example.co.uk:8443/Tea/Green-Tea/page-0042.HTML?id=7&sort=up#top") == [
        "host=www.shop.example.co.uk",
        "domain=example.co.uk",
        *["in-host=shop", "in-host=example", "in-host=co", "in-host=uk"],
        *["shop", "example", "co", "uk"],
        "under=www.shop.example.co.uk/tea",
        "under=www.shop.example.co.uk/tea/green-tea",
        "type=html",
        *["tea", "green", "tea", "page", "#4"],
        "query=id",
        "query=sort",
        "depth=3",
    ]


def test_hosts_and_domains_are_found_by_rule_of_thumb() -> None:
    hosts = ["www.maths.ox.ac.uk", "a.b.example.org", "localhost", "10.0.0.1"]
    assert [registered_domain(host) for host in hosts] == ["ox.ac.uk", "example.org", "localhost", "10.0.0.1"]
    assert without_wayback("https://web.archive.org/web/2018/http://a.org/b") == "http://a.org/b"
    assert bare_host("https://me@Example.ORG.:8443/a") == "example.org"


@given(st.text(max_size=80))
def test_any_string_gives_tokens_without_an_exception(url: str) -> None:
    for name in ("url", "url_ngrams", "pdf_trio_url"):
        assert all(tokenizer(name)(url))
