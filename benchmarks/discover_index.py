"""Makes an index of web archives in the schema of Common Crawl, of any size, with real records behind some of its rows.

URLs are those of the webs at hand and seeded variations of them: other hosts, other numbers, other words in the path. The index is written
partition by partition; no more than one is in memory.
"""

from __future__ import annotations

import sqlite3
import sys
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "helpers"))
from index_files import CRAWL, DATE, Archive, schema

TOPS = [
    "com",
    "org",
    "net",
    "de",
    "fr",
    "co.uk",
    "io",
    "edu",
    "info",
    "eu",
    "ru",
    "jp",
    "nl",
    "it",
    "pl",
    "br",
    "ca",
    "se",
    "ch",
    "at",
]
LANGUAGES = ["eng", "eng", "eng", "deu", "fra", "rus", "jpn", "nld", None]


def unpacked(body):
    for wbits in (31, 15):
        try:
            return zlib.decompress(body, wbits)
        except zlib.error:
            continue
    return bytes(body)


def pages(data, count=None):
    """(URL, content) of the webs below a folder (``web.sqlite``), or of HTML files; each URL once."""
    seen: set[str] = set()
    files = [
        (folder, file)
        for folder in data
        for file in sorted(folder.rglob("web.sqlite")) or sorted(folder.rglob("*.htm*"))
    ]
    for folder, web in files:
        if web.suffix == ".sqlite":
            with sqlite3.connect(f"file:{web}?mode=ro", uri=True) as connection:
                found = [
                    (url if "://" in url else f"http://{url}", unpacked(body))
                    for url, body in connection.execute("SELECT url, body FROM pages ORDER BY url")
                ]
        else:  # a folder of HTML files is a host
            found = [(f"http://{folder.name}.example/{web.relative_to(folder).as_posix()}", unpacked(web.read_bytes()))]
        for url, body in found:
            if b"<" in body[:500] and url not in seen and (count is None or len(seen) < count):
                seen.add(url)
                yield url, body


def pack(data, root, count, an_archive=200):
    """Archives with real records, with other records between them as a crawler writes; gives the rows."""
    rows, archive = [], None
    random = np.random.RandomState(1)
    for url, body in pages(data, count):
        if archive is None or len(archive.rows) >= an_archive:
            if archive is not None:
                archive.write(root)
            name = f"crawl-data/{CRAWL}/segments/{len(rows) % 7}/warc/CC-MAIN-{len(rows) // an_archive:05d}.warc.gz"
            archive = Archive(name)
        archive._gap = int(random.randint(400, 1200))  # a request and a metadata record
        rows.append(archive.add(url, body))
    if archive is not None:
        archive.write(root)
    return rows


def made_rows(bases, number, seed):
    """A table of rows that nobody crawled: bases varied in host, numbers and words."""
    random = np.random.RandomState(seed)
    hosts, paths = bases
    which = np.sort(random.randint(0, 50_000_000, max(1, number // 40)))  # about 40 pages a host
    host_of = np.sort(random.randint(0, len(which), number))
    stem = pc.take(hosts, pa.array(which % len(hosts)))
    top = pc.take(pa.array(TOPS), pa.array(random.randint(0, len(TOPS), len(which))))
    prefix = pc.take(
        pa.array(["www", "docs", "blog", "shop", "m"]),
        pa.array(random.choice(5, len(which), p=[0.6, 0.1, 0.1, 0.1, 0.1])),
    )
    host = pc.binary_join_element_wise(
        prefix, pc.binary_join_element_wise(stem, pa.array(which % 9973).cast(pa.string()), ""), top, "."
    )
    host = pc.take(host, pa.array(host_of))
    path = pc.take(paths, pa.array(random.randint(0, len(paths), number)))
    more = pc.take(
        pa.array(["", "?id=", "-", "/", "?page=", "_"]),
        pa.array(random.choice(6, number, p=[0.4, 0.1, 0.2, 0.1, 0.1, 0.1])),
    )
    ending = pc.if_else(pc.equal(more, ""), "", pa.array(random.randint(0, 99_999, number)).cast(pa.string()))
    url = pc.binary_join_element_wise("https://", host, path, more, ending, "")
    reversed_host = pa.array([".".join(reversed(name.split("."))) for name in pc.unique(host).to_pylist()])
    reversed_host = pc.take(reversed_host, pc.index_in(host, pc.unique(host)))
    digest = pc.binary_join_element_wise("D", pa.array(random.randint(0, 2**62, number)).cast(pa.string()), "")
    count = len(url)
    columns = {
        "url_surtkey": pc.binary_join_element_wise(reversed_host, path, ")"),
        "url": url,
        "url_host_name": host,
        "url_host_tld": pc.list_element(pc.split_pattern(reversed_host, "."), 0),
        "url_host_registered_domain": host,
        "url_host_name_reversed": reversed_host,
        "fetch_time": pa.array(np.full(count, np.datetime64(DATE.replace(tzinfo=None), "ms"))),
        "fetch_status": pa.array(np.full(count, 200, np.int16)),
        "content_digest": digest,
        "content_mime_detected": pc.take(
            pa.array(["text/html", "application/xhtml+xml", "application/pdf"]),
            pa.array(random.choice(3, count, p=[0.85, 0.13, 0.02])),
        ),
        "content_charset": pc.take(pa.array(["UTF-8", "ISO-8859-1"]), pa.array(random.choice(2, count, p=[0.9, 0.1]))),
        "content_languages": pc.take(pa.array(LANGUAGES), pa.array(random.randint(0, len(LANGUAGES), count))),
        "content_truncated": pa.nulls(count, pa.string()),
        "warc_filename": pc.binary_join_element_wise(
            f"crawl-data/{CRAWL}/segments/",
            pa.array(random.randint(0, 100, count)).cast(pa.string()),
            "/warc/CC-MAIN-9",
            pa.array(random.randint(0, 900, count)).cast(pa.string()),
            ".warc.gz",
            "",
        ),
        "warc_record_offset": pa.array(random.randint(0, 2**30, count).astype(np.int32)),
        "warc_record_length": pa.array(random.randint(2_000, 60_000, count).astype(np.int32)),
        "warc_segment": pa.array(["1.0"]).take(pa.array(np.zeros(count, np.int32))),
    }
    return pa.table(columns).cast(schema())


def bases_of(rows):
    """Words for hosts, and paths."""
    urls = sorted({row["url"] for row in rows})
    paths = sorted({"/" + url.split("/", 3)[3] for url in urls if url.count("/") >= 3})
    hosts = sorted({url.split("/")[2].split(".")[0] for url in urls})
    return pa.array(hosts), pa.array(paths)


def make(data, root, rows, partitions, real):
    """The index of so many rows in so many partitions below ``root``, with its archives."""
    packed = pack(data, root, real)
    bases = bases_of(packed)
    folder = root / f"cc-index/table/cc-main/warc/crawl={CRAWL}/subset=warc"
    folder.mkdir(parents=True, exist_ok=True)
    packed.sort(key=lambda row: row["url_host_name_reversed"])
    own = [[] for _ in range(partitions)]
    for number, row in enumerate(packed):
        own[number * partitions // len(packed)].append({**row, "fetch_time": row["fetch_time"].replace(tzinfo=None)})
    for number in range(partitions):
        size = max(1, (number + 1) * rows // partitions - number * rows // partitions - len(own[number]))
        table = pa.concat_tables([made_rows(bases, size, number), pa.Table.from_pylist(own[number], schema=schema())])
        table = table.sort_by("url_host_name_reversed")
        pq.write_table(
            table, folder / f"part-{number:05d}-x.c000.gz.parquet", compression="zstd", row_group_size=1 << 17
        )
    return packed
