"""Near-duplicates among a million short documents, and recall, precision and speed beside datasketch, datatrove and rensa's own LSH.

    uv run --with datasketch --with "datatrove[processing]" --with spacy python benchmarks/text_duplicates.py [--documents 1000000] [--peers 20000] [--memory 4]

Documents are made up (20 to 80 words by Zipf's law); a fifth are copies with known edits. The truth is the Jaccard index of each
copy with its original, at least .8, of runs of three words, which all get. ``--memory`` is an address-space limit in GB: more
is an error. Prints seconds of CPU, peak memory, recall and precision.
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from corpuskit.text import DuplicateIndex, jaccard
from corpuskit.text.tokens import WORD

VOCABULARY = [f"{a}{b}{c}" for a in "bcdfghjklmnprstvwz" for b in ("a", "e", "i", "o", "u", "ai", "ou") for c in
              ("", "l", "mp", "n", "rk", "st", "ng", "rd", "nt", "x")]  # fmt: skip


def documents(number: int, seed: int = 0) -> Iterator[tuple[str, str, int]]:
    """Every fifth is a copy of the one before it."""
    rng, draw = random.Random(seed), np.random.default_rng(seed)
    weights = 1 / (np.arange(len(VOCABULARY)) + 10)
    weights /= weights.sum()
    words: list[str] = []
    for start in range(0, number, 10_000):
        pool = draw.choice(len(VOCABULARY), size=900_000, p=weights)
        place = 0
        for i in range(start, min(start + 10_000, number)):
            if i % 5 == 4:
                words = list(words)
                for _ in range(rng.randint(0, max(1, len(words) // 15))):
                    words[rng.randrange(len(words))] = f"edit{rng.randrange(99)}"
                yield f"{i:08d}", " ".join(words), 1
            else:
                size = rng.randint(20, 80)
                words = [VOCABULARY[k] for k in pool[place : place + size]]
                place += size
                yield f"{i:08d}", " ".join(words), 0


def truth(number: int) -> set[str]:
    """Copies that are near-duplicates."""
    found, before = set(), ""
    for i, (name, text, _) in enumerate(documents(number)):
        if i % 5 == 4 and jaccard(before, text) >= 0.8:
            found.add(name)
        before = text
    return found


def report(name: str, found: set[str], true: set[str], seconds: float, number: int) -> None:
    right = len(found & true)
    print(
        f"  {name:22} recall {right / len(true):.4f}  precision {right / max(len(found), 1):.4f}  "
        f"{seconds:8.1f} s CPU, {seconds / number * 1e6:7.1f} s a million"
    )


def ours(number: int) -> set[str]:
    with tempfile.TemporaryDirectory() as folder:
        index = DuplicateIndex(folder)
        index.add(documents(number))
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
        print(f"  index on disk: {size / 1e6:,.0f} MB")
        frame = index.find()
        return set(frame["doc_id"][~frame["unique"]])


def runs(text: str) -> set[str]:
    words = WORD.findall(text.casefold())
    return {" ".join(words[i : i + 3]) for i in range(max(1, len(words) - 2))}


def datasketch(number: int) -> set[str]:
    from datasketch import MinHash, MinHashLSH

    lsh, found = MinHashLSH(threshold=0.8, num_perm=128), set()
    for name, text, _ in documents(number):
        made = MinHash(num_perm=128)
        made.update_batch([run.encode() for run in runs(text)])
        if lsh.query(made):
            found.add(name)
        lsh.insert(name, made)
    return found


def datatrove(number: int) -> set[str]:
    """Its pipeline for one rank, with its 14 bands of 8; runs of three words as for all here, instead of its 5."""
    from datatrove.data import Document
    from datatrove.pipeline.dedup import minhash
    from datatrove.utils.logging import logger

    logger.remove()
    config = minhash.MinhashConfig(n_grams=3)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        signatures, pairs, removed = (str(folder / part) for part in ("signatures", "pairs", "removed"))
        texts = (Document(text=text, id=name) for name, text, _ in documents(number))
        minhash.MinhashDedupSignature(signatures, config).run(texts)
        for bucket in range(config.num_buckets):
            minhash.MinhashDedupBuckets(signatures, pairs, config=config).run(None, bucket, config.num_buckets)
        minhash.MinhashDedupCluster(pairs, removed, config).run(None, 0, 1)
        return {f"{i:08d}" for i in np.fromfile(folder / "removed" / "000000.remove", dtype="<u4")}


def rensa(number: int) -> set[str]:
    from rensa import RMinHash, RMinHashLSH

    lsh, found, names = RMinHashLSH(threshold=0.8, num_perm=128, num_bands=16), set(), []
    for name, text, _ in documents(number):
        made = RMinHash(num_perm=128, seed=42)
        made.update(sorted(runs(text)))
        if lsh.query(made):
            found.add(name)
        lsh.insert(len(names), made)
        names.append(name)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--peers", type=int, default=20_000)
    parser.add_argument("--memory", type=float, default=None)
    options = parser.parse_args()
    if options.memory:
        limit = int(options.memory * 1024**3)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    start = time.process_time()
    for _ in documents(options.peers):
        pass
    making = (time.process_time() - start) / options.peers
    for number, programs in ((options.peers, (ours, datasketch, datatrove, rensa)), (options.documents, (ours,))):
        true = truth(number)
        print(f"{number:,} documents, {len(true):,} near-duplicates")
        for program in programs:
            start = time.process_time()
            try:
                found = program(number)
            except ImportError as error:
                print(f"  {program.__name__}: {error}")
                continue
            report(program.__name__, found, true, time.process_time() - start - making * number, number)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    main()
