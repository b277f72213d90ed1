"""Modules of corpuskit that one page, one export, one concordance and one command pass.

A module counts if a function of it runs; all modules are imported before. A page is counted twice: crawled in the main process, and
extracted in a worker.

    uv run python benchmarks/modules_passed.py [--list]
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import corpuskit
from corpuskit.demo import demo_data, serve_demo_web, story

ROOT = Path(corpuskit.__file__).parent


@contextlib.contextmanager
def traced() -> Iterator[set[str]]:
    """Collect the modules of corpuskit whose functions run inside ``with``, in all threads."""
    found: set[str] = set()

    def note(frame: Any, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>" and frame.f_code.co_filename.startswith(str(ROOT)):
            found.add(Path(frame.f_code.co_filename).relative_to(ROOT).with_suffix("").as_posix())

    sys.setprofile(note)
    threading.setprofile_all_threads(note) if hasattr(threading, "setprofile_all_threads") else threading.setprofile(
        note
    )
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile_all_threads(None) if hasattr(
            threading, "setprofile_all_threads"
        ) else threading.setprofile(None)


def passed(action: Callable[[], object]) -> set[str]:
    """Return the modules that an action passes when it is done for the second time."""
    action()
    with traced() as found:
        action()
    return found


def main() -> None:
    """Print the number of modules of each way."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="print their names")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, serve_demo_web() as proxy:
        for name, modules in ways(Path(folder), proxy):
            print(f"{name}: {len(modules)}")
            if options.list:
                print("  " + "\n  ".join(sorted(modules)))


def ways(folder: Path, proxy: str) -> Iterator[tuple[str, set[str]]]:
    """Yield the name and the modules of each way."""
    corpus = story(after=4, folder=folder / "demo")
    page = next((demo_data() / "web").rglob("*.html")).read_bytes()
    count = iter(range(100))

    def crawl() -> None:
        with corpuskit.open(folder / f"crawl{next(count)}") as fresh:
            fresh.crawl("http://cooking-blog.example/", scope="host", pages=1, proxy=proxy, delay=0).wait(
                progress=False
            )

    yield "page, main process", passed(crawl)
    yield "page, worker", passed(lambda: corpuskit.extract(page, media_type="text/html", uri="http://a.example/"))
    yield "export", passed(lambda: corpus.export(folder / f"out{next(count)}", format="jsonl"))
    yield "kwic, warm", passed(lambda: corpus.text.kwic("premium"))
    yield "command status", passed(lambda: command("status", corpus.path))
    corpus.close()


def command(*arguments: str) -> None:
    """Run a command in this process."""
    from corpuskit.cli import main as run

    before, sys.argv = sys.argv, ["corpuskit", *arguments]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        run()
    sys.argv = before


if __name__ == "__main__":
    main()
