"""The demo web as a crawler of the whole web keeps it: archives, and an index of them in Common Crawl's columns."""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from corpuskit.demo.web_server import demo_data
from corpuskit.sources.commoncrawl import place_schema
from corpuskit.store.originals import AddedRecordWriter

CRAWL: Final = "CC-MAIN-2026-00"
_DATE: Final = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
_LANGUAGES: Final = {"en": "eng", "fr": "fra", "de": "deu"}
_LANG: Final = re.compile(rb"<html[^>]*\blang=[\"']?([a-z]{2})")


def demo_archive(folder: str | Path, *, partitions: int = 4) -> Path:
    """Pack the demo web's pages into archives with an index, below a folder, and return the index's folder.

    Args:
        folder: a new or empty one.
        partitions: files of the index.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    root = Path(folder)
    rows = _packed(root)
    index = root / f"cc-index/table/cc-main/warc/crawl={CRAWL}/subset=warc"
    index.mkdir(parents=True, exist_ok=True)
    for number in range(partitions):
        part = rows[number * len(rows) // partitions : (number + 1) * len(rows) // partitions]
        table = pa.Table.from_pylist(part, schema=place_schema())
        pq.write_table(table, index / f"part-{number:05d}.gz.parquet", compression="gzip")
    return index


def _packed(root: Path) -> list[dict[str, Any]]:
    """Write the archives, and return a row of the index for each page."""
    web = demo_data() / "web"
    name = f"crawl-data/{CRAWL}/segments/1/warc"
    records = AddedRecordWriter(root / name)
    (root / name).mkdir(parents=True, exist_ok=True)
    rows = []
    for file in sorted(web.rglob("*.html")):
        body = file.read_bytes()
        url = f"http://{file.relative_to(web).as_posix().removesuffix('index.html')}"
        headers = [("Content-Type", "text/html; charset=utf-8")]
        location = records.write(url, _DATE, headers, "text/html", body)
        language = _LANG.search(body[:2000])
        digest = base64.b32encode(hashlib.sha1(body, usedforsecurity=False).digest()).decode()
        rows.append({
            "url": url, "url_host_name": url.split("/")[2], "fetch_time": _DATE, "fetch_status": 200, "content_digest": digest,
            "content_mime_detected": "text/html", "content_charset": "UTF-8",
            "content_languages": _LANGUAGES.get(language.group(1).decode(), None) if language else None,
            "warc_filename": f"{name}/{location.file}", "warc_record_offset": location.offset, "warc_record_length": location.length,
        })  # fmt: skip
    records.close()
    return rows
