"""Export of fastText training data in the format of pdf_trio."""

from __future__ import annotations

import contextlib
import hashlib
import math
import re
from array import array
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Final

from corpuskit.export.item import Item
from corpuskit.export.options import ExportOptions
from corpuskit.export.writers import export_format

_MIN_TEXT_BYTES: Final = 500  # per text; pdf_trio removes shorter ones
_VALIDATION_INTERVAL: Final = 9  # one document in nine is for validation
_MAX_OVERSHOOT: Final = 1.5  # maximum size of the validation set relative to its target
_PARTS: Final = ("train", "validate", "urls-train", "urls-validate")


@export_format("pdf_trio", files="pdf_trio/", about="training data as the recipe of pdf_trio makes it")
class PdfTrioWriter:
    """``pdf_trio/``: ``CLASS/ID.ft`` with one file per document; ``train.ft`` and ``validate.ft`` with one line per document.

    A line is ``__label__CLASS`` and the tokens of :func:`corpuskit.relevance.tokenizers.ascii_tokens`, identical to those of
    the shell pipeline of pdf_trio. Texts shorter than 500 bytes are omitted. With ``page_size_tokens``, the last two tokens
    are ``WIDTH595 HEIGHT842`` if the size of the first page is known.

    One document in nine is for validation; the selection depends only on ``shuffle``. Complete hosts are drawn until the
    share is reached. If every host is too large, documents are drawn independently of their hosts.

    Documents with a web URL are also written to ``CLASS.tsv`` (doc_id, URL, time as ``20200102030405``) and to the training
    set of URLs, ``urls-train.ft`` and ``urls-validate.ft``, with the tokens of
    :func:`corpuskit.relevance.pdf_trio_url_tokens`.

    Attributes:
        left_out: Reason → number of omitted documents, for the report of the export.
    """

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        self._folder = folder / "pdf_trio"
        self._folder.mkdir()
        self._options = options
        self._killed = frozenset(options.kill)
        self._pending_path = self._folder / "lines"
        self._pending = self._pending_path.open("w+b")  # lines, until the validation set is selected
        self._hosts: Counter[str] = Counter()
        self._drawn = array("Q")
        self._lists: dict[str, IO[bytes]] = {}
        self.left_out: Counter[str] = Counter()

    def write(self, item: Item) -> None:
        """Write the line of a labelled document, unless it is too short or on the kill list."""
        from corpuskit.compat.textworks import page_size_tokens
        from corpuskit.relevance.tokenizers import ascii_tokens

        label, row = item.row["label"], item.row
        text = item.text.encode("utf-8", "replace")
        if why := self._omission_reason(label, len(text), row["doc_id"]):
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
        group = " ".join((row["host"] or row["doc_id"]).encode("utf-8", "replace").decode().split())
        is_web = row["uri"].startswith(("http://", "https://"))
        self._hosts[group] += 1
        self._drawn.append(self._draw(row["doc_id"]))
        self._pending.write(group.encode() + b"\n" + line + (self._write_url(row, name) if is_web else b"\n"))

    def _omission_reason(self, label: str | None, size: int, doc_id: str) -> str:
        if not label:
            return "without a label"
        if size < _MIN_TEXT_BYTES:
            return f"of less than {_MIN_TEXT_BYTES} bytes"
        return "on the kill list" if doc_id in self._killed else ""

    def _write_url(self, row: Mapping[str, Any], name: str) -> bytes:
        from corpuskit.relevance import pdf_trio_url_tokens

        if name not in self._lists:
            self._lists[name] = (self._folder / f"{_as_file(name)}.tsv").open("ab")
        when = re.sub(r"\D", "", str(row["fetched"]))[:14]
        self._lists[name].write(f"{row['doc_id']}\t{row['uri']}\t{when}\n".encode("utf-8", "replace"))
        return f"__label__{name}{pdf_trio_url_tokens(row['uri'])}\n".encode("utf-8", "replace")

    def _draw(self, name: str) -> int:
        digest = hashlib.sha256(f"{self._options.shuffle} {name}".encode("utf-8", "replace")).digest()
        return int.from_bytes(digest[:8], "big")

    def _hosts_to_validate(self) -> set[str]:
        """Return hosts with one ninth of all documents; an empty set if every host is too large."""
        target = len(self._drawn) / _VALIDATION_INTERVAL
        chosen: set[str] = set()
        count = 0
        for host in sorted(self._hosts, key=self._draw):
            if count < target and count + self._hosts[host] <= _MAX_OVERSHOOT * target:
                chosen.add(host)
                count += self._hosts[host]
        return chosen

    def close(self) -> None:
        """Split the lines into training and validation, and close the files."""
        hosts = self._hosts_to_validate()
        share = math.ceil(len(self._drawn) / _VALIDATION_INTERVAL) if len(self._drawn) > 1 else 0
        border = sorted(self._drawn)[share] if share else 0
        self._pending.seek(0)
        with contextlib.ExitStack() as stack:
            files = {name: stack.enter_context((self._folder / f"{name}.ft").open("wb")) for name in _PARTS}
            lines = iter(self._pending)
            for drawn, group, line, url_line in zip(self._drawn, lines, lines, lines, strict=True):
                is_chosen = group.decode()[:-1] in hosts if hosts else drawn < border
                part = "validate" if is_chosen else "train"
                files[part].write(line)
                if url_line != b"\n":
                    files[f"urls-{part}"].write(url_line)
        self._pending.close()
        self._pending_path.unlink()
        for file in self._lists.values():
            file.close()


def _as_file(name: str) -> str:
    return re.sub(r"[^\w-]", "_", name)
