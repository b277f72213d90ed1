"""Trafilatura's main content, marked on our tree, against what trafilatura.extract gives, option by option.

    uv run python benchmarks/trafilatura_choice.py --data FOLDER [--pages 200] [--every 1]

FOLDER has ``articles`` and ``snippets``, each with ``gold.json`` (id → url ...) and ``pages/ID.html.gz``. Without options all
pages are compared by the words of their texts; with each option ``--pages`` of them; formats must be equal to the letter.
"""

import argparse
import gzip
import json
import logging
import re
import time
from collections import Counter
from pathlib import Path

import trafilatura

import corpuskit
from corpuskit.extraction import ExtractOptions
from corpuskit.extraction.html.trafilatura import arguments

_MARKING = (
    "include_links",
    "include_formatting",
    "include_images",
    "with_metadata",
    "only_with_metadata",
    "url_blacklist",
)
WORD = re.compile(r"\w+")
# Our option → the same as an argument of Trafilatura.
OURS = {
    "favor=precision": {"favor": "precision"}, "favor=recall": {"favor": "recall"}, "comments": {"comments": True},
    "no tables": {"tables": False}, "deduplicate": {"deduplicate": True}, "target_language=en": {"target_language": "en"},
    "only_with_metadata": {"only_with_metadata": True}, "drop=//a": {"drop": ("//a",)},
}  # fmt: skip
# Arguments that are passed through.
THEIRS = {
    "fast": {"fast": True}, "prune_xpath": {"prune_xpath": ["//ul", "//table"]}, "with_metadata": {"with_metadata": True},
    "include_images": {"include_images": True}, "include_links": {"include_links": True},
    "include_formatting": {"include_formatting": True}, "output_format=csv": {"output_format": "csv"},
    "output_format=json": {"output_format": "json", "with_metadata": True}, "output_format=html": {"output_format": "html"},
    "output_format=markdown": {"output_format": "markdown", "include_links": True},
    "output_format=xml": {"output_format": "xml", "include_formatting": True}, "output_format=xmltei": {"output_format": "xmltei"},
    "record_id": {"record_id": "7", "output_format": "json", "with_metadata": True},
}  # fmt: skip


def pages(root, every):
    for name in ("articles", "snippets"):
        gold = json.loads((root / name / "gold.json").read_text("utf-8"))
        for key in sorted(gold)[::every]:
            yield gold[key]["url"], gzip.decompress((root / name / "pages" / f"{key}.html.gz").read_bytes())


def word_f1(ours, theirs):
    a, b = Counter(WORD.findall(ours)), Counter(WORD.findall(theirs))
    size = sum(a.values()) + sum(b.values())
    return 2 * sum((a & b).values()) / size if size else 1.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--every", type=int, default=1)
    chosen = parser.parse_args()
    logging.disable(logging.CRITICAL)
    known = list(pages(chosen.data, chosen.every))
    compare("no option", known, ExtractOptions(main="trafilatura"))
    some = known[:: max(1, len(known) // chosen.pages)][: chosen.pages]
    for name, values in OURS.items():
        compare(name, some, ExtractOptions(main="trafilatura", **values))
    for name, values in THEIRS.items():
        options = ExtractOptions(main="trafilatura", trafilatura=values)
        compare(name, some, options) if "output_format" not in values else None
        equal(name, some, options)


def compare(name, known, options):
    """By words; our text is plain, so theirs is asked for without marks of links and formatting, chosen with them."""
    good, spent = 0, [0.0, 0.0]
    for url, raw in known:
        start = time.process_time()
        given = arguments(options)  # a fresh memory for --deduplicate, as ours has
        marks = any(given.get(key) for key in _MARKING)
        theirs = trafilatura.extract(raw, url=url, **given) or ""
        spent[0] += time.process_time() - start
        start = time.process_time()
        document = corpuskit.extract(raw, media_type="text/html", uri=url, options=options)
        spent[1] += time.process_time() - start
        ours = document.to("txt") if marks else document.to_text(main=True)
        good += word_f1(ours, theirs) >= 0.99
    print(f"{name:24} word F1 >= .99 on {good} of {len(known)} pages ({good / len(known):.1%}); CPU {spent[1] / spent[0]:.2f} times", flush=True)  # fmt: skip


def equal(name, known, options):
    """To the letter."""
    same = 0
    for url, raw in known:
        document = corpuskit.extract(raw, media_type="text/html", uri=url, options=options)
        same += document.to() == (trafilatura.extract(raw, url=url, **arguments(options)) or "")
    print(f"{name:24} doc.to() the same on {same} of {len(known)} pages ({same / len(known):.1%})", flush=True)


if __name__ == "__main__":
    main()
