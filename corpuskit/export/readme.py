"""README.md of an export: a dataset card for people, with the front matter that dataset hubs read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from corpuskit.export.checksums import FileEntry
from corpuskit.export.formats import formats
from corpuskit.export.formats.markdown import escape_markdown, inline
from corpuskit.store.formatting import pluralize

_SIZES: Final = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"),
                 (10_000_000, "1M<n<10M"), (100_000_000, "10M<n<100M"))  # fmt: skip
_ROWS: Final = 30
_CODE: Final = re.compile(r"[a-z]{2,3}\Z")


def readme(record: dict[str, Any], entries: dict[str, FileEntry]) -> str:
    """Return the dataset card: content, sources, licences and processing of the export."""
    return "\n".join([*_front_matter(record), *_body(record, entries)]) + "\n"


def _front_matter(record: dict[str, Any]) -> Iterator[str]:
    yield "---"
    yield f"pretty_name: {json.dumps(record['corpus'])}"
    codes = [name for name in record["languages"] if _CODE.match(name)]
    if codes:
        yield "language:"
        yield from (f"- {code}" for code in codes)
    names = {entry["spdx"] for entry in record["licenses"].values()}
    # Hubs know one licence for a dataset; several, or none for some documents, are "other".
    (name,) = names if len(names) == 1 else (None,)
    yield f"license: {name.lower() if name else 'other'}"
    size = record["counts"]["documents"]
    yield "size_categories:\n- " + next((name for limit, name in _SIZES if size < limit), "n>100M")
    yield "---\n"


def _body(record: dict[str, Any], entries: dict[str, FileEntry]) -> Iterator[str]:
    counts = record["counts"]
    yield f"# {inline(record['corpus'])}\n"
    if record["description"].strip():
        yield escape_markdown(record["description"].replace("\n", " ")) + "\n"
    yield (
        f"{pluralize(counts['documents'], 'document')} of {pluralize(counts['hosts'], 'host')}, {pluralize(counts['words'], 'word')}, "
        f"{counts['main_words']:,} of them main content. Made by {record['made_by']}.\n"
    )
    yield "## Files\n"
    about = {
        file.strip(): formats()[name].about
        for name, written in record["formats"].items()
        for file in written.split(",")
    }
    yield from _table(("file", "bytes", "what it is"), (
        (name, f"{entry.bytes:,}", about.get(name, "") + (f" ({entry.count:,} files)" if entry.count else ""))
        for name, entry in entries.items()
    ))  # fmt: skip
    yield "`SHA256SUMS` has the hash of each (`sha256sum --check SHA256SUMS`), `manifest.json` all information of this page.\n"
    yield "## Rights\n"
    yield (
        "The texts belong to their authors. The table counts the licences stated in the documents; the field "
        "`license` has that of each document. Do not assume a licence if none is listed.\n"
    )
    yield from _table(("licence found", "SPDX", "documents"), (
        (name, entry["spdx"] or "", f"{entry['documents']:,}") for name, entry in record["licenses"].items()
    ))  # fmt: skip
    yield "## Sources\n"
    sources = record["sources"]
    if sources["first_fetched"]:
        yield f"Fetched from {sources['first_fetched'][:10]} to {sources['last_fetched'][:10]}; `{sources['table']}` has one row per host.\n"
    robots = record["robots"]
    answers = (
        ", ".join(f"{status}: {number:,} hosts" for status, number in robots["hosts"].items()) or "no host was crawled"
    )
    yield (
        f"robots.txt (answer: hosts) {inline(answers)}; {robots['refused_urls']:,} URLs were not fetched because it forbids them."
        "\n"
    )
    yield from _table(("media type", "documents"), ((n, f"{c:,}") for n, c in record["media_types"].items()))
    yield "## Languages\n"
    yield from _table(("language", "documents"), ((n, f"{c:,}") for n, c in record["languages"].items()))
    yield "## How it was made\n"
    yield from _table(("step", "documents in", "documents out"), (
        (step.get("title", step.get("step", step.get("name", "?"))), f"{step['in']:,}", f"{step['out']:,}") for step in record["steps"]
        if isinstance(step.get("in"), int) and isinstance(step.get("out"), int)
    ))  # fmt: skip
    if record["options"]["mask_personal_data"]:
        masked = ", ".join(f"{count:,} {kind}" for kind, count in record["masked"].items()) or "none found"
        yield f"Personal data was masked in texts and titles: {inline(masked)}.\n"
    yield from _labels(record)


def _labels(record: dict[str, Any]) -> Iterator[str]:
    yield "## Labels\n"
    yield from _table(("label", "documents"), ((n, f"{c:,}") for n, c in record["labels"].items()))
    if record["agreement"]:
        yield from _table(("annotators", "documents of both", "agreed", "Cohen's kappa"), (
            (" / ".join(a["by"]), f"{a['documents']:,}", f"{a['agreed']:,}",
             "-" if a["kappa"] is None else f"{a['kappa']:.2f}")
            for a in record["agreement"]
        ))  # fmt: skip
    model = record["model"]
    if model is None:
        yield "No model was trained.\n"
        return
    yield (
        f"Model {inline(model['version'])}, trained on {model['relevant_labels']:,} relevant and "
        f"{model['other_labels']:,} other labels."
    )
    audit = model["audit"]
    if audit is None:
        yield "It was not audited: its scores are not certified decisions.\n"
    elif audit["threshold"] is None:
        yield f"An audit with {audit['labels']:,} labels could certify no threshold ({audit['claim']}).\n"
    else:
        drawn = "" if audit["documents"] is None else f", of the {audit['documents']:,} documents that were there"
        yield (
            f"Certified: from {audit['threshold']:.3f} on, {audit['claim']} ({audit['labels']:,} labels{drawn}). The "
            "claim does not cover documents that were added after the audit or that are labelled.\n"
        )


def _table(head: tuple[str, ...], rows: Any) -> Iterator[str]:
    listed = list(rows)
    if not listed:
        return
    yield "| " + " | ".join(head) + " |"
    yield "|" + " --- |" * len(head)
    for row in listed[:_ROWS]:
        yield "| " + " | ".join(inline(str(cell)) for cell in row) + " |"
    if len(listed) > _ROWS:
        yield f"\n{pluralize(len(listed) - _ROWS, 'more row')} in `manifest.json`."
    yield ""
