"""A crawl killed with SIGKILL. The whole test: ``CORPUSKIT_KILLS=50 CORPUSKIT_KILL_PAGES=2000 pytest tests/crawl/test_kill.py``."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

import corpuskit

KILLS = int(os.environ.get("CORPUSKIT_KILLS", "3"))
PAGES = int(os.environ.get("CORPUSKIT_KILL_PAGES", "150"))
CONNECTIONS = 4
CRAWL = f"""
import sys, corpuskit
corpus = corpuskit.open(sys.argv[1])
seeds = ["http://a.example/"] if corpus.frontier().empty else None
corpus.crawl(seeds, resume=seeds is None, delay=0, proxy=sys.argv[2], connections={CONNECTIONS}).wait(progress=False)
"""


@pytest.mark.timeout(120 + 20 * KILLS + PAGES)
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.parametrize(("kills", "size"), [(1, 60), pytest.param(KILLS, PAGES, marks=pytest.mark.slow)])
def test_a_killed_crawl_loses_nothing_and_asks_only_for_what_was_in_flight_again(tmp_path, web, kills, size):
    web.add("http://a.example/", "front", [f"/p{i}" for i in range(0, size, 50)])
    for i in range(size):
        links = ["/", *(f"/p{n}" for n in (i + 1, i + 2, i * 7 % size) if n < size)]
        web.add(f"http://a.example/p{i}", f"Text number {i}: " + f"word{i * 31} " * 20, links)
    pages = {url for url in web.pages if url.startswith("http://a.example/")}
    undisturbed = corpuskit.open(tmp_path / "undisturbed")
    undisturbed.crawl("http://a.example/", delay=0, proxy=web.proxy).wait(progress=False)
    web.log.clear()
    command = [sys.executable, "-c", CRAWL, str(tmp_path / "killed"), web.proxy]
    random_ = random.Random(7)
    killed = 0
    for wanted in sorted(random_.randrange(1, size - 10) for _ in range(kills)):
        process = subprocess.Popen(command)
        while process.poll() is None and len(web.log) < wanted:
            time.sleep(0.002)
        time.sleep(random_.random() * 0.05)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            killed += 1
        process.wait()
    subprocess.run(command, check=True, timeout=120 + size)
    fetched = web.fetched
    print(f"{killed} kills, {len(fetched)} pages, {sum(fetched.values()) - len(fetched)} asked for again")
    assert killed >= max(1, kills - 1)
    corpus = corpuskit.open(tmp_path / "killed")
    assert corpus._folder.catalog.value("PRAGMA integrity_check") == "ok"
    assert corpus.check() == []
    assert set(fetched) == pages
    assert sum(fetched.values()) <= len(pages) + killed * CONNECTIONS
    columns = ["doc_id", "version", "uri", "title", "words", "status"]
    assert corpus.documents()[columns].equals(undisturbed.documents()[columns])
    for doc_id in corpus.documents().doc_id:
        assert corpus[doc_id].to_text() == undisturbed[doc_id].to_text()
        assert corpus._folder.original(doc_id) == undisturbed._folder.original(doc_id)
    corpus.close()
    undisturbed.close()
