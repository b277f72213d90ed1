"""Web archives of small pages, and the bytes of written shards."""

from datetime import UTC, datetime
from pathlib import Path

from corpuskit.store.originals import WarcWriter

PAGE = "<html><head><title>Page {0}</title></head><body><nav><a href='/x'>menu</a></nav><p>The text of page {0}.</p></body></html>"
DATE = datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)
HEADERS = [("Content-Type", "text/html; charset=utf-8"), ("ETag", '"e"')]


def warc(file, names, text=PAGE):
    """A web archive of pages."""
    file.parent.mkdir(parents=True, exist_ok=True)
    writer = WarcWriter(file.parent / "w", {})
    for name in names:
        writer.write(
            f"http://a.example/{name}",
            DATE,
            b"GET / HTTP/1.1\r\n\r\n",
            "HTTP/1.1 200 OK",
            HEADERS,
            text.format(name).encode(),
        )
    writer.close()
    next((file.parent / "w").iterdir()).replace(file)
    (file.parent / "w").rmdir()


def files(folder):
    return {file.name: file.read_bytes() for file in sorted(Path(folder).iterdir())}
