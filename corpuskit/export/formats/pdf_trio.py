"""Training data for fastText as the recipe of pdf_trio prepares it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Final

from corpuskit.export.item import Item
from corpuskit.export.options import ExportOptions

_LEAST_BYTES: Final = 500  # of a text; the recipe removes smaller ones
_VALIDATE: Final = 9  # one in so many documents is for validation
_PARTS: Final = ("train", "validate", "urls-train", "urls-validate")


class PdfTrioWriter:
    """``pdf_trio/``: ``CLASS/ID.ft``, a file a document, and ``train.ft`` and ``validate.ft``, a line a document.

    A line is ``__label__CLASS`` and the tokens of :func:`corpuskit.relevance.tokens.ascii_tokens`, which are to the byte
    those of its shell pipeline; texts of less than 500 bytes are left out. With ``page_size_tokens`` the last two tokens
    are ``WIDTH595 HEIGHT842`` where the size of the first page is known. All documents of a host are on one side of the
    split, which is one in nine for validation, and the same for the same ``shuffle``.

    Documents that have a web address also make ``CLASS.tsv`` (doc_id, URL, time as ``20200102030405``) and the training set
    of URLs, ``urls-train.ft`` and ``urls-validate.ft``, with the tokens of :func:`corpuskit.relevance.pdf_trio_url_tokens`.

    Attributes:
        left_out: why → number of documents without a line here, for the report of the export.
    """

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        self._folder = folder / "pdf_trio"
        self._folder.mkdir()
        self._options = options
        self._killed = frozenset(options.kill)
        self._files = {name: (self._folder / f"{name}.ft").open("wb") for name in _PARTS}
        self._lists: dict[str, IO[bytes]] = {}
        self.left_out: Counter[str] = Counter()

    def write(self, item: Item) -> None:
        """Writes the line of a labelled document, unless it is small or on the kill list."""
        from corpuskit.extraction.pdf.textworks import page_size_tokens
        from corpuskit.relevance.tokens import ascii_tokens

        label, row = item.row["label"], item.row
        text = item.text.encode("utf-8", "replace")
        if why := self._why_not(label, len(text), {row["doc_id"], row["uri"]}):
            self.left_out[f"{why} (pdf_trio)"] += 1
            return
        tokens = ascii_tokens(text).encode("utf-8", "surrogateescape").strip()
        if self._options.page_size_tokens and (size := page_size_tokens(item.document.metadata)):
            tokens += b" " + size.encode()
        name = re.sub(r"\s+", "_", label)
        line = f"__label__{name} ".encode() + tokens + b"\n"
        folder = self._folder / _as_file(name)
        folder.mkdir(exist_ok=True)
        (folder / f"{row['doc_id']}.ft").write_bytes(line)
        part = "validate" if self._is_for_validation(row["host"] or row["doc_id"]) else "train"
        self._files[part].write(line)
        if row["uri"].startswith(("http://", "https://")):
            self._write_url(row, name, part)

    def _why_not(self, label: str | None, size: int, names: set[str]) -> str:
        if not label:
            return "without a label"
        if size < _LEAST_BYTES:
            return f"of less than {_LEAST_BYTES} bytes"
        return "on the kill list" if self._killed & names else ""

    def _write_url(self, row: Mapping[str, Any], name: str, part: str) -> None:
        from corpuskit.relevance import pdf_trio_url_tokens

        url = row["uri"]
        tokens = pdf_trio_url_tokens(url)
        self._files[f"urls-{part}"].write(f"__label__{name}{tokens}\n".encode("utf-8", "replace"))
        if name not in self._lists:
            self._lists[name] = (self._folder / f"{_as_file(name)}.tsv").open("ab")
        when = re.sub(r"\D", "", str(row["fetched"]))[:14]
        self._lists[name].write(f"{row['doc_id']}\t{url}\t{when}\n".encode("utf-8", "replace"))

    def _is_for_validation(self, group: str) -> bool:
        digest = hashlib.sha256(f"{self._options.shuffle} {group}".encode("utf-8", "replace")).digest()
        return int.from_bytes(digest[:8], "big") % _VALIDATE == 0

    def close(self) -> None:
        """Ends the files."""
        for file in [*self._files.values(), *self._lists.values()]:
            file.close()


def _as_file(name: str) -> str:
    return re.sub(r"[^\w-]", "_", name)
