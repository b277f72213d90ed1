"""Damages files of each kind in many ways and adds them to a corpus: each is a document or a failure row, none hangs.

uv run --no-sync python tests/bench/docx_damaged.py [FILES_OF_EACH_KIND]
"""

import io
import random
import re
import sys
import tempfile
import time
import zipfile
from collections import Counter
from pathlib import Path

import docx

import corpuskit

HTML = (
    "<html><head><title>A page</title></head><body><h1>Head</h1>" + "<p>Some text of it.</p>" * 50 + "</body></html>"
).encode()


def word():
    document = docx.Document()
    for number in range(20):
        document.add_heading(f"Head {number}", 1 + number % 3)
        document.add_paragraph("Some text of it. " * 20)
    document.add_table(3, 3)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def archive():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.html", HTML)
        packed.writestr("b.docx", word())
    return buffer.getvalue()


def warc():
    from fastwarc.warc import WarcRecord, WarcRecordType

    buffer = io.BytesIO()
    for number in range(3):
        record = WarcRecord()
        record.init_headers(WarcRecordType.response)
        record.headers["Content-Type"] = "application/http; msgtype=response"
        record.headers["WARC-Target-URI"] = f"http://a.example/{number}"
        record.set_bytes_content(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + HTML)
        record.write(buffer, checksum_data=True)
    return buffer.getvalue()


def damaged(content, rng):
    kind = rng.randrange(4)
    content = bytearray(content)
    if kind == 0:
        return bytes(content[: rng.randrange(1, len(content))])
    if kind == 1:
        for _ in range(rng.randrange(1, 100)):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        return bytes(content)
    if kind == 2:
        at = rng.randrange(len(content))
        return bytes(content[:at] + rng.randbytes(rng.randrange(1, 500)) + content[at:])
    return bytes(content[rng.randrange(1, len(content)) :])


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    rng = random.Random(5)
    suffixes = {"docx": word(), "html": HTML, "zip": archive(), "warc": warc()}
    for suffix, whole in suffixes.items():
        with tempfile.TemporaryDirectory() as folder:
            files = Path(folder) / "files"
            files.mkdir()
            for number in range(count):
                name = rng.choice([*suffixes, "pdf", "txt", "eml"]) if number % 10 == 9 else suffix  # a wrong one
                (files / f"{number}.{name}").write_bytes(damaged(whole, rng))
            (files / f"whole.{suffix}").write_bytes(whole)
            corpus = corpuskit.open(Path(folder) / "corpus")
            start = time.monotonic()
            report = corpus.add(files, progress=False)
            seconds = time.monotonic() - start
            errors = Counter(corpus.failures().error)
            uris = [*corpus.documents().uri, *corpus.failures().uri]
            # Of a web archive the rows are named after the file, and after its pages where it could be read.
            told = {re.split("[/@#]", uri.partition("files/")[2] or uri)[0] for uri in uris}
            missing = len({path.name for path in files.iterdir() if path.suffix != ".warc"} - told)
            print(
                f"{suffix}: {count} damaged: {report!r}; {dict(errors)}; files not told of: {missing}; {seconds:.0f} s"
            )
            corpus.close()


if __name__ == "__main__":
    main()
