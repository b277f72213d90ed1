import contextlib
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time

import pytest

import corpuskit
from corpuskit.demo import demo_data

PAGE = "<html><head><title>{0}</title></head><body><p>About {0} and what an insurer says of it.</p></body></html>"


@pytest.fixture
def pages(tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    for topic in ("flood", "bread"):
        (folder / f"{topic}.html").write_text(PAGE.format(topic), "utf-8")
    return folder


def test_the_whole_way_on_the_command_line(cli, tmp_path, pages):
    corpus = tmp_path / "c"
    assert cli("add", corpus, pages).out == "2 new\n"
    assert "flood" in cli("kwic", corpus, "flood").out
    (tmp_path / "labels.csv").write_text("target,label\nflood.html,relevant\nbread.html,other\nnowhere,other\n")
    labelled = cli("label", corpus, tmp_path / "labels.csv")
    assert (labelled.code, labelled.out) == (3, "2 labels taken\n")
    assert labelled.err.splitlines()[-1] == "  nowhere"
    status = cli("status", corpus)
    assert "2 documents" in status.out
    result = cli("export", corpus, tmp_path / "out", "-f", "jsonl", "-f", "txt")
    assert result.code == 0, result.err
    rows = [json.loads(line) for line in (tmp_path / "out" / "corpus.jsonl").read_text("utf-8").splitlines()]
    assert {row["label"] for row in rows} == {"relevant", "other"}


def test_a_second_export_does_not_remove_the_first_unsaid(cli, tmp_path, pages):
    corpus, out = tmp_path / "c", tmp_path / "out"
    cli("add", corpus, pages)
    cli("export", corpus, out, "-f", "jsonl")
    refused = cli("export", corpus, out, "-f", "txt")
    assert refused.code == 1
    assert refused.err == (
        f"corpuskit: {out} holds an export of jsonl: name another folder, or --replace it, "
        "or write both with -f jsonl -f txt\n"
    )
    assert (out / "corpus.jsonl").exists()
    assert "as it was" in cli("export", corpus, out, "-f", "jsonl").out
    (pages / "new.html").write_text(PAGE.format("new"), "utf-8")
    cli("add", corpus, pages)
    renewed = cli("export", corpus, out, "-f", "jsonl").out
    assert renewed.startswith("3 documents")
    assert renewed.endswith("in place of an earlier export of 2 documents\n")
    replaced = cli("export", corpus, out, "-f", "txt", "--replace").out
    assert replaced.endswith("in place of an earlier export of 3 documents\n")
    assert not (out / "corpus.jsonl").exists()


def test_a_document_is_printed_or_written(cli, tmp_path, pages):
    printed = cli("extract", pages / "flood.html").out
    assert printed.startswith("## NLPTextDocument Title flood\n")
    assert cli("extract", pages / "flood.html", "--main").out == "About flood and what an insurer says of it.\n"
    cli("extract", pages / "flood.html", "-o", tmp_path / "x.nlp.txt")
    assert corpuskit.read_nlptext(tmp_path / "x.nlp.txt").title == "flood"


@pytest.fixture
def tree(tmp_path):
    """Two folders with pages of one name, and a list of them."""
    for topic in ("flood", "bread"):
        (tmp_path / "in" / topic).mkdir(parents=True)
        (tmp_path / "in" / topic / "page.html").write_text(PAGE.format(topic), "utf-8")
    (tmp_path / "list.txt").write_text(
        "".join(f"{tmp_path / 'in' / topic / 'page.html'}\n" for topic in ("flood", "bread"))
    )
    return tmp_path


@pytest.mark.parametrize("format", ["markdown", "txt", "json", "csv", "html", "xml", "tei"])
def test_a_page_is_printed_in_any_format(cli, pages, format):
    printed = cli("extract", pages / "flood.html", "--format", format)
    assert (printed.code, printed.err) == (0, "")
    document = corpuskit.extract(pages / "flood.html")
    assert printed.out == document.to(format)


def files(folder):
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())


def test_a_folder_is_extracted_into_another(cli, tree):
    done = cli("extract", tree / "in", "-o", tree / "flat", "-f", "txt", "--parallel", 2)
    assert done.out == f"2 documents in {tree / 'flat'}\n"
    assert files(tree / "flat") == ["bread_page.html.txt", "flood_page.html.txt"]
    cli("extract", tree / "in", "-o", tree / "kept", "-f", "markdown", "--keep-dirs")
    assert files(tree / "kept") == ["bread/page.html.md", "flood/page.html.md"]
    assert "an insurer says of it" in (tree / "kept" / "bread" / "page.html.md").read_text("utf-8")


def test_a_list_is_extracted_and_what_fails_is_told(cli, tree):
    (tree / "list.txt").write_text((tree / "list.txt").read_text() + "# a comment\nnowhere.html\n")
    done = cli("extract", "-i", tree / "list.txt", "-f", "csv")
    assert done.code == 3
    assert "nowhere.html cannot be read" in done.err
    assert done.out.count("url,id,fingerprint") == 1
    assert [topic for topic in ("flood", "bread") if f"About {topic}" in done.out] == ["flood", "bread"]


def test_texts_on_the_screen_end_their_lines(cli, tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(f"Text {name}", "utf-8")
    done = cli("extract", tmp_path / "a.txt", tmp_path / "b.txt", "-f", "txt")
    assert done.out == "Text a\nText b\n"


def test_copies_that_an_export_leaves_out_are_told(cli, tmp_path):
    (tmp_path / "pages").mkdir()
    for name in ("a", "b", "other"):
        (tmp_path / "pages" / f"{name}.txt").write_text(
            "Another text." if name == "other" else "The same text.", "utf-8"
        )
    cli("add", tmp_path / "c", tmp_path / "pages")
    done = cli("export", tmp_path / "c", tmp_path / "out", "-f", "txt")
    assert done.out.startswith("2 documents")
    assert done.err == "1 copy of another document is left out: --keep-duplicates has them\n"
    assert cli("export", tmp_path / "c", tmp_path / "all", "-f", "txt", "--keep-duplicates").out.startswith(
        "3 documents"
    )


def test_inputs_are_filtered(cli, tree):
    done = cli("extract", "-i", tree / "list.txt", "-f", "txt", "--url-filter", "flood")
    assert done.out == "About flood and what an insurer says of it.\n"
    (tree / "no.txt").write_text(str(tree / "in" / "bread" / "page.html"))
    assert cli("extract", "-i", tree / "list.txt", "-b", tree / "no.txt", "-f", "txt").out == done.out


def test_options_of_extraction_are_options_of_the_command(cli, tree):
    page = tree / "in" / "flood" / "page.html"
    assert cli("extract", page, "-f", "txt", "--target-language", "fr").out == ""
    assert "an insurer" not in cli("extract", page, "-f", "txt", "--all", "--drop", "//p").out
    wrong = cli("extract", page, "--main-by", "magic")
    assert (wrong.code, "--main-by magic: expected one of" in wrong.err) == (2, True)
    import trafilatura

    theirs = trafilatura.extract(page.read_bytes(), url=page.as_uri(), output_format="xml", include_comments=False)
    assert (
        cli("extract", page, "-f", "xml", "--main-by", "trafilatura").out == f"{theirs}\n"
    )  # as its own command prints it


def test_a_list_of_urls_is_filtered_and_sampled_without_a_request(cli, tmp_path):
    pages = [f"https://a.example.com/news/{i}.html" for i in range(20)]
    lines = [*pages, pages[0], "7\thttps://web.archive.org/web/20200102030405/https://b.example.com/about\t20200102",
             "https://a.example.com/picture.jpg", "ftp://a.example.com/x", "# none", "https://a.example.com/de/artikel.html"]  # fmt: skip
    (tmp_path / "urls.txt").write_text("\n".join(lines))
    done = cli("urls", tmp_path / "urls.txt", "--language", "en", "--no-navigation")
    assert done.out.splitlines() == [*pages, "https://b.example.com/about"]
    assert done.err == ("21 of 23 URLs; left out: no page by its name (1), in another language (1)\n")
    chosen = cli(
        "urls", tmp_path / "urls.txt", "--keep", "*/news/*", "--drop", "*/1.html", "--sample", 5
    ).out.splitlines()
    assert len(chosen) == 5
    assert set(chosen) <= set(pages) - {pages[1]}
    assert (
        cli("urls", tmp_path / "urls.txt", "--keep", "*/news/*", "--drop", "*/1.html", "--sample", 5).out.splitlines()
        == chosen
    )
    assert cli("urls", tmp_path / "urls.txt", "--sample", 5, "--seed", 1).out.splitlines() != chosen


def test_a_url_is_extracted(cli, tree, web):
    port = web.proxy.rpartition(":")[2]
    web.add(f"http://127.0.0.1:{port}/page", "the text of the page", title="On the web")
    web.add(f"http://127.0.0.1:{port}/other", "another text of the web", title="Other")
    urls = [f"http://127.0.0.1:{port}/{name}" for name in ("page", "other", "gone")]
    done = cli("extract", *urls, "-f", "txt", "-o", tree / "out")
    assert (done.code, "404" in done.err) == (3, True)
    assert files(tree / "out") == [f"127.0.0.1_{port}_other.txt", f"127.0.0.1_{port}_page.txt"]


def test_pages_can_be_probed_for_text_in_a_language(cli, tmp_path):
    texts = {"en": "The insurer pays for the damage that the water has done to the house when the river rises.",
             "de": "Die Versicherung bezahlt den Schaden, den das Wasser am Haus verursacht hat, wenn es regnet."}  # fmt: skip
    for name, text in {**texts, "none": ""}.items():
        (tmp_path / f"{name}.html").write_text(f"<html><body><article><p>{text}</p></article></body></html>", "utf-8")
    pages = [str(tmp_path / f"{name}.html") for name in ("en", "none", "de")]
    assert cli("extract", *pages, "--probe").out.splitlines() == [pages[0], pages[2]]
    assert cli("extract", *pages, "--probe", "--target-language", "de").out.splitlines() == [pages[2]]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["add", "c", "nowhere.html"], 1, "corpuskit: there is no file or folder 'nowhere.html'"),
        (["status", "nowhere"], 1, "corpuskit: nowhere is no corpus"),
        (["train", "nowhere"], 1, "corpuskit: nowhere is no corpus"),
        (["crawl", "c"], 1, "corpuskit: nothing to crawl: name seeds"),
        (["crawl", "c", "http://a.example/", "--scope", "planet"], 2, "corpuskit: --scope planet: expected one of"),
        (["extract", "nowhere.pdf"], 1, "corpuskit: nowhere.pdf cannot be read"),
        (["extract"], 2, "Usage"),
        (["explode"], 2, "No such command"),
    ],
)
def test_an_error_is_one_line_with_its_exit_code(cli, tmp_path, arguments, code, message):
    result = cli(*arguments)
    assert result.code == code
    assert message in result.err
    assert "Traceback" not in result.err
    assert code == 2 or len(result.err.strip().splitlines()) == 1


def test_inputs_that_failed_give_exit_code_3_and_the_rest_is_added(cli, tmp_path, pages):
    (pages / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    result = cli("add", tmp_path / "c", pages)
    assert result.code == 3
    assert "1 failed" in result.out
    assert "2 new" in result.out


def test_what_was_crawled_cannot_steer_the_terminal(cli, tmp_path, pages):
    (pages / "evil.html").write_text(PAGE.format("\x1b[2J[bold red]flood"), "utf-8")
    cli("add", tmp_path / "c", pages)
    assert "\x1b" not in cli("kwic", tmp_path / "c", "flood").out


def test_ctrl_c_stops_a_crawl_cleanly_and_resume_goes_on(cli, tmp_path, web):
    for i in range(400):
        web.add(f"http://a.example/p{i}", f"text {i}", [f"/p{i + 1}", f"/p{i + 2}"])
    options = ["--delay", "0", "--proxy", web.proxy]
    process = cli.spawn("crawl", "c", "http://a.example/p0", *options, stderr=subprocess.PIPE)
    while sum(web.fetched.values()) < 30 and process.poll() is None:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    with corpuskit.open(tmp_path / "c") as corpus:
        assert 0 < corpus._folder.catalog.value("SELECT count(*) FROM documents") < 400  # some may wait to be extracted
    assert cli("crawl", "c", "--resume", *options).code == 0
    assert set(web.fetched.values()) == {1}


def test_artifacts_beside_pdf_files_are_asked_for_and_dropped(cli, tmp_path):
    corpus = tmp_path / "c"
    pdf = demo_data() / "files" / "tram-noise-report.pdf"
    assert cli("add", corpus, pdf).out == "1 new\n"
    entry = corpus / "originals" / f"{pdf.name}.d"
    assert [file.name for file in entry.iterdir()] == [pdf.name]
    cli("add", "--textworks", corpus, pdf)
    size = sum(file.stat().st_size for file in entry.glob("*.json"))
    assert cli("textworks", "drop", "--corpus", corpus).out == f"{size:,} bytes removed\n"
    assert [file.name for file in entry.iterdir()] == [pdf.name]


def test_the_command_lines_of_textworks_are_taken(cli, tmp_path):
    root, file = tmp_path / "root", tmp_path / "x.pdf"
    root.mkdir()
    for target in (root / "a.pdf", file):
        shutil.copy(demo_data() / "files" / "tram-noise-report.pdf", target)
    assert cli("textworks", "--init-corpus", root).out == f"1 new entry in {root}\n"
    assert cli("textworks", "--corpus", root).out == "made     a.pdf.d\n"
    assert (root / "a.pdf.d" / "textgrid.json").exists()
    out = tmp_path / "x.json"
    assert cli("textworks", "--file", file, "--output", out).out == f"{out}\n"
    refused = cli("textworks", "--file", file, "--output", out)
    assert (refused.code, refused.err) == (
        1,
        f"corpuskit: {out} is there already; --overwrite makes it again\n",
    )
    assert cli("textworks", "--input", file, "--output", out, "--overwrite").code == 0
    (tmp_path / "list.txt").write_text(f"{file}\n{tmp_path / 'nowhere.pdf'}\n")
    done = cli("textworks", "--input-list", tmp_path / "list.txt", "--output-ext", "grid.json")
    assert done.code == 3
    assert done.out.splitlines()[0] == f"made     {file}.grid.json"
    assert "nowhere.pdf cannot be read" in done.out
    assert cli("textworks").code == 2
    done = cli("textworks", "--corpus", root, "--overwrite", "--options", "dehyphenate", "--annotations")
    assert done.out == "made     a.pdf.d\n"
    assert (root / "a.pdf.d" / "annotations.json").exists()
    assert "there is only dehyphenate" in cli("textworks", "--corpus", root, "--options", "shout").err


def test_textworks_artifacts_are_made_once_and_an_unprepared_folder_is_told_what_to_do(cli, tmp_path):
    from corpuskit.demo import demo_data

    for file in (demo_data() / "files").glob("*.pdf"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    refused = cli("textworks", "run", "--corpus", tmp_path)
    assert refused.code == 1
    assert "textworks init" in refused.err
    assert cli("textworks", "init", "--corpus", tmp_path).out.startswith("4 new entries")
    made = cli("textworks", "run", "--corpus", tmp_path, "--filter", ".*policy.*")
    assert made.out.split() == ["made", "household-policy-booklet.pdf.d"]
    folder = tmp_path / "household-policy-booklet.pdf.d"
    assert {"segmentation.json", "textgrid.json"} <= {file.name for file in folder.iterdir()}
    again = cli("textworks", "run", "--corpus", tmp_path)
    assert sorted(line.split()[0] for line in again.out.splitlines()) == ["made", "made", "made", "skipped"]


@pytest.fixture
def trained(tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    for i in range(40):
        words = " ".join(("flood water river rain storm" if i % 2 else "bread oven flour yeast crust").split()[i % 5 :])
        (folder / f"p{i:02d}.html").write_text(PAGE.format(f"{words} {i}"), "utf-8")
    corpus = corpuskit.open(tmp_path / "c")
    corpus.add(folder, progress=False)
    documents = corpus.documents().head(10)
    corpus.set_labels({row.doc_id: side_of(row.title) for row in documents.itertuples()}, by="me")
    corpus.train()
    corpus.close()
    return tmp_path / "c"


def side_of(title):
    return "relevant" if {"flood", "water", "river", "rain", "storm"} & set(title.split()) else "other"


def test_a_class_of_ones_own_is_trained_on_the_command_line(cli, trained):
    with corpuskit.open(trained) as corpus:
        corpus.set_labels(
            {row.doc_id: "baking" for row in corpus.documents().itertuples() if side_of(row.title) == "other"},
            by="me",
            new_class=True,
        )
    wrong = cli("train", trained, "--positive", "bakery")
    assert "; --positive is one of the labels given: 'baking' (20)" in wrong.err
    assert cli("train", trained, "--positive", "baking").code == 0
    with corpuskit.open(trained) as corpus:
        found = corpus.documents().sort_values("relevance", ascending=False).head(20)
        assert {side_of(title) for title in found.title} == {"other"}


def test_an_audit_goes_through_files(cli, trained, tmp_path):
    import pandas as pd

    wanted = tmp_path / "wanted.csv"
    for _ in range(12):
        output = cli("audit", trained, "--out", wanted, "--precision", "0.8").out
        if "to label" not in output:
            break
        table = pd.read_csv(wanted)
        table["label"] = [side_of(title) for title in table["title"]]
        table.to_csv(wanted, index=False)
        assert "95%" not in cli("audit", trained, "--labels", wanted).out  # it goes on with what it was begun with
    assert "Audit of model-0001 with" in output
    assert "precision >= 80%" in output
    assert "relevant documents are missed" in output  # the audit has asked for all there is below the threshold
    with corpuskit.open(trained) as corpus:
        corpus.set_labels({corpus.documents().query("decision == 'relevant'").doc_id.iloc[0]: "other"}, by="me")
        against = corpus.documents().query("decision == 'relevant' and label == 'other'")
    told = cli("export", trained, tmp_path / "out", "--decision", "relevant").err
    assert re.search(rf"^{len(against)} documents? that the model calls relevant and a label other", told, re.MULTILINE)
    assert (
        "labels, of the 30 documents that were there). Of documents that came after"
        in (tmp_path / "out" / "README.md").read_text()
    )


def test_an_audit_writes_over_no_answers_that_were_not_handed_in(cli, trained, tmp_path):
    import pandas as pd

    wanted = tmp_path / "wanted.csv"
    cli("audit", trained, "--out", wanted)
    asked = wanted.read_text()
    cli("audit", trained, "--out", wanted)
    assert wanted.read_text() == asked  # without an answer it is written anew
    table = pd.read_csv(wanted, dtype="str")
    table["label"] = ["other", "relevant"] + [None] * (len(table) - 2)
    table.to_csv(wanted, index=False)
    answered = wanted.read_text()
    done = cli("audit", trained, "--out", wanted)
    assert done.code == 1
    assert f"{wanted} has 2 answers that the corpus does not have" in done.err
    assert f"hand them in with --labels {wanted}, or name another file" in done.err
    assert wanted.read_text() == answered
    cli("audit", trained, "--labels", wanted)
    cli("audit", trained, "--out", wanted)
    assert len(pd.read_csv(wanted)) == len(table) - 2
    foreign = "target;label\ndéjà;relevant\n".encode("latin-1")  # as a spreadsheet may write it
    wanted.write_bytes(foreign)
    assert "name another file" in cli("audit", trained, "--out", wanted).err
    assert wanted.read_bytes() == foreign


@pytest.mark.slow
def test_after_its_claim_an_audit_asks_for_what_it_misses(cli, tmp_path):
    import pandas as pd

    with corpuskit.open(tmp_path / "c") as corpus:
        folder = tmp_path / "many"
        folder.mkdir()
        for i in range(250):
            words = "flood water river" if i % 5 == 0 else "bread oven flour"
            (folder / f"p{i:03d}.html").write_text(PAGE.format(f"{words} {i}"), "utf-8")
        corpus.add(folder, progress=False)
        corpus.set_labels({row.doc_id: side_of(row.title) for row in corpus.documents().head(20).itertuples()}, by="me")
        corpus.train()
    wanted, told = tmp_path / "wanted.csv", []
    for _ in range(12):
        told.append(cli("audit", tmp_path / "c", "--out", wanted).out)
        if "to label" not in told[-1]:
            break
        table = pd.read_csv(wanted)
        table["label"] = [side_of(title) for title in table["title"]]
        if "from below" in told[-1]:
            without = cli("audit", tmp_path / "c", "--out", wanted, "--below", "0").out
        table.to_csv(wanted, index=False)
        cli("audit", tmp_path / "c", "--labels", wanted)
    assert "from below the threshold, to tell what it misses" in told[-2]
    assert "relevant documents are missed" in told[-1]
    assert "to label" not in without


@pytest.mark.slow
def test_an_audit_asks_on_a_terminal_and_saves_each_answer(cli, trained):
    main, terminal = os.openpty()
    process = cli.spawn("audit", trained, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    os.write(main, b"r\nx\no\nq\n")
    output, _ = process.communicate(timeout=120)
    os.close(main)
    os.close(terminal)
    assert "[r]elevant, [o]ther, [q]uit" in output
    assert "Audit of model-0001: 2 labels given" in output
    corpus = corpuskit.open(trained)
    assert sorted(label.label for label in corpus._folder.labels.current() if label.by == "audit") == [
        "other",
        "relevant",
    ]
    corpus.close()


@pytest.mark.slow
def test_ctrl_c_at_the_prompt_of_an_audit_ends_it_at_once(trained):
    main, terminal = os.openpty()
    # A process that leads a session and opens a terminal is sent its Ctrl-C; that of a shell's background job would pass it over.
    code = (
        "import os, signal; os.open(os.ttyname(0), os.O_RDWR); signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from corpuskit.cli import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, "audit", str(trained)],
        stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True,
    )  # fmt: skip
    os.close(terminal)
    shown = b""
    with contextlib.suppress(OSError):  # nobody is at the terminal any more
        for _ in range(100):
            if select.select([main], [], [], 10)[0]:
                if not (read := os.read(main, 4096)):
                    break
                shown += read
                if shown.endswith(b"[q]uit: "):
                    os.write(main, b"r\n" if shown.count(b"[q]uit: ") == 1 else b"\x03")
            elif shown.count(b"[q]uit: ") > 1:
                os.write(
                    main, b"\x03"
                )  # Python's input() passes over a signal that comes right before it begins to wait
    os.close(main)  # whoever is still there is hung up
    assert process.wait(120) == 130
    told = shown.decode().replace("\r", "")
    assert "Audit of model-0001: 1 label given, 19 wanted now\n" in told
    assert told.endswith(
        "  asked: each from the highest score down: 1 of 1 are relevant, which is known, not estimated\n"
        "stopped: the same command goes on\n"
    )


@pytest.mark.parametrize("module", ["typer", "corpuskit.views.summary"])
def test_ctrl_c_at_any_moment_ends_in_one_line(cli, tmp_path, pages, module):
    cli("add", tmp_path / "c", pages)
    code = f"""
import sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
from corpuskit.cli import main
main()
"""
    command = [sys.executable, "-c", code, "status", str(tmp_path / "c")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (130, "corpuskit: stopped\n")


def test_files_that_are_added_can_be_stopped_and_say_how_it_goes_on(cli, pages, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("corpuskit.corpus.collect.ingest", interrupt)
    done = cli("add", "c", pages)
    assert (done.code, done.err) == (130, "corpuskit: stopped; what was added is kept, the same command goes on\n")


def test_commands_that_read_say_so_and_make_no_folder(cli, tmp_path):
    for name in ("status", "label", "train", "audit", "kwic", "pack", "export", "repair"):
        assert "made if absent" not in cli(name, "--help").out
    for arguments in (["status", "c"], ["label", "c", "x.csv"], ["train", "c"], ["add", "c", "nowhere.html"]):
        assert cli(*arguments).code == 1
    assert list(tmp_path.iterdir()) == []


def test_a_label_of_an_unknown_document_is_an_error_that_names_it(cli, tmp_path, pages):
    cli("add", tmp_path / "c", pages)
    (tmp_path / "labels.csv").write_text("target,label\nflood.html,relevant\nnowhere,other\n")
    done = cli("label", tmp_path / "c", tmp_path / "labels.csv")
    assert (done.code, done.out) == (3, "1 label taken\n")
    assert done.err == f"corpuskit: 1 target of {tmp_path / 'labels.csv'} not in the corpus:\n  nowhere\n"


def test_documents_without_a_score_do_not_drop_silently(cli, tmp_path, pages):
    cli("add", tmp_path / "c", pages)
    done = cli("export", tmp_path / "c", tmp_path / "out", "--min-relevance", "0.5")
    assert done.err == (
        f"2 documents have no relevance and are left out: corpuskit train {tmp_path / 'c'} scores all\n"
        "corpuskit: nothing to export: no document is left by these options\n"
    )
    assert done.code == 1
    assert cli("export", tmp_path / "c", tmp_path / "out", "--min-relevance", "6").code == 2


def test_what_the_audit_decided_can_be_exported(cli, trained, tmp_path):
    done = cli("export", trained, tmp_path / "out", "--decision", "relevant")
    assert (done.code, done.out) == (1, "")
    assert "no document is called relevant for certain; corpuskit audit" in done.err
    decisions = corpuskit.open(trained).documents().decision.value_counts()
    done = cli("export", trained, tmp_path / "out", "--decision", "unknown", "--decision", "other", "--keep-duplicates")
    assert done.out.startswith(f"{decisions.sum()} documents, ")
    done = cli("export", trained, tmp_path / "out", "--decision", "maybe")
    assert done.code == 2
    assert "'relevant', 'unknown', 'other'" in done.err


def test_training_tells_its_model_in_words(cli, trained, tmp_path):
    printed = cli("train", trained).out
    assert printed.startswith("Model ")
    assert "RelevanceModel(" not in printed


def test_a_fasttext_classifier_is_written_and_tells_how_far_it_agrees(cli, trained, tmp_path):
    done = cli("fasttext", trained, tmp_path / "s.bin")
    assert done.code == 0, done.err
    assert done.out.startswith(f"{tmp_path / 's.bin'}: fastText for documents, ")
    assert "10 labelled by people" in done.out
    assert "on 2 texts held out it agrees with its teacher on 100.0% (precision 100.0%, recall 100.0%)" in done.out
    assert (tmp_path / "s.bin").stat().st_size > 1_000
    refused = cli("fasttext", trained, tmp_path / "u.bin", "--urls")
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith("corpuskit: there is no model of URLs to teach fastText")


def test_a_second_crawl_is_told_when_the_first_began_to_the_minute(tmp_path):
    corpus = corpuskit.open(tmp_path / "c")
    with corpus._folder.crawl_lock(), pytest.raises(corpuskit.CorpusKitError) as caught, corpus._folder.crawl_lock():
        pass
    assert re.search(r"since \d{4}-\d\d-\d\d \d\d:\d\d$", str(caught.value))
    corpus.close()


def test_the_version_and_help_can_be_asked_for_as_everywhere(cli, tmp_path):
    module = subprocess.run(
        [sys.executable, "-m", "corpuskit", "--version"], capture_output=True, text=True, check=True
    )
    assert module.stdout == cli("--version").out == f"corpuskit {corpuskit.__version__}\n"
    assert cli("-h").out == cli("--help").out
    assert cli("add", "-h").out == cli("add", "--help").out


def test_tables_of_a_corpus_are_shown_and_written(cli, tmp_path, pages):
    (pages / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    assert cli("add", tmp_path / "c", pages).code == 3
    shown = cli("failures", tmp_path / "c").out
    assert "broken.pdf" in shown
    assert cli("failures", tmp_path / "c", "-o", tmp_path / "f.csv").out == f"{tmp_path / 'f.csv'}: 1 row\n"
    assert (tmp_path / "f.csv").read_text("utf-8").splitlines()[1].startswith("pages/broken.pdf,extract,")
    assert cli("requests", tmp_path / "c").out == "nothing was requested: no crawl has run\n"
    assert cli("sources", tmp_path / "nowhere").code == 1


def test_nothing_found_and_nothing_to_export_are_told(cli, tmp_path, pages):
    cli("add", tmp_path / "c", pages)
    done = cli("kwic", tmp_path / "c", "quaternion")
    assert (done.code, done.out, done.err) == (0, "", "corpuskit: nothing matches 'quaternion'\n")
    done = cli("kwic", tmp_path / "c", "quaternion*")
    assert done.err.splitlines()[1].endswith("quaternion.*, or --syntax wildcards")
    corpuskit.open(tmp_path / "empty").close()
    done = cli("export", tmp_path / "empty", tmp_path / "out")
    assert (done.code, done.err) == (1, "corpuskit: nothing to export: the corpus is empty\n")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["kwic", "c", "flood", "--window", "-2"],
        ["kwic", "c", "flood", "--limit", "-3"],
        ["audit", "c", "--precision", "0"],
    ],
)
def test_numbers_out_of_range_are_wrong_usage(cli, tmp_path, pages, arguments):
    cli("add", tmp_path / "c", pages)
    done = cli(*arguments)
    assert done.code == 2
    assert "Traceback" not in done.err


def test_a_negative_seed_is_told(cli, trained):
    done = cli("train", trained, "--seed", "-1")
    assert (done.code, done.err) == (2, "corpuskit: --seed -1: expected 0 or more\n")


@pytest.mark.slow
def test_jupyterlab_gets_its_own_options(cli):
    process = cli.spawn("lab", "notebooks", "--no-browser", "--port=9", "--version", stdout=subprocess.PIPE)
    assert re.fullmatch(r"\d+\.\d+\.\d+", process.communicate(timeout=120)[0].splitlines()[-1])
