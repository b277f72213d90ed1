"""Export as frames of frenchtext: the distinct text blocks of each site, shuffled, with the URLs of their pages."""

from __future__ import annotations

import csv
import hashlib
from array import array
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from corpuskit.document.compact_lists import compact_items
from corpuskit.document.elements import LISTS, TEXT_BLOCK, TYPE_NAMES
from corpuskit.document.events import COMMANDS, ELEMENT_TYPES
from corpuskit.export.csv_safety import escape_formula
from corpuskit.export.item import Item
from corpuskit.export.options import ExportOptions
from corpuskit.export.writers import export_format
from corpuskit.store.paths import safe_segment
from corpuskit.text import count_words, detect_language

_BATCH: Final = 20_000  # rows
_BUCKET: Final = 100_000  # rows sorted in memory at a time
_INDEX: Final = ("Dataset", "DatasetFile", "Website", "Url", "Scope", "UrlsFile", "Pages", "Words")
_NO_SITE: Final = "_files_"


@export_format("frenchtext", files="frenchtext/", about="the frames of frenchtext, shuffled blocks")
class FrenchtextWriter:
    """``frenchtext/``: ``SITE.dataset.feather``, ``SITE.urls.feather`` of each site, and ``datasets.csv``.

    Dataset frames: Website, DocEltType, DocEltCmd (category); DocId (uint32); NestingLevel (uint8); Text, Lang (str);
    Words (int32); Unique (bool). Rows are titles and texts, each distinct text of a site once. They are
    shuffled with the seed ``shuffle`` unless it is None. URL frames: DocId (uint32), DocUrl (str), License (str),
    Words, and per language the number of words and their share as ``%LANG``. ``datasets.csv``: Dataset;DatasetFile;Website;
    Url;Scope;UrlsFile;Pages;Words. Memory use: the URLs of one site, and 8 bytes per text block.
    """

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        self._folder = folder / "frenchtext"
        self._folder.mkdir()
        self._seed = options.shuffle
        self._site: _Site | None = None
        self._names: set[str] = set()
        self._index = (self._folder / "datasets.csv").open("w", encoding="utf-8", newline="")
        self._rows = csv.writer(self._index, delimiter=";", lineterminator="\n")
        self._rows.writerow(_INDEX)

    def write(self, item: Item) -> None:
        """Add a document; the documents of a site must be consecutive."""
        host = item.row["host"] or _NO_SITE
        if self._site is None or self._site.host != host:
            self._end_site()
            name = safe_segment(host)
            while name.lower() in self._names:
                name += "~"
            self._names.add(name.lower())
            self._site = _Site(self._folder, host, name, self._seed)
        self._site.add(item)

    def _end_site(self) -> None:
        if self._site is not None:
            pages, words = self._site.close()
            name, host = self._site.name, self._site.host
            url = "" if host == _NO_SITE else f"https://{host}/"
            row = (name, f"{name}.dataset.feather", host, url, "subdomain", f"{name}.urls.feather", pages, words)
            self._rows.writerow([escape_formula(value) for value in row])

    def close(self) -> None:
        """Close the files of the last site and the index."""
        self._end_site()
        self._index.close()


class _Site:
    """Text blocks of one site, stored in a temporary file until all are known, then ordered."""

    def __init__(self, folder: Path, host: str, name: str, seed: int | None) -> None:
        import pyarrow as pa

        self.host, self.name = host, name
        self._folder = folder
        self._is_shuffled = seed is not None
        self._salt = b"" if seed is None else seed.to_bytes(16, "big", signed=True)
        fixed = {"Website": (host,), "DocEltType": ELEMENT_TYPES, "DocEltCmd": COMMANDS}
        self._dictionaries = {column: pa.array(values, pa.string()) for column, values in fixed.items()}
        category = pa.dictionary(pa.int8(), pa.string())
        self._schema = pa.schema(
            [("Website", category), ("DocId", pa.uint32()), ("DocEltType", category), ("DocEltCmd", category),
             ("NestingLevel", pa.uint8()), ("Text", pa.large_string()), ("Lang", pa.string()), ("Words", pa.int32()),
             ("Unique", pa.bool_())]
        )  # fmt: skip
        self._spill = folder / f"{name}.spill"
        self._writer = pa.ipc.new_stream(self._spill, self._schema)
        self._keys = array("Q")
        self._rows: list[tuple[Any, ...]] = []
        self._urls: list[tuple[int, str, str | None]] = []
        self._words: dict[str, array[int]] = {}

    def add(self, item: Item) -> None:
        """Add the text blocks and the URL of a document."""
        doc_id = len(self._urls) + 1
        self._urls.append((doc_id, item.document.uri, item.row["license"]))
        counts: Counter[str] = Counter()
        hint = item.row["lang"]
        for kind, command, level, text in _content(item):
            lang, words = detect_language(text, hint), count_words(text)
            counts[lang] += words
            digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8, key=self._salt).digest()
            self._keys.append(int.from_bytes(digest, "big"))
            self._rows.append((doc_id, kind, command, min(level, 255), text, lang, words))
        for lang in counts:
            self._words.setdefault(lang, array("Q"))
        for lang, column in self._words.items():
            column.extend([0] * (doc_id - 1 - len(column)))
            column.append(counts[lang])
        if len(self._rows) >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        if not self._rows:
            return
        doc_ids, kinds, commands, levels, texts, langs, words = zip(*self._rows, strict=True)
        size = len(self._rows)
        codes = {"Website": [0] * size, "DocEltType": kinds, "DocEltCmd": commands}
        columns: dict[str, Any] = {
            column: pa.DictionaryArray.from_arrays(pa.array(values, pa.int8()), self._dictionaries[column])
            for column, values in codes.items()
        }
        columns |= {"DocId": doc_ids, "NestingLevel": levels, "Text": texts, "Lang": langs, "Words": words,
                    "Unique": [True] * size}  # fmt: skip
        arrays = [
            value if isinstance(value, pa.Array) else pa.array(value, self._schema.field(column).type)
            for column, value in ((name, columns[name]) for name in self._schema.names)
        ]
        self._writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
        self._rows = []

    def close(self) -> tuple[int, int]:
        """Write the frames; return the numbers of pages and words."""
        import numpy as np
        import pyarrow as pa

        self._flush()
        self._writer.close()
        keys = np.frombuffer(self._keys, dtype=np.uint64) if len(self._keys) else np.empty(0, np.uint64)
        keep = np.zeros(len(keys), dtype=bool)
        keep[np.unique(keys, return_index=True)[1]] = True
        words = 0
        file = self._folder / f"{self.name}.dataset.feather"
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        with pa.ipc.new_file(file, self._schema, options=options) as out:
            for batch in self._ordered(keys, keep):
                words += int(np.asarray(batch.column("Words"), dtype=np.int64).sum())
                out.write_batch(batch)
        self._spill.unlink()
        self._write_urls()
        return len(self._urls), words

    def _ordered(self, keys: Any, keep: Any) -> Iterator[Any]:
        """Yield the distinct rows in document order, or shuffled (ordered by their salted hashes)."""
        import numpy as np
        import pyarrow as pa

        count = -(-int(keep.sum()) // _BUCKET)
        if not self._is_shuffled:
            yield from (batch.filter(pa.array(keep[at : at + len(batch)])) for at, batch in self._spilled())
            return
        # Buckets are consecutive ranges of keys, so each bucket can be sorted separately in memory.
        borders = np.linspace(0, 2.0**64, count + 1)[1:-1].astype(np.uint64) if count > 1 else np.empty(0, np.uint64)
        for number in range(count):
            mine = keep & (np.searchsorted(borders, keys, side="right") == number)
            parts = [
                batch.filter(pa.array(mine[at : at + len(batch)]))
                for at, batch in self._spilled()
                if mine[at : at + len(batch)].any()
            ]
            if parts:
                table = pa.Table.from_batches(parts).take(np.argsort(keys[mine], kind="stable"))
                yield from table.combine_chunks().to_batches()

    def _spilled(self) -> Iterator[tuple[int, Any]]:
        import pyarrow as pa

        at = 0
        with pa.OSFile(str(self._spill)) as source, pa.ipc.open_stream(source) as batches:
            for batch in batches:
                yield at, batch
                at += len(batch)

    def _write_urls(self) -> None:
        import numpy as np
        import pyarrow as pa
        from pyarrow import feather

        doc_ids, urls, licences = zip(*self._urls, strict=True)
        columns: dict[str, Any] = {
            "DocId": pa.array(doc_ids, pa.uint32()),
            "DocUrl": pa.array(urls, pa.string()),
            "License": pa.array(licences, pa.string()),
        }
        size = len(self._urls)
        counts = {
            lang: np.array([*column, *[0] * (size - len(column))], dtype=np.int64)
            for lang, column in sorted(self._words.items())
        }
        total = sum(counts.values(), np.zeros(size, np.int64))
        columns |= {**counts, "Words": total}
        columns |= {f"%{lang}": column / np.maximum(total, 1) for lang, column in counts.items()}
        feather.write_feather(pa.table(columns), self._folder / f"{self.name}.urls.feather", compression="lz4")


def _content(item: Item) -> Iterator[tuple[int, int, int, str]]:
    """Yield type, command, level and text of titles and texts, as in the event frame."""
    title, text_command = COMMANDS.index("Title"), COMMANDS.index("Text")
    table = item.document.table
    if item.document.title:
        yield 0, title, 0, item.document.title
    compact: set[int] = set()
    for i, code in enumerate(table.type):
        if code in LISTS and compact_items(table, i) is not None:
            compact.update(range(i + 2, table.subtree_end[i], 2))
    item_code = ELEMENT_TYPES.index("ListItem")
    for i in item.exported_rows:
        if i in compact:
            yield item_code, text_command, table.nesting_level[i] - 1, table.text[i] or ""
        else:
            command = text_command if table.type[i] == TEXT_BLOCK else title
            yield ELEMENT_TYPES.index(TYPE_NAMES[table.type[i]]), command, table.nesting_level[i], table.text[i] or ""
