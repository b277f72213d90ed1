"""Adds damaged files of each kind to a corpus: each is a document or a failure row, none hangs, the whole one is read.

    uv run --no-sync python benchmarks/damaged_files.py [--kinds docx,pdf] [--count 500] [--seed 5]

Cut, with bits flipped, with bytes put in, without their beginning; every tenth under the name of another kind. An
extraction of more than 30 s is a failure of its own (time limit); the longest reading of a file is printed.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import corpuskit
import corpuskit.corpus.collect
import corpuskit.ingest
from corpuskit import engine

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "helpers"))
from file_samples import KINDS, write_damaged


def run(kind, count, seed):
    """One line about a kind; True where all is well."""
    longest = [0.0, ""]
    read_file = corpuskit.corpus.collect.read_file

    def timed(found, **more):
        start = time.monotonic()
        for item in read_file(found, **more):
            spent = time.monotonic() - start
            longest[:] = max(longest, [spent, found.uri])
            yield item
            start = time.monotonic()
        longest[:] = max(longest, [time.monotonic() - start, found.uri])

    corpuskit.corpus.collect.read_file = timed
    corpuskit.ingest.LIMITS = engine.Limits(seconds=30, memory=corpuskit.ingest.LIMITS.memory)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "files"
        folder.mkdir()
        marks = write_damaged(folder, kind, count, random.Random(seed))
        corpus = corpuskit.open(Path(name) / "corpus")
        start = time.monotonic()
        report = corpus.add(folder, progress=False)
        seconds = time.monotonic() - start
        failures = corpus.failures()
        uris = "\n".join([*corpus.documents().uri, *failures.uri, *failures.message, ""])
        missing = [file for file, mark in marks.items() if f"/{file}" not in uris and mark not in uris]
        is_whole = any(f"/whole.{kind}" in uri or ".example/0/" in uri for uri in corpus.documents().uri)
        hung = int(failures.message.str.contains("time limit|took more than").sum())
        died = int(failures.message.str.contains("worker|killed|died").sum())
        problems = corpus.check()
        corpus.close()
    corpuskit.corpus.collect.read_file = read_file
    print(
        f"{kind}: {count} damaged: {report!r}; {dict(Counter(failures.error))}; files not told of: {len(missing)} "
        f"{missing[:3]}; over 30 s: {hung}; workers lost: {died}; longest reading {longest[0]:.2f} s; whole one read: "
        f"{is_whole}; problems of the corpus: {len(problems)}; {seconds:.0f} s",
        flush=True,
    )
    return not missing and is_whole and not hung and not died and longest[0] < 30 and not problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    good = [run(kind, options.count, options.seed) for kind in options.kinds.split(",")]
    sys.exit(0 if all(good) else 3)


if __name__ == "__main__":
    main()
