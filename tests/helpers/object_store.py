"""A store of objects on loopback: as much of S3's interface as clients use to read, list, and write on condition.

Answers follow the API reference of Amazon S3 (2006-03-01): GetObject with Range, HeadObject, PutObject with
``If-None-Match: *`` (412 where there is one), multipart uploads with the same condition on CompleteMultipartUpload,
CopyObject, ListObjectsV2 with prefix and delimiter, DeleteObject(s), CreateBucket, HeadBucket. Signatures are not looked at.
"""

from __future__ import annotations

import hashlib
import io
from urllib.parse import parse_qs, unquote, urlsplit
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from loopback import LoopbackHandler, LoopbackServer

DATE = "Thu, 02 Jan 2020 03:04:05 GMT"


class ObjectStore(LoopbackServer):
    """Buckets of objects: (bucket, key) → bytes. ``requests`` are (method, path, condition)."""

    def __init__(self):
        self.objects, self.buckets, self.uploads, self.requests = {}, set(), {}, []
        self.names_condition = True  # as Amazon does; not all stores do
        super().__init__(_Handler)


class _Handler(LoopbackHandler):
    def do_GET(self):
        bucket, key, query = self._target()
        if not key:
            return self._list(bucket, query) if bucket in self.owner.buckets else self._error(404, "NoSuchBucket")
        content = self.owner.objects.get((bucket, key))
        if content is None:
            return self._error(404, "NoSuchKey")
        start, end = self._range(len(content))
        if start is None:
            return self._answer(200, content, ETag=_etag(content))
        if start >= len(content):
            return self._error(416, "InvalidRange")
        span = {"Content-Range": f"bytes {start}-{end - 1}/{len(content)}"}
        return self._answer(206, content[start:end], ETag=_etag(content), **span)

    def do_HEAD(self):
        bucket, key, _ = self._target()
        if not key:
            return self._answer(200 if bucket in self.owner.buckets else 404)
        content = self.owner.objects.get((bucket, key))
        if content is None:
            return self._answer(404)
        return self._answer(200, content, ETag=_etag(content))

    def do_PUT(self):
        bucket, key, query = self._target()
        body = self._body()
        if not key:
            self.owner.buckets.add(bucket)
            return self._answer(200)
        if "partNumber" in query:
            self.owner.uploads[query["uploadId"][0]][int(query["partNumber"][0])] = body
            return self._answer(200, ETag=_etag(body))
        source = self.headers.get("x-amz-copy-source")
        if source:
            body = self.owner.objects[tuple(unquote(source).lstrip("/").split("/", 1))]
        if not self._keep(bucket, key, body):
            return None
        copied = f"<CopyObjectResult><ETag>{_etag(body)}</ETag></CopyObjectResult>" if source else ""
        return self._answer(200, copied.encode(), ETag=_etag(body))

    def do_POST(self):
        bucket, key, query = self._target()
        body = self._body()
        if "delete" in query:
            for name in ElementTree.fromstring(body).iter("{*}Key"):
                self.owner.objects.pop((bucket, name.text), None)
            return self._answer(200, b"<DeleteResult/>")
        if "uploads" in query:
            upload = f"upload-{len(self.owner.uploads)}"
            self.owner.uploads[upload] = {}
            return self._answer(200, f"<InitiateMultipartUploadResult><Bucket>{bucket}</Bucket><Key>{escape(key)}</Key>"
                                     f"<UploadId>{upload}</UploadId></InitiateMultipartUploadResult>".encode())  # fmt: skip
        parts = self.owner.uploads[query["uploadId"][0]]
        if self._keep(bucket, key, b"".join(parts[number] for number in sorted(parts))):
            self._answer(
                200, f"<CompleteMultipartUploadResult><Key>{escape(key)}</Key></CompleteMultipartUploadResult>".encode()
            )
        return None

    def do_DELETE(self):
        bucket, key, query = self._target()
        self.owner.uploads.pop(query.get("uploadId", [""])[0], None)
        self.owner.objects.pop((bucket, key), None)
        self._answer(204)

    def _keep(self, bucket, key, content):
        with self.owner.lock:
            if self.headers.get("If-None-Match") == "*" and (bucket, key) in self.owner.objects:
                condition = "<Condition>If-None-Match</Condition>" if self.owner.names_condition else ""
                self._error(412, "PreconditionFailed", condition)
                return False
            self.owner.objects[bucket, key] = content
        return True

    def _list(self, bucket, query):
        prefix, delimiter = query.get("prefix", [""])[0], query.get("delimiter", [""])[0]
        contents, folders = [], []
        for (where, key), content in sorted(self.owner.objects.items()):
            if where != bucket or not key.startswith(prefix):
                continue
            inner = key[len(prefix) :]
            if delimiter and delimiter in inner:
                folder = prefix + inner.split(delimiter)[0] + delimiter
                if folder not in folders:
                    folders.append(folder)
            else:
                contents.append(f"<Contents><Key>{escape(key)}</Key><LastModified>2020-01-02T03:04:05.000Z</LastModified>"
                                f"<ETag>{_etag(content)}</ETag><Size>{len(content)}</Size></Contents>")  # fmt: skip
        shared = "".join(f"<CommonPrefixes><Prefix>{escape(folder)}</Prefix></CommonPrefixes>" for folder in folders)
        self._answer(200, f"<ListBucketResult><Name>{bucket}</Name><Prefix>{escape(prefix)}</Prefix><KeyCount>{len(contents)}"
                          f"</KeyCount><IsTruncated>false</IsTruncated>{''.join(contents)}{shared}</ListBucketResult>".encode())  # fmt: skip

    def _target(self):
        parts = urlsplit(self.path)
        bucket, _, key = unquote(parts.path).lstrip("/").partition("/")
        self.owner.requests.append((self.command, bucket + "/" + key, self.headers.get("If-None-Match")))
        return bucket, key, parse_qs(parts.query, keep_blank_values=True)

    def _range(self, size):
        found = self.headers.get("Range", "")
        if not found.startswith("bytes="):
            return None, None
        start, _, end = found.removeprefix("bytes=").partition("-")
        return (int(start), min(int(end) + 1, size) if end else size) if start else (max(0, size - int(end)), size)

    def _body(self):
        if "chunked" in self.headers.get("Transfer-Encoding", "") or self.headers.get("x-amz-decoded-content-length"):
            return self._signed_chunks()
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _signed_chunks(self):
        """``aws-chunked``: SIZE[;chunk-signature=...] CRLF bytes CRLF ... 0 CRLF trailers CRLF; within HTTP's own chunks or not."""
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            body = _chunks(self.rfile)
        else:
            body = self.rfile.read(int(self.headers["Content-Length"]))
        return _chunks(io.BytesIO(body)) if self.headers.get("x-amz-decoded-content-length") else body

    def _answer(self, status, content=b"", **headers):
        self.answer(status, content, {"Last-Modified": DATE, **headers})

    def _error(self, status, code, more=""):
        self._answer(status, f"<Error><Code>{code}</Code><Message>{code}</Message>{more}</Error>".encode())


def _chunks(source):
    content = b""
    while size := int(source.readline().partition(b";")[0] or b"0", 16):
        content += source.read(size)
        source.readline()
    while source.readline().strip():
        pass  # trailers
    return content


def _etag(content):
    return f'"{hashlib.md5(content, usedforsecurity=False).hexdigest()}"'
