"""Hostile layouts of a corpus folder and all that can be done with one. A process that has imported all runs them in forks.

python benchmarks/robustness/hostile_corpora.py                        all cells; prints what went wrong
python benchmarks/robustness/hostile_corpora.py LAYOUT [ACT ...]       the cells of a layout, with what they raised
"""

import contextlib
import gzip
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "helpers"))

SECONDS = 60  # an act that takes longer hangs
MARKER = "SECRETMARKER"
PAGE = "<html><head><title>{0}</title></head><body><h1>{0}</h1><p>The text of {0}, {1}.</p></body></html>"


# -- the corpus that is copied, and what lies outside ------------------------------------------------------------------------


def make_template(folder):
    """A corpus of two dozen documents with labels, a model, results of steps, and web archives."""
    import corpuskit

    pages = folder / "pages"
    pages.mkdir(parents=True)
    for i in range(12):
        (pages / f"r{i}.html").write_text(PAGE.format(f"premium {i}", "insurance premium claim policy cover " * 3))
        (pages / f"o{i}.html").write_text(PAGE.format(f"tomato {i}", "garden flower tomato soil rain " * 3))
    web_archive = folder / "page.warc.gz"
    web_archive.write_bytes(_warc("http://a.example/page", PAGE.format("archived", "a page of the web")))
    corpus = corpuskit.open(folder / "corpus")
    corpus.add(pages, web_archive, progress=False)
    with corpus._folder.crawl_lock():
        from datetime import UTC, datetime

        place = corpus._folder.warc.write(
            "http://b.example/",
            datetime.now(UTC),
            b"GET / HTTP/1.1\r\n\r\n",
            "HTTP/1.1 200 OK",
            [],
            b"<p>a crawled page</p>",
        )
    first = "SELECT doc_id FROM documents WHERE uri LIKE '%archived%' OR uri LIKE 'http://a%' LIMIT 1"
    corpus._folder.catalog.connection.execute(
        f"UPDATE documents SET original = ?, original_offset = ?, original_length = ? WHERE doc_id = ({first})",
        (place.file, place.offset, place.length),
    )
    documents = corpus.documents()
    labels = {row.doc_id: "relevant" if "premium" in row.title else "other" for row in documents.itertuples()}
    corpus.set_labels(labels, by="me")
    urls = {
        f"http://{topic}.example/{i}": label
        for topic, label in (("premium", "relevant"), ("tomato", "other"))
        for i in range(3)
    }
    corpus.set_labels(urls, by="me", kind="url")
    corpus.train()
    _discovered(corpus, folder / "archives")
    corpus.elements()
    corpus.preprocess(["language"], progress=False)
    corpus.positions()
    corpus.topics(2).rename(0, "mine")
    corpus._folder.catalog.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    corpus.close()
    return folder / "corpus"


def _discovered(corpus, archives):
    """A discovery in two pages of an archive, with the plan of fetching them."""
    from index_files import Archive, write_index

    from corpuskit.discovery.page_fetching import _plan
    from corpuskit.shards.output import Output

    archive = Archive("crawl-data/CC-MAIN-2024-22/segments/1.0/warc/CC-MAIN-0.warc.gz")
    for i in range(2):
        archive.add(f"http://premium.example/x{i}", PAGE.format("premium", f"insurance premium {i}").encode())
    archive.write(archives)
    write_index(archives, archive.rows)
    found = corpus.discover(archives / "cc-index", name="d", threshold=0.0, on="serial", progress=False)
    place = corpus._folder.root.subfolder("discoveries").subfolder("d").subfolder("fetched").mkdir()
    _plan(corpus._folder, Output(str(place)), found.places)


def _warc(url, page):
    body = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{page}".encode()
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000001>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {len(body)}\r\n\r\n"
    return gzip.compress(head.encode() + body + b"\r\n\r\n")


class Outside:
    """A watched folder: what is read of it shows in its times, what is written in its content."""

    def __init__(self, folder, template):
        self.folder = folder
        folder.mkdir()
        (folder / "secret.html").write_text(PAGE.format(MARKER, MARKER))
        (folder / "x.nlp.txt").write_text(
            f"## NLPTextDocument Title {MARKER}\n## NLPTextDocument Uri u\n## NLPTextDocument Timestamp 2020-01-02T03:04:05\n{MARKER}\n"
        )
        (folder / "x.jsonl").write_text(
            json.dumps(
                {
                    "target": "u",
                    "kind": "url",
                    "label": MARKER,
                    "by": "me",
                    "when": "2026",
                    "note": None,
                    "version": None,
                }
            )
            + "\n"
        )
        (folder / "x.csv").write_text(f"target,label\nu,{MARKER}\n")
        (folder / "x.warc.gz").write_bytes(_warc("http://secret.example/", PAGE.format(MARKER, MARKER)))
        (folder / "x.toml").write_text(f'description = "{MARKER}"\n')
        for name, source in (
            ("x.sqlite", "catalog.sqlite"),
            ("x.parquet", next((template / "elements").glob("*.parquet")).relative_to(template)),
        ):
            shutil.copy(template / source, folder / name)
        shutil.copytree(template / "models" / "model-0001", folder / "model")
        shutil.copytree(template / "documents", folder / "documents")
        self._before = self._state()
        self._age()

    def _state(self):
        return {
            str(path.relative_to(self.folder)): path.read_bytes() if path.is_file() else None
            for path in self.folder.rglob("*")
        }

    def _age(self):
        """A file system that notes reads at most once a day notes them of what was not read since it was written."""
        for path in [self.folder, *self.folder.rglob("*")]:
            os.utime(path, (1_000_000_000, path.stat().st_mtime))

    def touched(self):
        """What was read, written, made or removed since the last call; made as it was."""
        times = {str(p.relative_to(self.folder)): p.stat().st_atime for p in self.folder.rglob("*") if p.is_file()}
        now = self._state()
        changed = sorted(
            name for name in now.keys() | self._before.keys() if now.get(name, 0) != self._before.get(name, 0)
        )
        was_read = sorted(name for name, time in times.items() if time > 1_000_000_001 and name not in changed)
        for name in changed:
            path = self.folder / name
            if name not in self._before:
                shutil.rmtree(path, ignore_errors=True)
                path.unlink(missing_ok=True)
            elif self._before[name] is None:
                path.mkdir(exist_ok=True, parents=True)
            else:
                path.parent.mkdir(exist_ok=True, parents=True)
                path.write_bytes(self._before[name])
        self._age()
        return [f"read {name}" for name in was_read] + [f"changed {name}" for name in changed]


# -- layouts -----------------------------------------------------------------------------------------------------------------


def _sql(root, *statements):
    with contextlib.closing(sqlite3.connect(root / "catalog.sqlite")) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def _gone(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _link(name, target):
    def plant(root, outside):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        _gone(root / name)
        (root / name).symlink_to(target if str(target).startswith("/") else outside / target)

    return plant


def _fifo(name):
    def plant(root, _):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        _gone(root / name)
        os.mkfifo(root / name)

    return plant


def _folder(name):
    def plant(root, _):
        _gone(root / name)
        (root / name).mkdir()

    return plant


def _row(sql):
    return lambda root, outside: _sql(root, sql.format(outside=outside))


def _all(*plants):
    def plant(root, outside):
        for one in plants:
            one(root, outside)

    return plant


def _text(name, content):
    def plant(root, outside):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content.format(outside=outside))

    return plant


def _every(pattern, target):
    """Each file that matches becomes a link."""

    def plant(root, outside):
        for path in sorted(root.glob(pattern)):
            _gone(path)
            path.symlink_to(outside / target)

    return plant


def _damage(pattern):
    """Each file that matches has no end."""

    def plant(root, _):
        for path in root.glob(pattern):
            path.write_bytes(path.read_bytes()[:-100])

    return plant


def _pack_that_leads_out(root, outside):
    from corpuskit.store.packs import PackWriter

    _gone(root / "documents")
    with PackWriter(root / "documents" / "_packs_" / "00000001.nlp.txt.zst") as writer:
        writer.add("../../outside/new", (outside / "x.nlp.txt").read_bytes(), None)
    _sql(root, "UPDATE documents SET path = '../../outside/new' WHERE rowid = 1")


def _model_that_names_another(root, outside):
    for file in (root / "models").rglob("*.json"):
        meta = json.loads(file.read_text())
        file.write_text(json.dumps({**meta, "file": f"{outside}/model/document/model.npz"}))


def _journal(root, outside):
    name = str(outside / "secret.html").encode()
    end = bytes.fromhex("d9d505f920a163d7")
    content = name + len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big") + end
    (root / "catalog.sqlite-journal").write_bytes(end + b"\0" * 504 + (2**18 + 1).to_bytes(4, "big") + content)


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT d.* FROM documents d, n"
LAYOUTS = {
    "documents is a link": _link("documents", "documents"),
    "the folder of a host is a link": _link("documents/_files_", "documents/_files_"),
    "documents are links": _every("documents/**/*.nlp.txt", "x.nlp.txt"),
    "marks are links": _every("documents/**/*.marks.json.zst", "x.nlp.txt"),
    "a document is a pipe": _fifo("documents/_files_/pages/r0.html.nlp.txt"),
    "a document is a device": _link("documents/_files_/pages/r0.html.nlp.txt", "/dev/zero"),
    "originals is a link": _link("originals", "."),
    "artifact directories are links": _every("originals/*.d", "."),
    "originals are links": _every("originals/*.d/*.html", "secret.html"),
    "an original is a pipe": _fifo("originals/r0.html.d/r0.html"),
    "web archives are links": _every("originals/*.warc.gz", "x.warc.gz"),
    "the next web archives are links": _all(_link("originals/crawl-00002.warc.gz", "x.warc.gz"), _link("originals/added-00002.warc.gz", "x.warc.gz"), _link("originals/added-00003.warc.gz", "made")),
    "labels is a link": _link("labels", "."),
    "labels are a link": _every("labels/*.jsonl", "x.jsonl"),
    "labels are a pipe": _fifo("labels/x.jsonl"),
    "labels are a device": _link("labels/x.jsonl", "/dev/zero"),
    "corpus.toml is a link": _link("corpus.toml", "x.toml"),
    "corpus.toml is a pipe": _fifo("corpus.toml"),
    "corpus.toml is deep": _text("corpus.toml", "x = " + "[" * 100_000),
    "corpus.toml is hostile": _text("corpus.toml", 'name = "../../outside/x"\n[crawl]\ndelay = 1e308\nexclude = ["{outside}"]\ncontact = "a\\r\\nb"\n'),
    "the catalogue is a link": _link("catalog.sqlite", "x.sqlite"),
    "the catalogue is a pipe": _fifo("catalog.sqlite"),
    "files beside the catalogue are links": _all(_link("catalog.sqlite-wal", "x.toml"), _link("catalog.sqlite-shm", "x.toml")),
    "the journal names a file": _journal,
    "paths lead out": _row("UPDATE documents SET path = '../../outside/documents/' || path"),
    "paths are absolute": _row("UPDATE documents SET path = '{outside}/documents/' || path, original = '{outside}/secret.html'"),
    "originals lead out": _row("UPDATE documents SET original = '../../outside/secret.html'"),
    "records lead out": _row("UPDATE documents SET original = '../../outside/secret.html', original_offset = 3, original_length = 50"),
    "originals wait and lead out": _row("UPDATE documents SET status = 'fetched', original = '../../outside/secret.html'"),
    "texts wait and lead out": _row("UPDATE documents SET status = 'fetched', path = '../../outside/' || path"),
    "parts of the cache lead out": _row("UPDATE element_cache SET part = '../../outside/x.parquet'"),
    "elements is a link": _link("elements", "."),
    "parts of the cache are links": _all(_every("elements/*.parquet", "x.parquet"), _fifo("elements/catalog/documents.parquet")),
    "a model leads out": _row("UPDATE models SET folder = '../../outside/model'"),
    "models is a link": _link("models", "."),
    "a model is a link": _link("models/model-0001", "model"),
    "the next model is a link": _all(_link("models/model-0002", "model"), _link("models/model-0003", "model")),
    "a model names another file": _model_that_names_another,
    "packs is a link": _link("documents/_packs_", "."),
    "packs are links": _all(_link("documents/_packs_/00000001.nlp.txt.zst", "x.nlp.txt"), _fifo("documents/_packs_/00000002.nlp.txt.zst")),
    "a pack leads out": _pack_that_leads_out,
    "preprocessing is a link": _link("preprocessing", "."),
    "results of steps are links": _all(_every("preprocessing/*/*.parquet", "x.parquet"), _link("preprocessing/duplicates.parquet", "x.parquet")),
    "tokens is a link": _link("tokens", "."),
    "the index of tokens leads out": _all(_every("tokens/*", "x.parquet"), _every("tokens/*/*", "x.parquet")),
    "vectors is a link": _link("vectors", "."),
    "discoveries is a link": _link("discoveries", "."),
    "what a discovery holds are links": _every("discoveries/**/*.*", "x.parquet"),
    "what a discovery holds are pipes": _all(*(_fifo(f"discoveries/d/{name}") for name in ("summary.json", "places.parquet", "fetched/plan.json"))),
    "what a discovery holds is damaged": _damage("discoveries/**/*.*"),
    "what vectors hold are links": _all(*(_every(f"vectors/corpus/{pattern}", "x.parquet") for pattern in ("*.*", "space/*"))),
    "what vectors hold are pipes": _all(*(_fifo(f"vectors/corpus/{name}") for name in ("layout.pos", "topics.rec", "topics.json", "edits.jsonl", "space/space.json"))),
    "what vectors hold is damaged": _all(*(_damage(f"vectors/corpus/{pattern}") for pattern in ("*.*", "space/*")), _folder("vectors/mine"), _text("vectors/mine/part-0123456789abcdef.vec", "x" * 90)),
    "annotations is a link": _link("annotations", "."),
    "answers are a link": _link("annotations/answers.sqlite", "x.sqlite"),
    "locks are links": _all(*(_link(f".{name}.lock{suffix}", "x.toml") for name in ("crawl", "pack", "annotate") for suffix in ("", ".json"))),
    "locks are pipes": _all(*(_fifo(f".{name}.lock{suffix}") for name in ("crawl", "pack", "annotate") for suffix in ("", ".json"))),
    "a view is endless": _row(f"CREATE VIEW more AS {ENDLESS}"),
    "a trigger is foreign": _row("CREATE TRIGGER evil AFTER INSERT ON labels BEGIN SELECT RAISE(FAIL, 'evil'); END"),
    "a table is a folder of links": _all(_link("preprocessing/duplicates.parquet/x.parquet", "x.parquet"), _link("elements/x.parquet/x.parquet", "x.parquet")),
    "tables are damaged": _all(*(_damage(pattern) for pattern in ("elements/*.parquet", "preprocessing/*/*.parquet")), _text("preprocessing/duplicates.parquet", "PAR1")),
    "notes in the catalogue are strange": _all(_row("INSERT OR REPLACE INTO meta VALUES ('label files', '7'), ('audit', '7'), ('sub-corpus x', '7')"), _row("UPDATE said SET said = '['"), _row("UPDATE models SET summary = '7'"), _row("UPDATE documents SET metadata = '['"), _row("INSERT INTO jobs (kind, started, options) VALUES ('crawl', '2026-01-01T00:00:00+00:00', '[')")),
    "numbers are strange": _row("UPDATE documents SET words = -1, original_offset = 0, original_length = NULL"),
    "the version is a lie": _row("PRAGMA user_version = 3"),
    "locks are folders": _all(*(_folder(f".{name}.lock{suffix}") for name, suffix in (("crawl", ""), ("pack", ".json"), ("annotate", "")))),
    "the catalogue cannot be repaired into place": _all(_text("catalog.sqlite", "no database"), _link("catalog.sqlite.repaired", "x.sqlite"), _link("catalog.sqlite.damaged-1", "x.sqlite")),
}  # fmt: skip


# -- acts --------------------------------------------------------------------------------------------------------------------


def _input(place):
    """What a stranger hands over besides a corpus: a folder with links, archives whose members lead out, shards, PDF folders."""
    folder, outside = place / "input", place / "outside"
    (folder / "files").mkdir(parents=True)
    (folder / "files" / "own.html").write_text(PAGE.format("own", "its own text"))
    (folder / "files" / "link.html").symlink_to(outside / "secret.html")
    (folder / "files" / "folder").symlink_to(outside)
    os.mkfifo(folder / "files" / "pipe.html")
    (folder / "files" / "zero.html").symlink_to("/dev/zero")
    for name in ("a.zip", "a.epub", "a.docx"):
        with zipfile.ZipFile(folder / "files" / name, "w") as archive:
            for member in ("../../../outside/new.html", f"{outside}/new.html", "mimetype"):
                archive.writestr(member, PAGE.format("member", "member"))
            link = zipfile.ZipInfo("link.html")
            link.external_attr = 0o120777 << 16
            archive.writestr(link, f"{outside}/secret.html")
    with tarfile.open(folder / "files" / "a.tar.gz", "w:gz") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE):
            member = tarfile.TarInfo(f"../../../outside/{kind.decode()}.html")
            member.type, member.linkname = kind, f"{outside}/secret.html"
            archive.addfile(member)
    (folder / "files" / "a.warc.gz").write_bytes(_warc("file:///../../outside/new", PAGE.format("record", "record")))
    (folder / "shards").mkdir()
    for suffix in (".catalog.parquet", ".elements.parquet", ".nlp.txt.zst"):
        (folder / "shards" / f"x{suffix}").symlink_to(outside / "x.parquet")
    (folder / "lists").mkdir()
    (folder / "lists" / "x.paths").write_text(f"file://{outside}/x.warc.gz\n")
    (folder / "pdf").mkdir()
    (folder / "pdf" / ".corpus-root").symlink_to(outside / "made")
    (folder / "pdf" / "a.pdf").symlink_to(outside / "secret.html")
    (folder / "pdf" / "b.pdf.d").symlink_to(outside)
    (folder / "pdfs").mkdir()
    (folder / "pdfs" / ".corpus-root").touch()
    (folder / "pdfs" / "a.pdf.d").mkdir()
    (folder / "pdfs" / "a.pdf.d" / "a.pdf").symlink_to(outside / "secret.html")
    (folder / "pdfs" / "b.pdf.d").mkdir()
    from corpuskit.demo import demo_data

    shutil.copy(next((demo_data() / "files").rglob("*.pdf")), folder / "pdfs" / "b.pdf.d" / "b.pdf")
    for name in ("segmentation.json", "textgrid.json"):
        (folder / "pdfs" / "b.pdf.d" / name).symlink_to(outside / "secret.html")
    (folder / "own.csv").write_text("target,label\nhttp://b.example/,relevant\n")
    return folder


class Act:
    """What an act is given."""

    def __init__(self, place, template):
        self.root, self.input, self._template = place / "corpus", place / "input", template
        self.archives = template.parent / "archives"
        self._out, self._count = place / "out", 0
        self._out.mkdir(exist_ok=True)
        self._opened = []

    @property
    def corpus(self):
        import corpuskit

        self._opened.append(corpuskit.open(self.root))
        return self._opened[-1]

    def close(self):
        """Ends what works in the background, which would write into the folder of the next act."""
        while self._opened:
            self._opened.pop().close()

    def out(self, suffix=""):
        self._count += 1
        return self._out / f"{self._count}{suffix}"

    def ids(self):
        """Documents as the corpus had them before."""
        # Others copy the template at this moment: nothing may be written beside it.
        name = f"{(self._template / 'catalog.sqlite').as_uri()}?immutable=1"
        with contextlib.closing(sqlite3.connect(name, uri=True)) as connection:
            return [row[0] for row in connection.execute("SELECT doc_id FROM documents ORDER BY uri")]

    def cli(self, *arguments):
        from corpuskit.cli import main

        sys.argv = ["corpuskit", *map(str, arguments)]
        with contextlib.suppress(SystemExit):
            main()


def _crawled(act, **options):
    act.corpus.crawl("http://127.0.0.1:9/", delay=0, pages=1, minutes=0.01, allow_private=True, **options).wait(
        progress=False
    )


def _sketched(act):
    for layer in ("lemma", "pos"):
        act.corpus.annotate(layer, lambda words: [word[:1] for word in words], progress=False)
    return act.corpus.sketch("p")


def _forgotten(act):
    act.corpus.save_query("x", "premium")
    act.corpus.forget_query("x")


def _annotated(act):
    act.corpus.prelabel(lambda texts: ["relevant"] * len(texts), act.ids()[:2], name="m", progress=False)


def _all_documents(act):
    for document in act.corpus:
        document.to_text()


# Each public method of Corpus, those that read first. A method without a row fails a test.
METHODS = {
    "path": lambda a: a.corpus.path,
    "__len__": lambda a: len(a.corpus),
    "__iter__": _all_documents,
    "__getitem__": lambda a: [a.corpus[i] for i in a.ids()[:3]],
    "__contains__": lambda a: a.ids()[0] in a.corpus,
    "__repr__": lambda a: repr(a.corpus),
    "documents": lambda a: a.corpus.documents(),
    "elements": lambda a: a.corpus.elements(),
    "find": lambda a: a.corpus.find("premium"),
    "web.requests": lambda a: a.corpus.requests(),
    "web.frontier": lambda a: a.corpus.frontier(),
    "web.sources": lambda a: a.corpus.sources(),
    "labels": lambda a: a.corpus.labels(),
    "failures": lambda a: a.corpus.failures(),
    "text.kwic": lambda a: a.corpus.kwic("premium"),
    "text.concordance": lambda a: a.corpus.concordance("premium"),
    "text.collocates": lambda a: a.corpus.collocates("premium"),
    "text.keywords": lambda a: a.corpus.keywords(),
    "text.dispersion": lambda a: a.corpus.dispersion("premium"),
    "text.occurrences": lambda a: a.corpus.occurrences("premium"),
    "text.ngrams": lambda a: a.corpus.ngrams(),
    "text.wordlist": lambda a: a.corpus.wordlist(),
    "text.frequency": lambda a: a.corpus.frequency("premium"),
    "text.clusters": lambda a: a.corpus.clusters("premium"),
    "text.sketch": _sketched,
    "text.explore": lambda a: a.corpus.explore("premium"),
    "queries.save": lambda a: a.corpus.save_query("x", "premium"),
    "queries.__call__": lambda a: a.corpus.queries(),
    "queries.delete": _forgotten,
    "text.annotate": lambda a: a.corpus.annotate("length", lambda words: [str(len(word)) for word in words], progress=False),
    "vectors.embed": lambda a: [a.corpus.embed(), a.corpus.embed("mine", lambda texts: [[len(text), 1.0] for text in texts], progress=False)],
    "vectors.similar": lambda a: a.corpus.similar(a.ids()[0]),
    "vectors.positions": lambda a: a.corpus.positions(),
    "vectors.topics": lambda a: a.corpus.topics(),
    "text.vocabulary": lambda a: a.corpus.vocabulary(),
    "text.charset": lambda a: a.corpus.charset(),
    "browse": lambda a: a.corpus.browse(),
    "vectors.map": lambda a: a.corpus.map(by="me"),
    "sample": lambda a: a.corpus.sample(3),
    "subcorpora.__call__": lambda a: a.corpus.subcorpora(),
    "subcorpora.save": lambda a: a.corpus.save_subcorpus("x", a.ids()[:2]),
    "subcorpora.documents": lambda a: a.corpus.subcorpus("x"),
    "view": lambda a: a.corpus.view(a.ids()[0]),
    "page": lambda a: a.corpus.page(a.ids()[0], 1),
    "labelling.labels_report": lambda a: a.corpus.labels_report(),
    "labelling.disagreements": lambda a: a.corpus.disagreements(),
    "web.crawl_report": lambda a: a.corpus.crawl_report(),
    "labelling.relevance_report": lambda a: a.corpus.relevance_report(),
    "web.compare": lambda a: a.corpus.compare(),
    "labelling.next_to_label": lambda a: a.corpus.next_to_label(2),
    "model": lambda a: a.corpus.model(),
    "audit": lambda a: a.corpus.audit(),
    "maintenance.check": lambda a: a.corpus.check(),
    "export": lambda a: [a.corpus.export(a.out(), format=["nlp.txt", "md", "html", "tei", "textworks"]), a.corpus.export(a.out(), format="jsonl")],
    "web.export_seeds": lambda a: a.corpus.export_seeds(a.out(".txt")),
    "compat.export_requests": lambda a: a.corpus.export_requests(a.out(".csv")),
    "web.export_queue": lambda a: a.corpus.export_queue(a.out(".txt")),
    "labelling.export_fasttext": lambda a: a.corpus.export_fasttext(a.out(".bin")),
    "maintenance.backup": lambda a: a.corpus.backup(a.out()),
    "describe": lambda a: a.corpus.describe("what it is", seeds=["premium"]),
    "web.set_source": lambda a: a.corpus.set_source("a.example", "hold"),
    "set_labels": lambda a: a.corpus.set_labels(dict.fromkeys(a.ids()[:1], "other"), by="me"),
    "labelling.import_labels": lambda a: a.corpus.import_labels(a.input / "own.csv", by="me"),
    "label": lambda a: a.corpus.label(by="me"),
    "labelling.prelabel": _annotated,
    "train": lambda a: a.corpus.train(),
    "preprocess": lambda a: a.corpus.preprocess(["language"], progress=False),
    "add": lambda a: a.corpus.add(a.input / "files", progress=False),
    "add_wikipedia": lambda a: a.corpus.add_wikipedia(progress=False),
    "archives.merge": lambda a: a.corpus.merge(a.input / "shards", progress=False),
    "archives.discover": lambda a: a.corpus.discover(a.archives / "cc-index", name="d", threshold=0.0, on="serial", progress=False),
    "archives.fetch": lambda a: a.corpus.fetch("d", base=a.archives, on="serial", progress=False),
    "archives.train_urls": lambda a: a.corpus.train_urls("d"),
    "crawl": _crawled,
    "maintenance.extract_pending": lambda a: a.corpus.extract_pending(),
    "maintenance.pack": lambda a: a.corpus.pack(),
    "maintenance.unpack": lambda a: a.corpus.unpack(),
    "remove": lambda a: [a.corpus.remove([i], reason="test") for i in a.ids()[:2] + a.ids()[-1:]],
    "repair": lambda a: __import__("corpuskit").corpus.Corpus.repair(a.root),
    "original": lambda a: [a.corpus.original(i) for i in a.ids()[:2]],
    "compat.drop_textworks": lambda a: a.corpus.drop_textworks(),
    "close": lambda a: a.corpus.close(),
    "__enter__": lambda a: a.corpus.__enter__().__exit__(),
}  # fmt: skip
COMMANDS = {
    "status": lambda a: a.cli("status", a.root),
    "failures": lambda a: a.cli("failures", a.root),
    "urls": lambda a: a.cli("urls", a.input / "own.csv"),
    "requests": lambda a: a.cli("requests", a.root),
    "sources": lambda a: a.cli("sources", a.root),
    "textworks drop": lambda a: [a.cli("textworks", "drop", "--corpus", place) for place in (a.root, a.input / "pdfs", a.input / "pdf")],
    "kwic": lambda a: a.cli("kwic", a.root, "premium"),
    "check": lambda a: a.cli("check", a.root),
    "export": lambda a: a.cli("export", a.root, a.out(), "-f", "nlp.txt", "-f", "jsonl"),
    "extract": lambda a: a.cli("extract", "--on", "serial", a.input / "lists" / "x.paths", a.input / "files", a.out()),
    "label": lambda a: a.cli("label", a.root, a.input / "own.csv"),
    "prelabel": lambda a: a.cli("prelabel", a.root, "--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--requests", "1"),
    "train": lambda a: a.cli("train", a.root),
    "audit": lambda a: a.cli("audit", a.root),
    "fasttext": lambda a: a.cli("fasttext", a.root, a.out(".bin")),
    "add": lambda a: a.cli("add", a.root, a.input / "files"),
    "merge": lambda a: a.cli("merge", a.root, a.input / "shards"),
    "crawl": lambda a: a.cli("crawl", a.root, "http://127.0.0.1:9/", "--resume", "--pages", "1", "--delay", "0", "--minutes", "0.01"),
    "discover": lambda a: a.cli("discover", a.root, a.archives / "cc-index", "--name", "d", "--threshold", "0", "--on", "serial"),
    "fetch": lambda a: a.cli("fetch", a.root, "d", "--base", a.archives, "--on", "serial"),
    "pack": lambda a: [a.cli("pack", a.root), a.cli("pack", a.root, "--undo")],
    "repair": lambda a: a.cli("repair", a.root),
    "textworks init": lambda a: a.cli("textworks", "init", "--corpus", a.input / "pdf"),
    "textworks run": lambda a: [a.cli("textworks", "run", "--corpus", a.input / name) for name in ("pdf", "pdfs")],
}  # fmt: skip
NOT_OF_A_CORPUS = {"demo": "makes its own", "lab": "opens notebooks", "wikipedia": "as add_wikipedia, over the network"}
ACTS = {**METHODS, **{f"corpuskit {name}": act for name, act in COMMANDS.items()}}


# -- cells -------------------------------------------------------------------------------------------------------------------


def _work_here():
    """Workers are this process: starting some for each cell takes longer than the cells."""
    from corpuskit.engine import pool, workers

    class Here:
        is_fit = True

        def call(self, function, arguments, stop=None):
            return function(*arguments)

    for module in (pool, workers):
        module.acquire_worker = lambda limits: Here()
        module.release_worker = lambda worker: None


def last_place(error):
    """Where in corpuskit an error came from."""
    import traceback

    own = [frame for frame in traceback.extract_tb(error.__traceback__) if "/corpuskit/" in frame.filename]
    return f"{own[-1].filename.rpartition('/corpuskit/')[2]}:{own[-1].lineno}" if own else "outside corpuskit"


def run_layout(name, template, folder, acts=None, tell=print):
    """Plants a layout before each act; gives act → what it touched outside or raised that is no error of corpuskit, and
    what it raised."""
    from corpuskit.errors import CorpusKitError

    outside = Outside(folder / "outside", template)
    _input(folder)
    act, told = Act(folder, template), {}
    for each in acts or ACTS:
        _gone(folder / "corpus")
        shutil.copytree(template, folder / "corpus", symlinks=True)
        LAYOUTS[name](folder / "corpus", folder / "outside")
        outside.touched()
        tell(json.dumps(["begun", each]))
        signal.alarm(SECONDS)
        raised, bare = "", []
        try:
            with contextlib.closing(act):
                ACTS[each](act)
        except Exception as error:
            raised = f"{type(error).__name__}: {str(error)[:200]}"
            if not isinstance(error, CorpusKitError):
                bare = [f"bare {raised} ({last_place(error)})"]
        signal.alarm(0)
        told[each] = (outside.touched() + bare, raised)
        tell(json.dumps(["ended", each, *told[each]]))
    return told


def serve():
    """A line of input: the layout, the template and the folder as JSON. A fork each; its lines of output, then its end."""
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", POLARS_MAX_THREADS="1")
    import corpuskit.annotators
    import corpuskit.cli.commands
    import corpuskit.corpus
    import corpuskit.crawl
    import corpuskit.export
    import corpuskit.preprocessing
    import corpuskit.relevance
    import corpuskit.relevance.corpus_training
    import corpuskit.shards
    import corpuskit.views
    import corpuskit.widgets.browser
    import corpuskit.widgets.labeler
    import corpuskit.widgets.tree  # noqa: F401

    _work_here()
    for line in sys.stdin:
        name, template, folder, acts = json.loads(line)
        pid = os.fork()
        if pid == 0:
            os.setsid()
            told, quiet = os.dup(1), os.open(os.devnull, os.O_WRONLY)
            for handle in (1, 2):
                os.dup2(quiet, handle)
            code = 1
            try:
                run_layout(
                    name, Path(template), Path(folder), acts, lambda line, to=told: os.write(to, f"{line}\n".encode())
                )
                code = 0
            except BaseException as error:
                os.write(told, f"{json.dumps(['broke', repr(error)[:300]])}\n".encode())
            os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        sys.stdout.write(json.dumps(["done", name, code]) + "\n")
        sys.stdout.flush()


def run_matrix(folder, layouts, choose=lambda layout, act: True, processes=2):
    """Runs the cells that are chosen; gives (cells, what went wrong as lines, act → seconds)."""
    import threading

    template, waiting, wrong, lock = make_template(folder / "template"), list(enumerate(layouts)), [], threading.Lock()
    counts, times = [0], {}

    def work():
        server = subprocess.Popen(
            [sys.executable, __file__, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        with server:
            while True:
                with lock:
                    if not waiting:
                        break
                    number, layout = waiting.pop()
                acts = [act for act in ACTS if choose(layout, act)]
                if not acts:  # none would stand for all
                    continue
                place = folder / f"cell{number}"
                place.mkdir()
                server.stdin.write(json.dumps([layout, str(template), str(place), acts]) + "\n")
                server.stdin.flush()
                under_way, began = None, 0.0
                for line in server.stdout:
                    kind, *told = json.loads(line)
                    if kind == "begun":
                        under_way, began = told[0], time.monotonic()
                    elif kind == "ended":
                        act, touched, _ = told
                        under_way = None
                        with lock:
                            counts[0] += 1
                            times[act] = times.get(act, 0.0) + time.monotonic() - began
                            wrong.extend(f"{layout} × {act}: {one}" for one in touched)
                    elif kind == "broke":
                        wrong.append(f"{layout} × {under_way}: the harness broke: {told[0]}")
                    else:
                        if under_way or told[1]:
                            wrong.append(f"{layout} × {under_way}: ended by {told[1]} (-14: it hung)")
                        break
                shutil.rmtree(place, ignore_errors=True)
            server.stdin.close()

    threads = [threading.Thread(target=work) for _ in range(processes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return counts[0], wrong, times


def main():
    """The whole matrix, or the cells of a layout."""
    if sys.argv[1:] == ["--serve"]:
        serve()
        return
    with tempfile.TemporaryDirectory() as work:
        if sys.argv[1:]:
            _work_here()
            made = make_template(Path(work) / "template")
            (Path(work) / "cell").mkdir()
            run_layout(sys.argv[1], made, Path(work) / "cell", sys.argv[2:] or None)
            return
        cells, wrong, times = run_matrix(Path(work), LAYOUTS)
        for act, seconds in sorted(times.items(), key=lambda item: -item[1])[:20]:
            print(f"{seconds:8.1f} s {act}")
        print("\n".join(wrong))
        if cells != len(LAYOUTS) * len(ACTS):
            wrong.append("cells are missing")
            print(wrong[-1])
        print(f"{len(LAYOUTS)} layouts × {len(ACTS)} acts: {cells} cells, {len(wrong)} went wrong")
        sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
