"""What cannot be fetched is told before the start, with what to do."""

import shutil

import pytest
from range_server import RangeServer

import corpuskit
from corpuskit.errors import ConfigurationError, SourceError


def discover(corpus, root, **more):
    return corpus.discover(root / "cc-index", **{"on": "serial", "progress": False, **more})


@pytest.fixture
def other(taught, tmp_path):
    shutil.copytree(taught, tmp_path / "other")
    with corpuskit.open(tmp_path / "other") as opened:
        yield opened


@pytest.mark.parametrize("use", ["fetch", "train_urls"])
def test_a_discovery_of_another_corpus_is_refused_with_both_names_and_the_way_to_mean_it(corpus, other, archives, use):
    found = discover(corpus, archives, name="tea")
    with pytest.raises(ConfigurationError) as refused:
        getattr(other, use)(found)
    told = str(refused.value)
    assert f"the discovery 'tea' belongs to the corpus {corpus.path}, expected one of {other.path}" in told
    assert "run discover on this corpus" in told
    assert ".write(FILE)" in told
    assert "corpuskit extract" in told
    assert "merge" in told
    assert not (other._folder.path / "discoveries").exists()


def test_a_corpus_opened_by_another_path_fetches_its_own_discovery(corpus, archives, tmp_path):
    found = discover(corpus, archives, budget_pages=3)
    corpus.close()
    (tmp_path / "link").symlink_to(corpus.path)
    with corpuskit.open(tmp_path / "link") as opened:
        assert opened.fetch(found, on="serial", progress=False).counts["new"] == 3


@pytest.mark.parametrize("given", [None, 7, ["CC-MAIN-2024-22"]])
def test_what_is_no_index_is_told_with_what_is_expected(corpus, given):
    with pytest.raises(ConfigurationError, match=r"expected an index: what commoncrawl\(\) returned"):
        corpus.discover(given)


@pytest.mark.parametrize("given", [None, 7, ["tea"]])
def test_what_is_no_discovery_is_told_with_what_is_expected(corpus, given):
    with pytest.raises(ConfigurationError, match=r"expected a discovery returned by corpus\.archives\.discover"):
        corpus.fetch(given)


@pytest.mark.parametrize("wrong", ["high", "0.5", True, float("nan"), [0.5]])
@pytest.mark.parametrize(
    ("name", "expected"),
    [("threshold", "a (score from 0 to 1|number)"), ("requests_per_second", "(more than 0|a number)")],
)
def test_a_number_of_fetch_that_is_none_is_told_with_what_is_expected(corpus, archives, name, expected, wrong):
    found = discover(corpus, archives, name="tea", budget_pages=1)
    with pytest.raises(ConfigurationError, match=f"{name}=.*: expected {expected}"):
        corpus.fetch(found, on="serial", progress=False, **{name: wrong})


@pytest.mark.parametrize(
    ("name", "expected"),
    [("threshold", "a score"), ("per_host", "at least 1"), ("budget_pages", "at least 1"), ("budget_bytes", "at least 1"), ("sample", "a share")],
)  # fmt: skip
def test_a_number_of_discover_that_is_none_is_told_with_what_is_expected(corpus, archives, name, expected):
    for wrong in ("high", True, float("nan")):
        with pytest.raises(ConfigurationError, match=f"{name}=.*: expected ({expected}|a number|a whole number)"):
            discover(corpus, archives, **{name: wrong})


def test_a_server_without_the_archives_is_asked_for_some_of_them_only(corpus, archives, monkeypatch):
    discover(corpus, archives, name="tea")
    server = RangeServer()
    asked = []
    handler = server._server.RequestHandlerClass
    real = handler.do_GET
    handler.do_GET = lambda self: (asked.append(self.path), real(self))[1]
    monkeypatch.setattr("corpuskit.discovery.archive_check._MAX_ATTEMPTS", 2)
    with pytest.raises(SourceError, match=r"none of 3 archives can be read, such as .*: the archive does not exist"):
        corpus.fetch("tea", base=server.url, on="serial", requests_per_second=1000, progress=False)
    assert len(asked) == 2
    server.close()


def test_archives_of_which_one_is_there_are_fetched(corpus, archives, tmp_path):
    found = discover(corpus, archives)
    for file in sorted((archives / "crawl-data").rglob("*.warc.gz"))[-1:]:
        copy = tmp_path / "part" / file.relative_to(archives)
        copy.parent.mkdir(parents=True)
        shutil.copy(file, copy)
    report = corpus.fetch(found, base=tmp_path / "part", on="serial", progress=False)
    assert (report.documents, report.failures) == (20, 40)


def test_an_engine_that_is_refused_leaves_no_discovery_behind(corpus, archives):
    for wrong in ({"on": "parallel"}, {"on": "processes", "workers": 0}):
        with pytest.raises(ConfigurationError, match=r"on='parallel': expected|workers=0: expected"):
            discover(corpus, archives, name="tea", **wrong)
    assert not (corpus._folder.path / "discoveries").exists()


def test_what_limits_and_equal_pages_cut_is_counted_with_the_filters(corpus, archives):
    everything = discover(corpus, archives, budget_pages=None)
    hosts = everything.frame["pages"].tolist()
    by_host = discover(corpus, archives, per_host=2)
    removed = sum(pages - min(pages, 2) for pages in hosts)
    assert removed > 0
    assert by_host.left_out["per_host"] == removed
    assert f"{removed} by per_host" in repr(by_host)
    few = discover(corpus, archives, budget_pages=3)
    assert few.left_out["budget_pages"] == len(everything) - 3
    light = discover(corpus, archives, budget_bytes=int(everything.frame["bytes"].sum()) - 1)
    assert light.left_out["budget_bytes"] == 1
    for found in (everything, by_host, few, light):
        assert len(found) + sum(found.left_out.values()) == found.seen


def test_captures_of_one_page_and_pages_of_one_digest_are_counted(tmp_path):
    from collections import Counter

    import pyarrow as pa

    from corpuskit.discovery.selection import SelectionCriteria, scored_schema, select_pages

    rows = [
        {"url": "http://a.example/1", "url_host_name": "a.example", "content_digest": "x", "score": 0.9},
        {"url": "http://a.example/1", "url_host_name": "a.example", "content_digest": "y", "score": 0.9},
        {"url": "http://b.example/2", "url_host_name": "b.example", "content_digest": "x", "score": 0.8},
        {"url": "http://b.example/3", "url_host_name": "b.example", "content_digest": "z", "score": 0.7},
    ]
    empty = dict.fromkeys(scored_schema().names)
    places = pa.Table.from_pylist(
        [{**empty, **row, "warc_record_offset": n} for n, row in enumerate(rows)], scored_schema()
    )
    removed = Counter()
    assert len(select_pages(places, SelectionCriteria(), removed=removed)) == 2
    assert +removed == {"equal URL": 1, "equal digest": 1}


def test_one_page_of_one_host_is_told_in_the_singular(corpus, archives):
    told = repr(discover(corpus, archives, budget_pages=1))
    assert "1 page selected of 120 candidates, 120 rows read" in told
    assert "1 host; 1 page in 1 request," in told
