"""From an index to a domain corpus: what the URL model wants is chosen, sampled, fetched, and teaches it again."""

import shutil
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from index_files import DATE, Archive, index_row, page, write_index

import corpuskit
from corpuskit.discovery import Discovery, SelectionCriteria
from corpuskit.discovery.selection import scored_schema, select_pages
from corpuskit.errors import ConfigurationError, CorpusError, RelevanceError, SourceError
from corpuskit.ingest import document_id


def discover(corpus, root, **more):
    return corpus.discover(root / "cc-index", **{"on": "serial", "progress": False, **more})


def urls(discovery):
    return discovery.locations.column("url").to_pylist()


def scored(*rows):
    base = dict.fromkeys(scored_schema().names)
    made = [
        {**base, **{k: v for k, v in index_row(url, "x.warc.gz", n, 10).items() if k in base}, "content_digest": f"D{n}", "score": score, **more}
        for n, (url, score, more) in enumerate(rows)
    ]  # fmt: skip
    return pa.Table.from_pylist(made, schema=scored_schema())


def chosen(table, **choice):
    return [url[-1] for url in select_pages(table, SelectionCriteria(**choice), final=True).column("url").to_pylist()]


def test_the_best_are_chosen_each_url_and_digest_once():
    later = {"fetch_time": DATE + timedelta(days=1)}
    table = scored(
        ("https://a.x/1", 0.6, {}), ("https://a.x/2", 0.9, {}), ("https://a.x/2", 0.9, later), ("https://b.x/3", 0.8, {}),
        ("https://b.x/4", 0.7, {"content_digest": "D3"}), ("https://b.x/5", 0.4, {}),
    )  # fmt: skip
    assert chosen(table) == ["2", "3", "1"]
    assert select_pages(table, SelectionCriteria()).column("fetch_time").to_pylist()[0] == later["fetch_time"]
    assert chosen(table, threshold=0.3) == ["2", "3", "1", "5"]
    assert chosen(table, per_host=1) == ["2", "3"]
    assert chosen(table, budget_pages=1) == ["2"]
    assert chosen(table, budget_bytes=25) == ["2", "3"]


def test_a_revisit_record_gives_way_to_the_page_it_repeats():
    again = {"content_mime_detected": "warc/revisit", "content_digest": "D0"}
    table = scored(("https://a.x/1", 0.6, {}), ("https://b.x/2", 0.9, again))
    assert chosen(table) == ["1"]


def test_what_is_chosen_of_parts_is_what_is_chosen_of_all():
    random = np.random.RandomState(0)
    rows = [
        (f"https://h{random.randint(9)}.x/{n}", float(np.float32(random.randint(100) / 100)), {}) for n in range(300)
    ]
    table = scored(*rows)
    choice = SelectionCriteria(threshold=0.2, per_host=7, budget_pages=40)
    parts = [select_pages(table.slice(first, 50), choice) for first in range(0, 300, 50)]
    assert select_pages(pa.concat_tables(parts), choice, final=True).equals(select_pages(table, choice, final=True))


@pytest.mark.parametrize(
    "wrong", [{"threshold": 1.5}, {"per_host": 0}, {"budget_pages": -1}, {"budget_bytes": 0}, {"sample": 0.0}]
)
def test_numbers_that_cannot_be_are_refused(corpus, archives, wrong):
    with pytest.raises(ConfigurationError):
        discover(corpus, archives, **wrong)


def test_without_a_model_of_urls_nothing_is_discovered(tmp_path, archives):
    with corpuskit.open(tmp_path / "empty") as empty, pytest.raises(RelevanceError, match="needs a URL model"):
        discover(empty, archives)


def test_the_model_s_choice_and_what_is_said_of_it(corpus, archives):
    found = discover(corpus, archives)
    assert len(found) == 60
    assert all("/tea-" in url for url in urls(found))
    model = corpus.model().url
    np.testing.assert_allclose(found.locations.column("score").to_numpy(), model.score(urls(found)), atol=1e-6)
    assert set(found.locations.column("crawl").to_pylist()) == {"CC-MAIN-2024-22"}
    frame = found.frame
    assert frame.columns.tolist() == ["host", "pages", "score", "bytes", "sampled", "relevant"]
    assert frame["pages"].tolist() == [4] * 15
    assert frame["bytes"].sum() == pa.compute.sum(found.locations.column("warc_record_length")).as_py()
    assert found.seen == 120
    assert found.scores["pages"].iloc[-1] == 120
    told = found.estimate()
    assert told.pages == 60
    assert told.needed <= told.bytes <= 1.2 * told.needed
    assert 3 <= told.requests <= 60
    assert f" {told.bytes / 1000:,.1f} kB (" in repr(told)  # sixty pages are no gigabyte
    assert told.hours == max(told.requests / 5 / 3600, told.bytes / 10e6 / 3600, 60 * 0.018 / 2 / 3600)
    assert "60 pages selected of 120 candidates" in repr(found)


def test_per_host_budget_and_filters_hold(corpus, archives):
    assert discover(corpus, archives, per_host=2).frame["pages"].tolist() == [2] * 15
    few = discover(corpus, archives, budget_pages=7)
    assert len(few) == 7
    index = corpuskit.commoncrawl(archives / "cc-index", domains="w11.example")
    assert set(corpus.discover(index, on="serial", progress=False).frame["host"]) == {"w11.example"}


@pytest.mark.slow
def test_all_engines_choose_the_same_bytes(corpus, archives, tmp_path):
    contents = []
    for on in ("serial", "processes", "dask"):
        out = tmp_path / on
        discover(corpus, archives, on=on, workers=2, out=str(out), name="n", per_host=3)
        contents.append({file.name: file.read_bytes() for file in out.iterdir()})
    assert contents[0] == contents[1] == contents[2]
    assert len(contents[0]) == 3 + 3  # a file a partition, and what was said, chosen, counted


def test_a_fetch_that_is_done_stays_done_after_another(corpus, archives):
    first = discover(corpus, archives, name="first", per_host=1)
    second = discover(corpus, archives, name="second", per_host=2)
    how = {"on": "serial", "progress": False, "requests_per_second": 1e6}
    assert corpus.fetch(first, **how).counts["new"] == len(first)
    assert corpus.fetch(second, **how).counts["new"] == len(second) - len(first)
    again = corpus.fetch(first, **how)
    assert (again.set_aside, again.counts["new"], again.counts["changed"]) == ({}, 0, 0)


def test_a_discovery_that_is_written_elsewhere_is_found_by_its_name(corpus, archives, tmp_path):
    found = discover(corpus, archives, out=str(tmp_path / "shared"), name="far", per_host=1)
    again = Discovery.load(corpus._folder, "far")
    assert again.locations.equals(found.locations)
    assert len(discover(corpus, archives, out=str(tmp_path / "shared"), name="far", per_host=1)) == len(found)


def test_what_is_scored_is_not_scored_again(corpus, archives, monkeypatch):
    from corpuskit.discovery import index_scan

    done = []
    real = index_scan._score_partition
    monkeypatch.setattr(index_scan, "_score_partition", lambda job: done.append(job.name) or real(job))
    first = discover(corpus, archives)
    assert len(done) == 3
    part = next(Path(first.url).glob("*.scored.parquet"))
    part.unlink()  # as if the process had died before
    (Path(first.url) / "summary.json").unlink()
    again = discover(corpus, archives)
    assert done[3:] == [part.name.removesuffix(".scored.parquet")]
    assert again.locations.equals(first.locations)
    discover(corpus, archives)
    assert len(done) == 4


@pytest.mark.slow
def test_a_damaged_file_of_an_index_costs_only_itself_and_is_tried_again(corpus, archives, tmp_path):
    root = tmp_path / "root"
    shutil.copytree(archives, root)
    part = sorted((root / "cc-index").rglob("*.parquet"))[1]
    whole = part.read_bytes()
    part.write_bytes(whole[: len(whole) // 2])
    found = discover(corpus, root)
    assert len(found) == 40
    assert [Path(url).name for url in found.damaged] == [part.name]
    part.write_bytes(whole)
    assert len(discover(corpus, root)) == 60


def test_a_sample_of_the_files_tells_of_the_whole(corpus, archives):
    found = discover(corpus, archives, sample=0.3)
    assert len(found) == 20
    assert found.share == pytest.approx(1 / 3)
    assert found.estimate().pages == 60
    assert "extrapolated from 33.3% of the index" in repr(found)


def test_a_discovery_is_opened_by_its_name_and_another_one_cannot_have_it(corpus, archives):
    discover(corpus, archives, name="tea")
    with pytest.raises(ConfigurationError, match="pass the location yourself"):  # the corpus may be a stranger's
        corpus.fetch("tea", on="serial", progress=False)
    assert corpus.fetch("tea", base=archives, on="serial", progress=False).counts["new"] == 60
    with pytest.raises(ConfigurationError, match="another index, model or criteria"):
        discover(corpus, archives, name="tea", per_host=1)
    with pytest.raises(CorpusError, match="expected one of tea"):
        corpus.fetch("coffee")
    (Path(corpus.path) / "discoveries" / "tea" / "summary.json").write_text("[]")
    with pytest.raises(CorpusError, match="discover again"):
        corpus.fetch("tea")


def test_a_discovery_of_a_stranger_s_corpus_asks_no_private_address(corpus, archives):
    import json
    import socket

    discover(corpus, archives, name="tea")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        file = Path(corpus.path) / "discoveries" / "tea" / "summary.json"
        said = json.loads(file.read_text())
        file.write_text(json.dumps({**said, "archives": f"http://127.0.0.1:{server.getsockname()[1]}"}))
        with pytest.raises(SourceError, match="private"):
            corpus.fetch("tea", on="serial", progress=False)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_fetched_pages_are_documents_with_originals_and_where_they_come_from(corpus, archives):
    found = discover(corpus, archives)
    report = corpus.fetch(found, on="serial", progress=False)
    assert (report.pages, report.documents, report.failures, dict(report.counts)) == (60, 60, 0, {"new": 60})
    doc_id = document_id(urls(found)[0])
    place = found.locations.to_pylist()[0]
    metadata = corpus[doc_id].metadata
    assert (metadata["crawl"], metadata["warc"]) == ("CC-MAIN-2024-22", place["warc_filename"])
    assert int(metadata["warc_offset"]) == place["warc_record_offset"]
    assert metadata["payload_digest"] == "sha1:" + place["content_digest"]
    assert b"tea" in corpus._folder.original(doc_id)
    documents = corpus.documents([doc_id])
    assert documents["relevance"].iloc[0] > 0.5
    assert corpus.check() == []
    again = corpus.fetch(found, on="serial", progress=False)
    assert (again.documents, again.counts["new"]) == (0, 0)
    assert len(corpus) == 36 + 60


def test_pages_that_the_corpus_has_are_not_fetched_again(corpus, archives):
    first = discover(corpus, archives, budget_pages=10)
    corpus.fetch(first, on="serial", progress=False)
    report = corpus.fetch(discover(corpus, archives), on="serial", progress=False)
    assert (report.pages, report.known, report.counts["new"]) == (50, 10, 50)


@pytest.mark.slow
def test_only_documents_above_a_threshold_are_taken_in_and_the_others_teach(corpus, archives):
    everything = discover(corpus, archives, threshold=0.0)
    assert len(everything) == 120
    report = corpus.fetch(everything, threshold=0.5, on="serial", progress=False)
    assert dict(report.counts) == {"new": 60, "not wanted": 60}
    documents = corpus.documents()
    assert documents["uri"].str.contains("/tea-").sum() == 18 + 60
    model = corpus.train_urls(everything)
    summary = corpus._folder.catalog.value("SELECT summary FROM models ORDER BY created DESC LIMIT 1")
    assert '"verdicts": 120' in summary
    assert model.document.fingerprint == corpus.model().document.fingerprint
    assert corpus.model().version == model.version
    assert corpus.documents()["relevance"].notna().all()


def test_a_sample_gives_the_precision_of_the_choice_with_its_interval(corpus, archives):
    found = discover(corpus, archives)
    sample = found.sample(20, on="serial", progress=False)
    assert len(sample) == 20
    assert (sample.precision.by, sample.precision.value) == ("model", 1.0)
    frame = sample.frame
    said = ["relevant"] * 15 + ["other"] * 5
    corpus.set_labels(dict(zip(frame["doc_id"], said, strict=True)), by="me")
    precision = sample.precision
    # Clopper and Pearson, 15 of 20 at 90 %: 0.5444 to 0.8960 (R: binom.test(15, 20, conf.level = .9))
    assert (precision.by, precision.value, precision.pages) == ("labels", 0.75, 20)
    assert (precision.low, precision.high) == pytest.approx((0.5444, 0.8960), abs=5e-4)
    assert found.frame["sampled"].sum() == 20
    judged = found.frame.dropna(subset=["relevant"])
    assert (judged["relevant"] * judged["sampled"]).sum() == 15
    report = corpus.fetch(found, on="serial", progress=False)
    assert (report.known, report.counts["new"]) == (20, 40)


@pytest.mark.feature("vectors")
def test_a_sample_is_labelled_in_the_widget(corpus, archives):
    sample = discover(corpus, archives).sample(3, on="serial", progress=False)
    labeler = sample.label(by="me")
    assert labeler is not None
    labeler.close()


def test_training_again_on_fetched_pages_improves_the_choice(corpus, tmp_path, text_about):
    """Hosts whose addresses say nothing at first: a few fetched pages tell which of them are about tea."""
    root = tmp_path / "root"
    archive = Archive("crawl-data/CC-MAIN-2024-22/segments/1.0/warc/CC-MAIN-0.warc.gz")
    for host, topic in (("qqx.example", "tea"), ("zzv.example", "tax")):
        for number in range(40):
            archive.add(f"https://{host}/doc/{number}", page(f"{host} {number}", text_about(topic, number)))
    archive.write(root)
    write_index(root, archive.rows)
    first = discover(corpus, root, threshold=0.0)
    before = dict(zip(urls(first), first.locations.column("score").to_pylist(), strict=True))
    first.sample(12, on="serial", progress=False)
    corpus.train_urls(first)
    second = discover(corpus, root, threshold=0.0)
    after = urls(second)
    assert sum("qqx" in url for url in after[:40]) == 40
    assert sum(before[url] for url in before if "qqx" in url) < 40 * 0.9  # it was not known
    assert second.name != first.name


def test_hosts_are_candidates_for_a_live_crawl(corpus, archives):
    found = discover(corpus, archives)
    sources = found.sources
    assert sources.columns.tolist() == ["host", "url", "pages", "score", "why"]
    assert "4 pages in" in sources["why"].iloc[0]
    candidates = corpus.sources(candidates=True)
    rows = candidates[candidates["host"] == "w00.example"]
    assert len(rows) == 1
    assert "pages" in rows["why"].iloc[0]


def test_places_are_written_for_others(corpus, archives, tmp_path):
    from corpuskit.shards import extract_shards

    assert discover(corpus, archives).write(tmp_path / "places" / "tea.parquet") == 60
    table = pq.read_table(tmp_path / "places" / "tea.parquet")
    assert {"url", "warc_filename", "warc_record_offset", "warc_record_length", "score"} <= set(table.column_names)
    report = extract_shards(
        str(tmp_path / "places" / "tea.parquet"), str(tmp_path / "out"), base=str(archives), on="serial", progress=False
    )
    assert (report.documents, report.failures) == (60, 0)


def test_what_cannot_be_fetched_is_a_row_of_the_failures(corpus, archives, tmp_path):
    root = tmp_path / "root"
    shutil.copytree(archives, root)
    gone, cut, *_ = sorted((root / "crawl-data").rglob("*.warc.gz"))
    gone.unlink()
    cut.write_bytes(cut.read_bytes()[:3000])
    found = discover(corpus, root)
    report = corpus.fetch(found, on="serial", progress=False)
    failures = corpus.failures()
    assert report.failures == len(failures) > 20
    assert report.documents + report.failures == 60
    assert set(failures["uri"]) <= set(urls(found))
    assert failures["message"].str.contains("archive does not exist").sum() == 20
    assert failures["message"].str.contains("the archive ends").sum() == report.failures - 20


KILLED = """
import os, signal, sys
from importlib import import_module
import corpuskit
name, corpus, archives = sys.argv[1:]
module = import_module("corpuskit.shards." + name)
part = {"shard_extraction": "_row", "merge": "_row"}[name]
real, calls = getattr(module, part), []
def dying(*given):
    calls.append(1)
    if len(calls) == 30:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*given)
setattr(module, part, dying)
with corpuskit.open(corpus) as opened:
    opened.fetch(opened.discover(archives + "/cc-index", on="serial", progress=False), on="serial", progress=False)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
@pytest.mark.parametrize("stage", ["shard_extraction", "merge"])
@pytest.mark.slow
def test_a_killed_fetch_loses_nothing_and_takes_nothing_twice(corpus, archives, stage):
    corpus.close()
    done = subprocess.run([sys.executable, "-c", KILLED, stage, corpus.path, str(archives)], check=False, timeout=300)
    assert done.returncode == -signal.SIGKILL
    with corpuskit.open(corpus.path) as opened:
        report = opened.fetch(discover(opened, archives), on="serial", progress=False)
        assert report.set_aside == {}
        assert len(opened) == 36 + 60
        assert opened.documents()["version"].tolist() == [1] * 96
        assert opened.check() == []


@pytest.mark.slow
def test_all_engines_fetch_the_same_documents(taught, archives, tmp_path):
    contents = []
    for on in ("serial", "processes", "dask"):
        shutil.copytree(taught, tmp_path / on)
        with corpuskit.open(tmp_path / on) as opened:
            found = discover(opened, archives, per_host=1)
            opened.fetch(found, on=on, workers=2, progress=False, out=str(tmp_path / f"{on}-out"))
            rows = opened.documents().drop(columns=["topic"])
            contents.append((rows, {f.name: f.read_bytes() for f in (tmp_path / f"{on}-out").iterdir()}))
    for rows, files in contents[1:]:
        assert files == contents[0][1]
        assert rows.equals(contents[0][0])


@pytest.mark.slow
def test_memory_does_not_grow_with_the_rows(corpus, tmp_path):
    """What is held depends on the budget: a hundred times as many rows hold no more."""
    from corpuskit.discovery import index_scan

    held = []
    best = index_scan._TopRows(SelectionCriteria(threshold=0.0, budget_pages=100))
    for part in range(200):
        rows = [(f"https://h{n % 7}.x/{part}-{n}", 0.5, {}) for n in range(2_000)]
        table = scored(*rows)
        best.add(table)
        held.append(best._size)
    assert max(held) <= 52_000
    assert len(best.take()) == 100


def test_odd_urls_of_strangers_do_no_harm(corpus, tmp_path):
    root = tmp_path / "root"
    name = "crawl-data/CC-MAIN-2024-22/segments/1.0/warc/CC-MAIN-0.warc.gz"
    odd = [
        "https://tea-a.example/<script>alert(1)</script>", "https://tea-a.example/" + "%" * 500, "http://[::1]/tea", "https://té.example/tea",
        "https://tea-a.example/\u202egnp.exe", "https://tea-a.example:99999/tea", "https://tea-a.example/tea\x00x", "https://../tea",
    ]  # fmt: skip
    rows = [index_row("https://tea-a.example/x", name, 0, 50)]
    rows += [{**rows[0], "url": url} for url in odd]
    Archive(name).write(root)
    write_index(root, rows)
    found = discover(corpus, root, threshold=0.0)
    assert len(found.frame) >= 1
    repr(found)
    report = corpus.fetch(found, on="serial", progress=False)
    assert report.documents == 0
    assert report.failures == report.pages > 0
