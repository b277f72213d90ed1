"""``corpuskit discover`` and ``fetch``."""

import json
import shutil
from pathlib import Path

import pytest

import corpuskit
from corpuskit.discovery import Discovery


@pytest.mark.slow
def test_pages_are_discovered_and_fetched(cli, corpus, archives, tmp_path):
    corpus.close()
    places = tmp_path / "places.parquet"
    code, out, _ = cli(
        "discover", corpus.path, archives / "cc-index", "--name", "tea", "--per-host", 2, "--on", "serial", "-o", places,
        "--domain", "w00.example", "--domain", "w21.example", "--language", "en", "--mime", "text/html",
    )  # fmt: skip
    assert code == 0
    assert "4 pages selected of 16 candidates" in out
    assert "w21.example" in out
    assert f"next: corpuskit fetch {corpus.path} tea --base {archives}\n" in out
    assert places.exists()
    code, out, err = cli("fetch", corpus.path, "tea", "--on", "serial")
    assert (code, out) == (1, "")
    assert "pass the location yourself" in err
    code, out, _ = cli("fetch", corpus.path, "tea", "--on", "serial", "--base", archives)
    assert (code, out) == (0, "4 pages: 4 new\n")
    with corpuskit.open(corpus.path) as opened:
        assert len(opened) == 36 + 4


@pytest.mark.slow
def test_a_sample_of_an_index_is_an_estimate(cli, corpus, archives):
    corpus.close()
    code, out, _ = cli("discover", corpus.path, archives / "cc-index", "--sample", 0.3, "--on", "serial")
    assert code == 0
    assert "extrapolated from 33.3% of the index" in out


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--language", "english"], 2, "expected an ISO 639 code such as en or eng"),
        (["--since", "yesterday"], 2, "expected a date"),
        (["--mime", "html"], 2, "expected a media type such as text/html"),
        (["--per-host", "0"], 2, ""),
    ],
)
@pytest.mark.slow
def test_wrong_usage_is_told_in_a_line(cli, corpus, archives, arguments, code, told):
    corpus.close()
    ended, out, err = cli("discover", corpus.path, archives / "cc-index", *arguments)
    assert (ended, out) == (code, "")
    assert told in err


def test_what_is_not_there_is_told_in_a_line(cli, corpus, tmp_path):
    corpus.close()
    code, _, err = cli("discover", corpus.path, tmp_path / "missing")
    assert (code, len(err.strip().splitlines())) == (1, 1)
    code, _, err = cli("fetch", corpus.path, "tea")
    assert code == 1
    assert "discovery 'tea' does not exist: expected one of none" in err


def test_pages_that_fail_are_told_with_where_to_look(cli, corpus, archives, tmp_path):
    corpus.close()
    shutil.copytree(archives, tmp_path / "empty")
    for file in (tmp_path / "empty").rglob("*.warc.gz"):
        file.write_bytes(b"")
    cli("discover", corpus.path, archives / "cc-index", "--name", "tea", "--per-host", 1, "--on", "serial")
    code, out, _ = cli("fetch", corpus.path, "tea", "--on", "serial", "--base", tmp_path / "empty")
    assert code == 3
    assert "15 failed" in out
    assert f"corpuskit failures {corpus.path}" in out
    assert not list(Path(corpus.path).glob("originals/shard-*"))


@pytest.mark.slow
def test_a_wrong_base_is_one_error_before_the_start(cli, corpus, archives, tmp_path):
    corpus.close()
    cli("discover", corpus.path, archives / "cc-index", "--name", "tea", "--on", "serial")
    code, out, err = cli("fetch", corpus.path, "tea", "--on", "serial", "--base", tmp_path / "elsewhere")
    assert (code, out, len(err.splitlines())) == (1, "", 1)
    assert f"none of 3 archives can be read, such as {tmp_path / 'elsewhere'}/crawl-data/CC-MAIN-2024-22/" in err
    assert "none of 3 archives can be read" in err
    assert "--base" in err
    with corpuskit.open(corpus.path) as opened:
        assert opened.failures().empty
    assert cli("fetch", corpus.path, "tea", "--on", "serial", "--base", archives)[:2] == (0, "60 pages: 60 new\n")


@pytest.mark.parametrize(
    ("filters", "told"),
    [
        (["--language", "fr"], "120 by languages"),
        (["--domain", "w00.example", "--mime", "application/pdf"], "112 by domains, 8 by mime"),
        (["--tld", "fr"], "120 by tld"),
        (["--threshold", "1"], "120 by threshold"),
    ],
)
def test_a_discovery_of_nothing_says_which_filters_left_its_pages_out(cli, corpus, archives, filters, told):
    corpus.close()
    code, out, _ = cli("discover", corpus.path, archives / "cc-index", "--name", "tea", "--on", "serial", *filters)
    assert code == 0
    assert "0 pages selected" in out
    assert f"  left out: {told}\n" in out
    assert out.endswith("nothing to fetch: discover with other filters or a lower threshold\n")
    with corpuskit.open(corpus.path) as opened:
        found = Discovery.load(opened._folder, "tea")
        assert sum(found.left_out.values()) == found.seen == 120


def test_a_discovery_of_an_earlier_version_has_no_such_counts(corpus, archives):
    found = corpus.discover(archives / "cc-index", name="tea", on="serial", progress=False)
    assert found.left_out == {"threshold": 60}
    file = Path(corpus.path) / "discoveries" / "tea" / "summary.json"
    said = json.loads(file.read_text())
    del said["left_out"]
    file.write_text(json.dumps(said))
    found = Discovery.load(corpus._folder, "tea")
    assert found.left_out == {}
    assert "left out" not in repr(found)


@pytest.mark.slow
def test_the_fetch_that_discover_names_has_the_base_as_it_was_typed(cli, corpus, archives, tmp_path):
    corpus.close()
    base = tmp_path / "my archives"
    shutil.copytree(archives, base)
    command = ["discover", corpus.path, archives / "cc-index", "--on", "serial", "--name"]
    _, out, _ = cli(*command, "here", "--base", f"{base}/")
    assert out.endswith(f'next: corpuskit fetch {corpus.path} here --base "{base}/"\n')
    _, out, _ = cli(*command, "there", "--base", "https://archives.example/data")
    assert out.endswith(f"next: corpuskit fetch {corpus.path} there --base https://archives.example/data\n")
    code, out, _ = cli("fetch", corpus.path, "here", "--base", f"{base}/", "--on", "serial")
    assert (code, out) == (0, "60 pages: 60 new\n")


def test_a_sample_tells_the_precision_by_the_model_and_then_by_labels(cli, corpus, archives, tmp_path):
    corpus.close()
    cli("discover", corpus.path, archives / "cc-index", "--name", "tea", "--on", "serial")
    command = ["fetch", corpus.path, "tea", "--sample", 20, "--base", archives, "--on", "serial"]
    code, out, _ = cli(*command)
    assert code == 0
    assert "Sample of 20 pages, 20 in the corpus: precision 1.00" in out
    assert "by 20 decisions of the model, no labels yet" in out
    assert f"next: corpuskit label {corpus.path} FILE" in out
    with corpuskit.open(corpus.path) as opened:
        assert len(opened) == 36 + 20
        sampled = [uri for uri in opened.documents()["uri"] if "//w" in uri]
    labels = tmp_path / "labels.csv"
    rows = [f"{uri},{'relevant' if number < 15 else 'other'}" for number, uri in enumerate(sampled)]
    labels.write_text("\n".join(["target,label", *rows]) + "\n")
    assert cli("label", corpus.path, labels)[0] == 0
    code, out, _ = cli(*command)
    # Clopper and Pearson, 15 of 20 at 90 %: 0.5444 to 0.8960 (R: binom.test(15, 20, conf.level = .9))
    assert "Sample of 20 pages, 20 in the corpus: precision 0.75 (0.54 to 0.90, by 20 labels)\n" in out
    code, _, err = cli(*command, "--threshold", "0.5")
    assert (code, err) == (2, "corpuskit: --threshold is for the whole: leave it out with --sample\n")
