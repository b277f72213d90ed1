"""Speed of exports beside the peers that people would use by hand, in one run.

    uv run --no-sync python benchmarks/export_speed.py [MEGABYTES]

Ours reads the documents from the corpus folder, writes, hashes and describes them; the peers get a DataFrame of the same
documents in memory and write only. So the time that reading alone takes is told too.
"""

import sys
import tempfile
import time
import warnings
from pathlib import Path

from export_memory import make


def cpu(function):
    """Seconds of CPU, the better of two runs."""
    seconds = []
    for _ in range(2):
        start = time.process_time()
        function()
        seconds.append(time.process_time() - start)
    return min(seconds)


def main():
    warnings.simplefilter("ignore")
    import datasets
    import pandas as pd

    from corpuskit.export import ExportOptions
    from corpuskit.export.formats.parquet import document_row
    from corpuskit.export.selection import Selection

    datasets.disable_progress_bars()
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        corpus = make(root / "corpus", megabytes)
        items = lambda: Selection(corpus._folder, None, ExportOptions()).items(print)  # noqa: E731
        reading = cpu(lambda: [None for _ in items()])
        frame = pd.DataFrame([document_row(item) for item in items()])
        print(f"{len(frame):,} documents, {megabytes} MB of text; reading them alone: {reading:.1f} s CPU")
        peers = {
            "jsonl": ("pandas to_json", lambda: frame.to_json(root / "p.jsonl", orient="records", lines=True)),
            "csv": ("pandas to_csv", lambda: frame.to_csv(root / "p.csv", index=False)),
            "datasets": (
                "datasets save_to_disk",
                lambda: datasets.Dataset.from_pandas(frame).save_to_disk(str(root / "p.datasets")),
            ),
        }
        number = 0

        def ours(name):
            nonlocal number
            number += 1
            corpus.export(root / f"out{number}", format=name, elements=False)

        for name, (peer, write) in peers.items():
            mine, theirs = cpu(lambda name=name: ours(name)), cpu(write)
            print(
                f"{name}: {mine:.1f} s, {mine - reading:.1f} s of it writing; {peer}: {theirs:.1f} s; "
                f"writing beside the peer: {(mine - reading) / theirs:.2f}"
            )
        corpus.close()


if __name__ == "__main__":
    main()
