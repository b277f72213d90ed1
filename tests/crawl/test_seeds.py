"""What is no URL is not taken for one."""

from pathlib import Path

import pytest

import corpuskit
from corpuskit.cli import main
from corpuskit.crawl import read_seeds
from corpuskit.errors import ConfigurationError


@pytest.mark.parametrize(
    ("seed", "url"),
    [
        ("example.org", "https://example.org/"),
        ("example.org/news?x=1", "https://example.org/news?x=1"),
        ("localhost", "https://localhost/"),
        ("localhost:8080/a", "https://localhost:8080/a"),
        ("127.0.0.1:8000", "https://127.0.0.1:8000/"),
        ("[::1]:8000", "https://[::1]:8000/"),
        ("http://intranet/", "http://intranet/"),
    ],
)
def test_a_host_needs_no_scheme(seed, url):
    assert read_seeds([seed]) == [url]


@pytest.mark.parametrize("seed", ["notaurl", "notaurl/x.html", "intranet:8080", "notaurl?x=1.5", "", "seite eins"])
def test_a_word_that_is_no_host_is_refused_with_what_is_expected(seed):
    with pytest.raises(ConfigurationError) as refused:
        read_seeds([seed])
    assert str(refused.value).startswith(f"seed {seed}: expected a URL such as https://example.org/, a host such as")


def test_the_name_of_a_file_is_refused_with_how_to_give_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("urls.txt").write_text("http://a.example/\n")
    with corpuskit.open("c") as corpus, pytest.raises(ConfigurationError) as refused:
        corpus.crawl("urls.txt")
    assert str(refused.value) == (
        "seed urls.txt: expected a URL, found a file of this name; pass a file with one URL per line as Path('urls.txt') "
        "(--seeds urls.txt), a host as https://urls.txt/"
    )
    assert read_seeds([Path("urls.txt")]) == ["http://a.example/"]


@pytest.mark.parametrize("seed", ["notaurl", "urls.txt"])
def test_on_the_command_line_it_is_wrong_usage_and_leaves_no_corpus(tmp_path, monkeypatch, capsys, seed):
    monkeypatch.chdir(tmp_path)
    Path("urls.txt").write_text("http://a.example/\n")
    monkeypatch.setattr("sys.argv", ["corpuskit", "crawl", "c1", seed])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert "--seeds" in err
    assert not Path("c1").exists()


def crawled(corpus):
    connection = corpus._folder.catalog.connection
    for number, host in enumerate(["www.insurer.example", "intranet:8080", "bank.example"]):
        connection.execute(
            "INSERT INTO frontier (id, url, host, depth, kind, priority, state) VALUES (?, ?, ?, 0, 'seed', 0, 'queued')",
            (number + 1, f"http://{host}/", host),
        )


@pytest.mark.parametrize(
    "host", ["nohost", "insurer", "two words.example", "a..example", "a.example:port", ".", "http:"]
)
def test_a_verdict_on_a_host_that_cannot_be_is_refused_with_the_nearest_hosts(tmp_path, host):
    with corpuskit.open(tmp_path / "c") as corpus:
        crawled(corpus)
        with pytest.raises(ConfigurationError, match="expected a host of the corpus, or a host name with a dot"):
            corpus.set_source(host, "hold")
        with pytest.raises(ConfigurationError, match=r"known hosts are: www\.insurer\.example"):
            corpus.set_source("wwwinsurer", "hold")
        assert corpus._folder.catalog.value("SELECT count(*) FROM hosts WHERE verdict <> 'none'") == 0


@pytest.mark.parametrize(
    "host",
    ["later.example", "Later.example:8080", "localhost:80", "127.0.0.1", "[::1]:80", "intranet:8080", "bücher.example"],
)
def test_a_verdict_on_a_known_host_or_one_that_a_later_crawl_may_meet_is_kept(tmp_path, host):
    with corpuskit.open(tmp_path / "c") as corpus:
        crawled(corpus)
        corpus.set_source(host, "hold")
        assert corpus._folder.catalog.tuples("SELECT host FROM hosts WHERE verdict = 'hold'") == [(host.lower(),)]


@pytest.mark.parametrize("name", ["pages", "host_pages", "max_depth", "connections", "max_errors"])
def test_a_part_of_a_page_is_no_number_of_pages(name):
    from corpuskit.crawl.options import CrawlOptions

    with pytest.raises(
        ConfigurationError, match=rf"{name}=1\.5 \(--{name.replace('_', '-')}\): expected a whole number"
    ):
        CrawlOptions(**{name: 1.5})
    assert getattr(CrawlOptions(**{name: 2.0}), name) == 2
