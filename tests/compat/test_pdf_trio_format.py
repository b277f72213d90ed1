"""Training data as the recipe of pdf_trio makes it."""

import re

import pytest

from corpuskit.errors import ConfigurationError

TEXT = "The Keeper's hives (all 12) stand on the moor, É and all; they are moved in August.\n" * 8


@pytest.fixture
def labelled(corpus, tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for i in range(30):
        (folder / f"{i}.txt").write_text(f"Text {i}\n{TEXT}", "utf-8")
    (folder / "small.txt").write_text("Too small.")
    corpus.add(folder, progress=False)
    ids = corpus.documents().set_index("uri").doc_id
    corpus.set_labels(
        {ids[f"texts/{i}.txt"]: ("research" if i % 2 else "other") for i in range(29)}, by="me", new_class=True
    )
    corpus.set_labels({ids["texts/small.txt"]: "other"}, by="me")
    return corpus, ids


def lines(folder):
    return [
        line
        for name in ("train", "validate")
        for line in (folder / "pdf_trio" / f"{name}.ft").read_bytes().splitlines()
    ]


def test_a_line_has_the_tokens_of_the_recipe_and_each_document_a_file(labelled, tmp_path):
    corpus, ids = labelled
    corpus.export(tmp_path / "out", format="fasttext", preset="pdf_trio", kill=[ids["texts/3.txt"], "texts/4.txt"])
    found = lines(tmp_path / "out")
    assert len(found) == 27
    # By hand: ASCII lowered and split, É as it is, runs of blanks as one.
    expected = "text 5 the keeper s hives all 12 stand on the moor É and all they are moved in august"
    (line,) = [line.decode() for line in found if line.startswith(b"__label__research text 5 ")]
    assert line.startswith(f"__label__research {expected} the keeper s")
    files = {file.name: file.read_bytes() for file in (tmp_path / "out" / "pdf_trio").glob("*/*.ft")}
    assert sorted(files.values()) == sorted(line + b"\n" for line in found)
    assert f"{ids['texts/3.txt']}.ft" not in files
    assert f"{ids['texts/small.txt']}.ft" not in files


def test_the_report_counts_what_got_no_line(labelled, tmp_path):
    corpus, _ = labelled
    expected = {
        "of less than 500 bytes (pdf_trio)": 1,
        "without a label (pdf_trio)": 1,
        "on the kill list (pdf_trio)": 1,
    }
    for _again in range(2):
        report = corpus.export(tmp_path / "out", format="pdf_trio", kill=["texts/4.txt"])
        assert report.dropped == expected
    assert "left out: 1 of less than 500 bytes (pdf_trio)" in repr(report)
    assert "pdf_trio" not in str(corpus.export(tmp_path / "other", format="jsonl").dropped)


def test_a_kill_list_goes_by_file_names_too_and_its_unknown_entries_are_told(labelled, tmp_path):
    corpus, _ = labelled
    kill = ["3.txt", "texts/4.txt", "nowhere.txt", "http://a.example/"]
    report = corpus.export(tmp_path / "out", format="pdf_trio", kill=kill)
    assert report.dropped["on the kill list (pdf_trio)"] == 2
    assert report.not_found == ("nowhere.txt", "http://a.example/")
    assert repr(report).endswith("; of the kill list 2 in no document: nowhere.txt, http://a.example/")


def test_the_fasttext_export_counts_documents_without_a_label(labelled, tmp_path):
    corpus, _ = labelled
    report = corpus.export(tmp_path / "out", format="fasttext")
    assert report.dropped == {"without a label (fasttext)": 1}


def test_the_split_is_the_same_for_the_same_seed_and_another_for_another(labelled, tmp_path):
    corpus, _ = labelled
    parts = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        corpus.export(tmp_path / name, format="pdf_trio", shuffle=seed)
        parts.append((tmp_path / name / "pdf_trio" / "validate.ft").read_bytes())
    assert parts[0] == parts[1] != parts[2]
    assert 0 < len(parts[0].splitlines()) < 15


@pytest.mark.parametrize("shuffle", range(4))
def test_the_documents_of_one_host_are_split_too(corpus, web, tmp_path, shuffle):
    urls = [f"http://only.example/{i}" for i in range(18)]
    for url in urls:
        web.add(url, TEXT, title=url)
    corpus.crawl(urls, delay=0, proxy=web.proxy).wait(progress=False)
    corpus.set_labels(dict.fromkeys(urls, "other"), by="me")
    corpus.export(tmp_path / "out", format="pdf_trio", shuffle=shuffle)
    sizes = [len((tmp_path / "out/pdf_trio" / f"{name}.ft").read_bytes().splitlines())
             for name in ("train", "validate", "urls-train", "urls-validate")]  # fmt: skip
    assert sizes == [16, 2, 16, 2]


@pytest.mark.parametrize("shuffle", range(4))
@pytest.mark.slow
def test_a_host_is_on_one_side_where_there_are_small_ones(corpus, web, tmp_path, shuffle):
    urls = [f"http://h{host}.example/{i}" for host in range(9) for i in range(2)]
    for url in urls:
        web.add(url, TEXT, title=url)
    corpus.crawl(urls, delay=0, proxy=web.proxy).wait(progress=False)
    corpus.set_labels(dict.fromkeys(urls, "other"), by="me")
    corpus.export(tmp_path / "out", format="pdf_trio", shuffle=shuffle)
    hosts = [set(re.findall(rb"h\d", (tmp_path / "out/pdf_trio" / f"urls-{part}.ft").read_bytes()))
             for part in ("train", "validate")]  # fmt: skip
    assert (len(hosts[0]), len(hosts[1]), hosts[0] & hosts[1]) == (8, 1, set())


def test_page_sizes_are_the_last_tokens(corpus, tmp_path):
    from corpuskit.demo import demo_data

    corpus.add(demo_data() / "files" / "tram-noise-report.pdf", progress=False)
    corpus.set_labels({corpus.documents().doc_id[0]: "relevant"}, by="me")
    corpus.export(tmp_path / "out", format="pdf_trio", page_size_tokens=True)
    (line,) = lines(tmp_path / "out")
    assert re.search(rb" WIDTH\d+ HEIGHT\d+$", line)


def test_fasttext_trains_on_it(labelled, tmp_path):
    import fasttext

    corpus, _ = labelled
    corpus.export(tmp_path / "out", format="pdf_trio")
    train = tmp_path / "out" / "pdf_trio" / "train.ft"
    # Without word n-grams the wheel for NumPy 2 gives NaN for so few words.
    model = fasttext.train_supervised(str(train), lr=0.1, dim=50, epoch=2, wordNgrams=2, minCount=1, verbose=0)
    assert set(model.get_labels()) == {"__label__research", "__label__other"}


def test_an_unknown_preset_is_told(corpus, tmp_path):
    with pytest.raises(ConfigurationError, match="preset='trio': expected 'pdf_trio'"):
        corpus.export(tmp_path / "out", format="fasttext", preset="trio")


@pytest.mark.slow
def test_urls_make_a_training_set_and_a_list_of_each_class_that_is_read_again(corpus, web, tmp_path):
    import corpuskit
    from corpuskit.relevance import pdf_trio_url_tokens

    urls = [f"http://{host}.example/pdf/{i}" for host in "abcdefgh" for i in range(2)]
    for url in urls:
        web.add(url, TEXT, title=url)
    corpus.crawl(urls, delay=0, proxy=web.proxy).wait(progress=False)
    ids = corpus.documents().set_index("uri").doc_id
    said = {url: "research" if url.endswith("0") else "other" for url in urls}
    corpus.set_labels({ids[url]: label for url, label in said.items()}, by="me", new_class=True)
    corpus.export(tmp_path / "out", format="pdf_trio")
    folder = tmp_path / "out" / "pdf_trio"
    parts = [(folder / f"urls-{part}.ft").read_text("utf-8").splitlines() for part in ("train", "validate")]
    assert sorted(parts[0] + parts[1]) == sorted(f"__label__{said[url]}{pdf_trio_url_tokens(url)}" for url in urls)
    assert [len(part) for part in parts] == [
        len((folder / f"{part}.ft").read_bytes().splitlines()) for part in ("train", "validate")
    ]
    rows = [line.split("\t") for line in (folder / "research.tsv").read_text("utf-8").splitlines()]
    assert {url for _, url, _ in rows} == {url for url in urls if said[url] == "research"}
    assert all(ids[url] == doc_id and len(when) == 14 and when.isdigit() for doc_id, url, when in rows)
    # Read into a corpus that has the same pages without labels, with the prefix of the archive.
    other = corpuskit.open(tmp_path / "other")
    other.crawl(urls, delay=0, proxy=web.proxy).wait(progress=False)
    archived = "".join(f"{i}\thttps://web.archive.org/web/{when}/{url}\n" for i, (_, url, when) in enumerate(rows))
    (tmp_path / "research.tsv").write_text(archived + "99\thttp://nowhere.example/\n", "utf-8")
    report = other.import_labels(tmp_path / "research.tsv", by="list", label="research", new_class=True)
    assert (report.taken, report.unknown) == (8, ("http://nowhere.example/",))
    assert sorted(other.documents().query("label == 'research'").uri) == sorted(url for _, url, _ in rows)


def test_the_command_line_has_its_options(labelled, tmp_path):
    from typer.testing import CliRunner

    from corpuskit.cli.commands import app

    _, ids = labelled
    (tmp_path / "kill.txt").write_text(f"# mistakes\n{ids['texts/3.txt']}\ntexts/4.txt\n", "utf-8")
    arguments = [str(tmp_path / "corpus"), str(tmp_path / "out"), "-f", "pdf_trio", "--page-size-tokens"]
    result = CliRunner().invoke(app, ["export", *arguments, "--kill", str(tmp_path / "kill.txt")])
    assert result.exit_code == 0, result.output
    assert len(lines(tmp_path / "out")) == 27
