"""Web archives and indexes of them, made for tests: the real columns, real records."""

import base64
import gzip
import hashlib
import io
import json
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

DATE = datetime(2024, 5, 18, 1, 58, 10, tzinfo=UTC)
CRAWL = "CC-MAIN-2024-22"
PAGE = "<html><head><title>{0}</title></head><body><h1>{0}</h1><p>{1}</p></body></html>"


def page(title, text):
    return PAGE.format(title, text).encode()


def sha1(content):
    return base64.b32encode(hashlib.sha1(content, usedforsecurity=False).digest()).decode()


def record(
    url, body, *, kind="response", status=200, mime="text/html; charset=utf-8", head=(), headers=(), digest=None
):
    """One record of a web archive, packed."""
    block = body
    if kind != "resource":
        lines = [f"HTTP/1.1 {status} OK", f"Content-Type: {mime}", *headers, "", ""]
        block = "\r\n".join(lines).encode() + body
    fields = {
        "WARC-Type": kind,
        "WARC-Record-ID": f"<urn:uuid:{hashlib.md5(url.encode(), usedforsecurity=False).hexdigest()}>",
        "WARC-Date": "2024-05-18T01:58:10Z",
        "WARC-Target-URI": url,
        "WARC-Payload-Digest": f"sha1:{digest or sha1(body)}",
        "Content-Type": "application/http; msgtype=response",
        **dict(head),
        "Content-Length": str(len(block)),
    }
    text = "WARC/1.0\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
    return gzip.compress(text.encode() + block + b"\r\n\r\n", mtime=0)


class Archive:
    """Records of one archive and their rows.

    Args:
        name: as the index has it, such as ``crawl-data/CC-MAIN-2024-22/segments/1/warc/CC-MAIN-1.warc.gz``.
        gap: bytes of other records between two pages, as request and metadata records are.
    """

    def __init__(self, name, gap=300):
        self.name, self._out, self.rows, self._gap = name, io.BytesIO(), [], gap

    def add(self, url, body, *, row=(), **more):
        packed = record(url, body, **more)
        start = self._out.tell()
        self._out.write(packed)
        self.rows.append(
            index_row(url, self.name, start, len(packed), content_digest=more.get("digest") or sha1(body), **dict(row))
        )
        if self._gap:
            filling = hashlib.sha512(url.encode()).digest() * (self._gap // 64 + 1)
            self._out.write(record(url, filling[: self._gap], kind="metadata"))
        return self.rows[-1]

    @property
    def content(self):
        return self._out.getvalue()

    def write(self, root):
        file = root / self.name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(self.content)


def index_row(url, name, offset, length, **more):
    host = urlsplit(url).hostname or ""
    return {
        "url_surtkey": ",".join(reversed(host.split("."))) + ")" + urlsplit(url).path,
        "url": url,
        "url_host_name": host,
        "url_host_tld": host.rpartition(".")[2],
        "url_host_registered_domain": ".".join(host.split(".")[-2:]),
        "url_host_name_reversed": ".".join(reversed(host.split("."))),
        "fetch_time": DATE,
        "fetch_status": 200,
        "content_digest": None,
        "content_mime_detected": "text/html",
        "content_charset": "UTF-8",
        "content_languages": "eng",
        "content_truncated": None,
        "warc_filename": name,
        "warc_record_offset": offset,
        "warc_record_length": length,
        "warc_segment": "1.0",
        **more,
    }


def schema():
    kinds = {
        "fetch_time": pa.timestamp("ms"),
        "fetch_status": pa.int16(),
        "warc_record_offset": pa.int32(),
        "warc_record_length": pa.int32(),
    }
    return pa.schema([(name, kinds.get(name, pa.string())) for name in index_row("http://a.b/", "x", 0, 1)])


def write_index(root, rows, number=0, *, group=1 << 20, crawl=CRAWL, schema=schema):
    """One partition, where Common Crawl has it."""
    folder = root / f"cc-index/table/cc-main/warc/crawl={crawl}/subset=warc"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"part-{number:05d}-x.c000.gz.parquet"
    rows = [{**row, "fetch_time": row["fetch_time"].replace(tzinfo=None)} for row in rows]
    pq.write_table(pa.Table.from_pylist(rows, schema=schema()), file, compression="gzip", row_group_size=group)
    return folder


def cdxj_line(row, **more):
    fields = {
        "url": row["url"], "mime": "text/html", "mime-detected": row["content_mime_detected"], "status": str(row["fetch_status"]),
        "digest": row["content_digest"], "length": str(row["warc_record_length"]), "offset": str(row["warc_record_offset"]),
        "filename": row["warc_filename"], "charset": "UTF-8", "languages": row["content_languages"], **more,
    }  # fmt: skip
    return f"{row['url_surtkey']} 20240518015810 {json.dumps(fields)}\n"
