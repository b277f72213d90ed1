"""A soak of many acts at once on one corpus, under random kill -9.

    python benchmarks/robustness/soak_acts.py --minutes 10         prints a table; 1 where something was lost or answered badly

Processes add, label (two of them, each from two threads), crawl, train, export, pack and unpack, remove, back up, read and
repair, all at once; one of them is killed every other second and begins again. At the end the corpus is whole, and every
label and document that was acknowledged is there.
"""

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "helpers"))

PAGE = "<html><head><title>{0}</title></head><body><p>The text of page {0}, {1}.</p></body></html>"
KINDS = ["add", "label", "label", "crawl", "train", "export", "pack", "remove", "backup", "read", "repair"]


class Actor:
    """One process at work: does one kind of act again and again until it is killed."""

    def __init__(self, place, kind, number, proxy):
        self.place, self.kind, self.number, self.proxy = place, kind, number, proxy
        self.r = random.Random(number)
        self._lock = threading.Lock()

    def acknowledge(self, *what):
        """Writes down, for good, what the corpus has acknowledged."""
        self._write("acknowledged", what)

    def _write(self, name, what):
        with self._lock:
            handle = os.open(self.place / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(handle, (json.dumps(what) + "\n").encode())
            os.fsync(handle)
            os.close(handle)

    def run(self):
        from corpuskit.errors import CorpusKitError

        while True:
            try:
                getattr(self, f"_{self.kind}")()
                self._write("told", [self.kind, "done", ""])
            except CorpusKitError as error:
                self._write("told", [self.kind, type(error).__name__, str(error)[:300]])
            except Exception as error:
                self._write("told", [self.kind, f"{type(error).__name__} (not of corpuskit)", str(error)[:300]])
            time.sleep(self.r.uniform(0, 0.2))

    def _open(self):
        import corpuskit

        return corpuskit.open(self.place / "corpus")

    def _add(self):
        folder = self.place / f"in-{self.number}-{self.r.getrandbits(60):x}"
        folder.mkdir()
        names = [f"{self.number}-{self.r.getrandbits(60):x}" for _ in range(3)]
        for name in names:
            (folder / f"{name}.html").write_text(
                PAGE.format(name, self.r.choice(["insurance premium claim", "garden flower soil"]) * 3)
            )
        with self._open() as corpus:
            corpus.add(folder, progress=False)
            known = dict(zip(*corpus.documents(versions=True)[["title", "doc_id"]].to_numpy().T, strict=True))
            for name in names:
                if name in known:
                    self.acknowledge("document", known[name])

    def _label(self):
        with self._open() as corpus:
            ids = list(corpus.documents()["doc_id"])
            if not ids:
                return

            def say(by):
                for doc_id in self.r.sample(ids, min(3, len(ids))):
                    label = self.r.choice(["relevant", "other"])
                    with contextlib.suppress(KeyError):  # removed meanwhile
                        corpus.set_labels({doc_id: label}, by=by)
                        self.acknowledge("label", doc_id, by, label)

            threads = [threading.Thread(target=say, args=(f"kernel-{self.number}-{i}",)) for i in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    def _crawl(self):
        from corpuskit.ingest import document_id

        urls = [f"http://a.example/{self.number}-{self.r.getrandbits(40):x}" for _ in range(3)]
        with self._open() as corpus:
            corpus.crawl(urls, delay=0, proxy=self.proxy, pages=3).wait(progress=False)
            there = set(corpus.documents()["doc_id"])
            for url in urls:
                if document_id(url) in there:
                    self.acknowledge("document", document_id(url))

    def _train(self):
        with self._open() as corpus:
            corpus.train()

    def _export(self):
        with self._open() as corpus:
            corpus.export(self.place / f"out-{self.number}", format=["jsonl", "nlp.txt"])

    def _pack(self):
        with self._open() as corpus:
            corpus.pack() if self.r.random() < 0.6 else corpus.unpack()

    def _remove(self):
        with self._open() as corpus:
            ids = sorted(corpus.documents()["doc_id"])
            if len(ids) > 30:
                chosen = self.r.choice(ids)
                self.acknowledge("removing", chosen)  # before: a kill in between leaves it to be finished
                corpus.remove([chosen], reason="soak")
        time.sleep(0.5)

    def _backup(self):
        import shutil

        target = self.place / f"copy-{self.number}-{self.r.getrandbits(40):x}"
        with self._open() as corpus:
            corpus.backup(target)
        shutil.rmtree(target)
        time.sleep(0.5)

    def _read(self):
        with self._open() as corpus:
            corpus.elements()
            corpus.documents()
            corpus.find("insurance")
            for doc_id in list(corpus.documents()["doc_id"])[:10]:
                with contextlib.suppress(KeyError):
                    corpus[doc_id].to_text()

    def _repair(self):
        import corpuskit.corpus

        corpuskit.corpus.Corpus.repair(self.place / "corpus")
        time.sleep(1)


def serve():
    """A line of input: place, kind, number, proxy. The pid of its process is a line of output."""
    import corpuskit.corpus
    import corpuskit.crawl
    import corpuskit.export
    import corpuskit.relevance.corpus_training
    import corpuskit.views.frames  # noqa: F401

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # none of them stays a zombie
    for line in sys.stdin:
        place, kind, number, proxy = json.loads(line)
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setpgid(0, 0)
            log = os.open(Path(place) / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.dup2(log, 1)
            os.dup2(log, 2)
            try:
                Actor(Path(place), kind, number, proxy).run()
            finally:
                os._exit(1)
        with contextlib.suppress(OSError):  # it has done so itself, or has ended
            os.setpgid(pid, pid)  # before its number is told: a group that is not there yet could not be killed
        print(pid, flush=True)


def soak(place, seconds, kills_every=2.0, seed=0):
    """Runs the soak; gives (kills, kind → how its acts ended, what went wrong as lines)."""
    from local_web import LocalWeb

    import corpuskit

    web = LocalWeb()
    page = PAGE.format("of the web", "insurance premium").encode()

    class Everything(dict):
        def get(self, url, default=None):
            return None if url.endswith("robots.txt") else page + url.encode()

    web.pages = Everything()
    server = subprocess.Popen(
        [sys.executable, __file__, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    r, number, under_way, kills = random.Random(seed), 0, {}, 0

    def start(kind):
        nonlocal number
        number += 1
        print(json.dumps([str(place), kind, number, web.proxy]), file=server.stdin, flush=True)
        under_way[int(server.stdout.readline())] = kind

    def kill(pid):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)

    try:
        corpuskit.open(place / "corpus").close()
        for kind in KINDS:
            start(kind)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(r.uniform(0, 2 * kills_every))
            pid = r.choice(list(under_way))
            kill(pid)
            kills += 1
            start(under_way.pop(pid))
    finally:
        for pid in under_way:
            kill(pid)
        server.stdin.close()
        server.wait()
        server.stdout.close()
        web.close()
    return kills, *_judge(place)


def _lines(file):
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def _judge(place):
    import corpuskit

    ended, wrong = Counter(), []
    for kind, how, message in _lines(place / "told"):
        ended[kind, how] += 1
        if "not of corpuskit" in how or (how == "CorpusBusyError" and "process " not in message):
            wrong.append(f"{kind}: {how}: {message}")
    corpus = corpuskit.open(place / "corpus")
    corpus.extract_pending()
    with contextlib.suppress(KeyError):
        removing = [what[1] for what in _lines(place / "acknowledged") if what[0] == "removing"]
        for doc_id in removing:  # what a kill has left is finished
            with contextlib.suppress(KeyError):
                corpus.remove([doc_id], reason="soak")
    wrong += [f"check: {problem}" for problem in corpus.check()]
    there = set(corpus.documents()["doc_id"])
    labels = corpus.labels()
    said = set(zip(labels["target"], labels["by"], labels["label"], strict=True))
    counts = Counter()
    for kind, *what in _lines(place / "acknowledged"):
        counts[kind] += 1
        if kind == "label" and tuple(what) not in said:
            wrong.append(f"lost: label {what}")
        if kind == "document" and what[0] not in there and what[0] not in removing:
            wrong.append(f"lost: document {what}")
    corpus.close()
    for kind, count in counts.items():
        ended["acknowledged", kind] = count
    return ended, wrong


def main():
    if sys.argv[1:] == ["--serve"]:
        serve()
        return
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--minutes", type=float, default=10)
    options.add_argument("--seed", type=int, default=0)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
        kills, ended, wrong = soak(Path(work), 60 * chosen.minutes, seed=chosen.seed)
    for (kind, how), count in sorted(ended.items()):
        print(f"{kind:12} {how:40} {count:>7,}")
    print("\n".join(line for line, _ in Counter(wrong).most_common(30)))
    print(f"{chosen.minutes:g} minutes, {kills} kills, {len(wrong)} went wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
