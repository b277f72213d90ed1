"""Streams a large WARC: memory, and speed beside FastWARC with the same extraction by hand.

    uv run --no-sync python benchmarks/warc_stream.py [MEGABYTES] [--extract]

The file is made of the pages in tests/gate/html, each time with another number in it, and thrown away.
"""

import io
import resource
import sys
import tempfile
import time
import zlib
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from corpuskit.extraction import extract_bytes
from corpuskit.sources.warc import read_warc

PAGES = sorted((Path(__file__).parents[1] / "tests" / "gate" / "html" / "pages").glob("*.html"))


def write(path, size):
    """Records until the file holds ``size`` bytes."""
    contents = [page.read_bytes() for page in PAGES]
    number = 0
    with path.open("wb") as out:
        while out.tell() < size:
            body = contents[number % len(contents)] + f"<!-- {number} -->".encode()
            record = WarcRecord()
            record.init_headers(WarcRecordType.response)
            record.headers["Content-Type"] = "application/http; msgtype=response"
            record.headers["WARC-Target-URI"] = f"http://a.example/{number}"
            record.headers["WARC-Date"] = "2020-01-02T03:04:05Z"
            record.set_bytes_content(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body) + body
            )
            plain = io.BytesIO()
            record.write(plain, checksum_data=True)
            packer = zlib.compressobj(1, zlib.DEFLATED, 31)
            out.write(packer.compress(plain.getvalue()) + packer.flush())
            number += 1
    return number


def by_hand(path, extract):
    count = 0
    for record in ArchiveIterator(path.open("rb"), record_types=WarcRecordType.response, parse_http=False):
        record.freeze()
        assert record.verify_block_digest()
        record.parse_http(auto_decode="all")
        content = record.reader.read()
        if extract:
            extract_bytes(content, media_type="text/html", uri=record.headers["WARC-Target-URI"])
        count += 1
    return count


def ours(path, extract):
    count = 0
    for found in read_warc(path, max_bytes=100_000_000):
        if extract:
            extract_bytes(found.content, media_type=found.media_type, uri=found.uri, charset=found.charset)
        count += 1
    return count


def main():
    extract = "--extract" in sys.argv
    megabytes = next((int(a) for a in sys.argv[1:] if a.isdigit()), 1_000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.warc.gz"
        records = write(path, megabytes * 1_000_000)
        print(f"{path.stat().st_size / 1e6:,.0f} MB, {records:,} records")
        if extract:
            # What extraction imports is not the first one's to pay.
            extract_bytes(PAGES[0].read_bytes(), media_type="text/html")
        seconds = {}
        for name, run in (("ours", ours), ("by hand", by_hand)):
            start = time.process_time()
            assert run(path, extract) == records
            seconds[name] = time.process_time() - start
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"{name}: {seconds[name]:.1f} s CPU, peak {peak:,.0f} MB")
        print(f"speed beside by hand: {seconds['by hand'] / seconds['ours']:.2f}")


if __name__ == "__main__":
    main()
