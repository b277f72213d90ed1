"""A fuzzer of corpus folders: rows of the catalogue, links and pipes, corpus.toml, the schema; then an act on the corpus.

A folder outside is watched: nothing there is read, written, made or deleted; no act hangs, or ends in an error that is none
of corpuskit's own.

    python benchmarks/robustness/fuzz_corpus.py --cases 100000          prints a table; 1 where something went wrong
    python benchmarks/robustness/fuzz_corpus.py --case 4711             one case, with what was done
"""

import argparse
import contextlib
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import hostile_corpora as hostile

SECONDS = 60  # a case that takes longer hangs
BATCH = 2000  # cases of a process
SLOW = {
    "add_wikipedia", "audit", "browse", "concordance", "crawl", "export_fasttext", "label", "prelabel", "preprocess",
    "relevance_report", "train",
}  # fmt: skip
ACTS = [name for name in hostile.METHODS if name not in SLOW]
COLUMNS = [
    ("documents", name) for name in (
        "path", "path", "original", "original", "original_offset", "original_length", "status", "media_type", "charset", "metadata",
        "doc_id", "uri", "host", "version", "content_hash", "fetched", "timestamp", "text_hash", "title", "source", "payload_digest",
    )
] + [
    ("element_cache", "part"), ("element_cache", "part"), ("models", "folder"), ("models", "version"), ("meta", "value"), ("meta", "key"),
    ("labels", "target"), ("labels", "label"), ("labels", "version"), ("scores", "relevance"), ("frontier", "url"), ("jobs", "options"),
]  # fmt: skip
SCRIPTS = [
    f"DROP VIEW current; CREATE VIEW current AS {hostile.ENDLESS}",
    "CREATE TRIGGER evil AFTER INSERT ON labels BEGIN SELECT RAISE(FAIL, 'evil'); END",
    "CREATE VIRTUAL TABLE evil USING fts5(x)",
    "DROP TABLE scores",
    "PRAGMA user_version = 3",
    "PRAGMA user_version = 0",
    "ALTER TABLE models ADD COLUMN x AS (hex(zeroblob(1000000)))",
    "PRAGMA journal_mode = DELETE",
]
LINES = [
    'name = "{value}"', 'description = "{value}"', "seeds = [{many}]", "languages = [\"{value}\"]", "[crawl]\ndelay = nan",
    '[crawl]\nscope = "{value}"', '[labels]\nrule = "{value}"', "[extraction]\nmax_bytes = 99999999999999999999", "x = {deep}",
    '[extraction]\nocr = true\nocr_language = "{value}"', "{junk}", '"{value}" = 1', "[extraction]\nforms = 1",
]  # fmt: skip


def make_template(folder):
    """A small corpus: files, a record of a web archive, labels, a pack."""
    import corpuskit

    (folder / "pages").mkdir(parents=True)
    for i in range(3):
        (folder / "pages" / f"p{i}.html").write_text(hostile.PAGE.format(f"page {i}", "premium garden"))
    (folder / "x.warc.gz").write_bytes(hostile._warc("http://a.example/page", hostile.PAGE.format("archived", "page")))
    corpus = corpuskit.open(folder / "corpus")
    corpus.add(folder / "pages" / "p0.html", folder / "x.warc.gz", progress=False)
    corpus.pack()
    corpus.add(folder / "pages", progress=False)
    corpus.set_labels(dict.fromkeys(corpus.documents()["doc_id"][:2], "relevant"), by="me")
    corpus.elements()
    corpus.save_subcorpus("x", corpus.documents().head(1))
    connection = corpus._folder.catalog.connection
    connection.execute("INSERT INTO models VALUES ('model-0001', '2026', 'model-0001', 2, '{}')")
    connection.execute(
        "INSERT INTO frontier (id, url, host, depth, kind, priority, state) VALUES (1, 'http://a.example/', 'a.example', 0, 'seed', 0, 'queued')"
    )
    connection.execute("INSERT INTO jobs (kind, started, options) VALUES ('crawl', '2026-01-01T00:00:00+00:00', '{}')")
    connection.execute("INSERT INTO scores SELECT doc_id, 'model-0001', 0.5, 'unknown' FROM documents LIMIT 1")
    (folder / "corpus" / "models" / "model-0001").mkdir(parents=True)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    corpus.close()
    return folder / "corpus"


class Outside:
    """The watched folder; its state is what the system notes of each file: size, times, and that it was read."""

    def __init__(self, folder, template):
        self.folder = folder
        (folder / "d.d").mkdir(parents=True)
        (folder / "x.html").write_text(hostile.PAGE.format("secret", "secret"))
        (folder / "x.nlp.txt").write_text(
            "## NLPTextDocument Title s\n## NLPTextDocument Uri u\n## NLPTextDocument Timestamp 2020-01-02T03:04:05\ns\n"
        )
        shutil.copy(template / "catalog.sqlite", folder / "x.sqlite")
        shutil.copy(next((template / "elements").glob("*.parquet")), folder / "x.parquet")
        (folder / "x.jsonl").write_text("{}\n")
        (folder / "d.d" / "d").write_text("d")
        self.names = ["", "x.html", "x.nlp.txt", "x.sqlite", "x.parquet", "x.jsonl", "d.d", "d.d/d", "new", "new/new"]
        self.remember()

    def remember(self):
        for path in [self.folder, *self.folder.rglob("*")]:
            os.utime(path, (1_000_000_000, path.stat().st_mtime))
        self._state = self._now()

    def _now(self):
        found = {}
        waiting = [str(self.folder)]
        while waiting:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    known = entry.stat(follow_symlinks=False)
                    is_folder = entry.is_dir(follow_symlinks=False)
                    # Of a folder the time of reading is our own.
                    found[entry.path] = (
                        known.st_ino,
                        known.st_size,
                        known.st_mtime_ns,
                        known.st_ctime_ns,
                        0 if is_folder else known.st_atime_ns,
                    )
                    if is_folder:
                        waiting.append(entry.path)
        return found

    def touched(self):
        """The names of what was read, written, made or deleted."""
        now = self._now()
        return sorted(name for name in now.keys() | self._state.keys() if now.get(name) != self._state.get(name))


def _value(r, outside):
    name = r.choice(outside.names)
    return r.choice([
        f"../../outside/{name}", f"../outside/{name}", f"{outside.folder}/{name}", f"x/../../../outside/{name}", f"link/{name}", f"./{name}",
        f"..\\\\..\\\\outside\\\\{name}", f"a\0/../../outside/{name}", "/dev/zero", "/proc/self/environ", "", ".", "..", "/", "a" * 300,
        "a/" * 2000, "\u202e", "con", "file://" + str(outside.folder), name, b"\xff\x00", 2**63 - 1, -1, 0, None, 1e308, "[" * 1000,
        '{"a": ' * 50, "fetched", "extracted", "failed", "removed", "application/pdf", "text/html", "9" * 400,
    ])  # fmt: skip


@contextlib.contextmanager
def _catalogue(root):
    """The catalogue, where an earlier change of this case has left one: the fuzzer follows no link either."""
    files = [root / f"catalog.sqlite{suffix}" for suffix in ("", "-wal", "-shm", "-journal")]
    if not files[0].is_file() or any(file.is_symlink() or (file.exists() and not file.is_file()) for file in files):
        raise sqlite3.Error("none that can be opened")
    with contextlib.closing(sqlite3.connect(files[0], timeout=1)) as connection:
        yield connection


def _change_row(r, root, outside):
    table, column = r.choice(COLUMNS)
    value = _value(r, outside)
    where = r.choice(["", " WHERE rowid = (SELECT max(rowid) FROM documents)" if table == "documents" else ""])
    with contextlib.suppress(sqlite3.Error, UnicodeError), _catalogue(root) as connection:
        connection.execute(f"UPDATE OR IGNORE {table} SET {column} = ?{where}", (value,))
        if r.random() < 0.5:
            connection.execute("UPDATE documents SET status = ?", (r.choice(["fetched", "extracted"]),))
        connection.commit()
    return f"{table}.{column} = {value!r:.80}{where}"


def _change_schema(r, root, outside):
    script = r.choice(SCRIPTS)
    with contextlib.suppress(sqlite3.Error, UnicodeError), _catalogue(root) as connection:
        connection.executescript(script)
    return script


def _change_bytes(r, root, outside):
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    file = r.choice(files)
    content = bytearray(file.read_bytes())
    for _ in range(r.randint(1, 20)):
        if content:
            content[r.randrange(len(content))] = r.randrange(256)
    file.write_bytes(content)
    return f"bytes of {file.relative_to(root)}"


def _change_settings(r, root, outside):
    value = str(_value(r, outside)).replace('"', "'")
    line = r.choice(LINES).format(
        value=value, many='"a", ' * r.choice([1, 5000]), deep="[" * r.choice([10, 50_000]), junk="".join(map(chr, r.choices(range(1, 300), k=50)))
    )  # fmt: skip
    hostile._gone(root / "corpus.toml")
    (root / "corpus.toml").write_bytes(line.encode("utf-8", "replace"))
    return f"corpus.toml: {line[:60]!r}"


def _change_layout(r, root, outside):
    places = sorted(root.rglob("*")) + [
        root / name for name in (
            "originals/crawl-00001.warc.gz", "originals/added-00002.warc.gz", "originals/.corpus-root", "labels/x.jsonl", "labels/root.jsonl",
            "documents/_packs_/00000009.nlp.txt.zst", "documents/link", "originals/link", "models/model-0001", "preprocessing/duplicates.parquet",
            "elements/catalog", "elements/catalog/documents.parquet", ".crawl.lock", ".pack.lock", ".pack.lock.json", "catalog.sqlite-journal",
            "catalog.sqlite-wal", "catalog.sqlite.repaired", "catalog.sqlite.damaged-1", "annotations", "corpus.toml", "catalog.sqlite",
        )
    ]  # fmt: skip
    place = r.choice(places)
    kind = r.choice(["outside", "outside", "outside", "device", "loop", "inside", "pipe", "folder", "missing"])
    if not Path(os.path.realpath(place.parent)).is_relative_to(os.path.realpath(root)):
        return f"{place.relative_to(root)} lies outside since an earlier change"
    with contextlib.suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        hostile._gone(place)
        if kind == "outside":
            place.symlink_to(outside.folder / r.choice(outside.names))
        elif kind == "device":
            place.symlink_to(r.choice(["/dev/zero", "/dev/null", "/dev/random", "/proc/self/mem", "/dev/tty"]))
        elif kind == "loop":
            place.symlink_to(r.choice([".", "..", place.name, root]))
        elif kind == "inside":
            place.symlink_to(r.choice(places))
        elif kind == "pipe":
            os.mkfifo(place)
        elif kind == "folder":
            place.mkdir()
    return f"{place.relative_to(root)} is {kind}"


CHANGES = [_change_row] * 8 + [_change_layout] * 7 + [_change_settings] * 2 + [_change_schema] + [_change_bytes] * 2


def run_case(number, template, place, outside, tell=lambda line: None):
    """One case; gives how its act ended, and where in corpuskit an error came from that is none of its own, else ""."""
    r = random.Random(number)
    root = place / "corpus"
    hostile._gone(root)
    shutil.rmtree(place / "out", ignore_errors=True)
    shutil.copytree(template, root)
    for _ in range(r.choice([1, 1, 2, 3])):
        tell(r.choice(CHANGES)(r, root, outside))
    act = hostile.Act(place, template)
    outside.remember()
    name = r.choice(ACTS)
    tell(f"{name} ...")
    try:
        with contextlib.closing(act):
            hostile.ACTS[name](act)
    except Exception as error:
        tell(f"  {type(error).__name__}: {error}"[:300])
        if isinstance(error, _ours()):
            return type(error).__name__, ""
        return f"{type(error).__name__} (not of corpuskit)", f"{name} {hostile.last_place(error)}: {error}"[:300]
    return "done", ""


def _ours():
    from corpuskit.errors import CorpusKitError

    return CorpusKitError


def _batch(numbers, template, place, told):
    hostile._work_here()
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 2)
    outside = Outside(place / "outside", template)
    hostile._input(place)
    ended = Counter()
    for number in numbers:
        os.write(told, f"begun {number}\n".encode())
        signal.alarm(SECONDS)
        how, bare = run_case(number, template, place, outside)
        signal.alarm(0)
        ended[how] += 1
        if bare:
            os.write(told, f"bare {number} {how} {bare!r}\n".encode())
        if touched := outside.touched():
            os.write(told, f"touched {number} {touched[0]}\n".encode())
            shutil.rmtree(outside.folder)
            outside = Outside(outside.folder, template)
    for name, count in ended.items():
        os.write(told, f"ended {count} {name}\n".encode())


def fuzz(cases, seed=0, tell=print):
    """Runs cases; gives (how acts ended, what went wrong)."""
    ended, wrong, told = Counter(), [], 0
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as work:
        template = make_template(Path(work) / "template")
        following, last = seed, seed + cases
        while following < last:
            place = Path(work) / "place"
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            reading, writing = os.pipe()
            numbers = range(following, min(following + BATCH, last))
            pid = os.fork()
            if pid == 0:
                os.close(reading)
                code = 1
                try:
                    _batch(numbers, template, place, writing)
                    code = 0
                except BaseException:
                    import traceback

                    os.write(writing, f"broke {traceback.format_exc()[-600:]!r}\n".encode())
                finally:
                    os._exit(code)
            os.close(writing)
            begun = following
            with os.fdopen(reading) as lines:
                for line in lines:
                    kind, _, rest = line.rstrip("\n").partition(" ")
                    if kind == "begun":
                        begun = int(rest)
                    elif kind == "ended":
                        count, _, name = rest.partition(" ")
                        ended[name] += int(count)
                    else:
                        wrong.append(f"{kind} {rest}")
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            if code:
                wrong.append(f"case {begun} ended the process: {code} (-14: it hung)")
            following = begun + 1 if code else numbers[-1] + 1
            if tell is not None:
                for line in wrong[told:]:
                    tell(line, flush=True)
                told = len(wrong)
                tell(
                    f"{following - seed:>8,} cases, {time.monotonic() - begin:6.0f} s, {len(wrong)} went wrong",
                    flush=True,
                )
    return ended, wrong


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=int, default=1000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--case", type=int)
    chosen = options.parse_args()
    _ours()
    if chosen.case is not None:
        hostile._work_here()
        with tempfile.TemporaryDirectory() as work:
            template = make_template(Path(work) / "template")
            outside = Outside(Path(work) / "outside", template)
            hostile._input(Path(work))
            print(run_case(chosen.case, template, Path(work), outside, print), outside.touched())
        return
    ended, wrong = fuzz(chosen.cases, chosen.seed)
    for name, count in ended.most_common():
        print(f"{count:>10,} acts: {name}")
    print(f"{chosen.cases:,} cases: {len(wrong)} went wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
