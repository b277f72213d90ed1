"""Peak memory of an export at one size and at a tenth of it, one format after another.

    uv run --no-sync python benchmarks/export_memory.py [MEGABYTES] [FORMAT ...]

The corpora are generated: random words in the tree of a small page. Each export runs in a process of its own; its peak
is the resident memory that Python with corpuskit, pyarrow and pandas needs, and all that the export adds.
"""

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PAGE_CHARACTERS = 5_000
PAGES_A_HOST = 2_000
SKIPPED = {"textworks"}  # needs PDF files


def make(folder, megabytes):
    """A corpus of so many megabytes of text; gives it opened."""
    import corpuskit
    from corpuskit.document import DocumentBuilder
    from corpuskit.store.documents import write_document

    corpus = corpuskit.open(folder)
    catalog = corpus._folder.catalog
    chance = random.Random(0)
    words = ["".join(chance.choices("abcdefghijklmnoprstuvwz", k=chance.randint(2, 11))) for _ in range(30_000)]
    with catalog.transaction() as connection:
        for number in range(megabytes * 1_000_000 // PAGE_CHARACTERS):
            host = f"host{number // PAGES_A_HOST:05}.example"
            uri = f"https://{host}/page/{number:07}"
            builder = DocumentBuilder(f"Page {number}", uri)
            builder.add_metadata("license", "https://creativecommons.org/licenses/by/4.0/")
            for _section in range(3):
                builder.start_section(" ".join(chance.choices(words, k=4)))
                for _ in range(4):
                    builder.add_text_block(" ".join(chance.choices(words, k=48)) + ".")
                builder.start_list()
                for _ in range(3):
                    builder.start_list_item()
                    builder.add_text_block(" ".join(chance.choices(words, k=6)))
                    builder.end_list_item()
                builder.end_list()
                builder.end_section()
            document = builder.build()
            path = f"{host}/page/{number:07}"
            write_document(corpus._folder.documents, path, document)
            connection.execute(
                "INSERT INTO documents (doc_id, version, uri, host, title, media_type, lang, words, main_words, "
                "elements, timestamp, fetched, status, path, original, content_hash) "
                "VALUES (?, 1, ?, ?, ?, 'text/html', 'en', 700, 700, ?, ?, ?, 'extracted', ?, '', '')",
                (f"{number:016x}", uri, host, document.title, len(document.table), "2024-01-02T03:04:05+00:00",
                 "2024-01-02T03:04:05+00:00", path),
            )  # fmt: skip
            if number % 2 == 0:
                connection.execute(
                    "INSERT INTO labels (target, kind, label, by, \"when\") VALUES (?, 'document', ?, 'me', ?)",
                    (f"{number:016x}", "relevant" if number % 4 else "other", "2024-01-02T03:04:05+00:00"),
                )
    return corpus


def measure(folder, out, name):
    """Exports in this process; prints seconds, peak megabytes and documents as JSON."""
    import corpuskit

    corpus = corpuskit.open(folder)
    start = time.process_time()
    report = corpus.export(out, format=name.split(","))
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak": peak, "documents": report.documents}))


def run(folder, out, name):
    """The same in a process of its own."""
    command = [sys.executable, __file__, "--measure", str(folder), str(out), name]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    if sys.argv[1:2] == ["--measure"]:
        measure(*sys.argv[2:])
        return
    from corpuskit.export import format_names

    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    names = sys.argv[2:] or [name for name in format_names() if name not in SKIPPED]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for size in (megabytes // 10, megabytes):
            make(root / str(size), size).close()
            print(f"a corpus of {size:,} MB of text is made", flush=True)
        for name in names:
            found = []
            for size in (megabytes // 10, megabytes):
                out = root / "out"
                found.append(run(root / str(size), out, name))
                subprocess.run(["rm", "-rf", str(out)], check=True)
            small, large = found
            print(
                f"{name:12} {large['documents']:,} documents, {large['seconds']:.0f} s CPU; peak {small['peak']:,.0f} MB "
                f"at {megabytes // 10:,} MB, {large['peak']:,.0f} MB at {megabytes:,} MB: "
                f"{large['peak'] / small['peak']:.2f} times",
                flush=True,
            )


if __name__ == "__main__":
    main()
