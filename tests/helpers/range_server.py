"""A web server of archives on loopback that answers with ranges, and with faults that are asked for."""

from loopback import LoopbackHandler, LoopbackServer


class RangeServer(LoopbackServer):
    """Files by path. ``faults``: answers given first, one a request: a status, ``(status, headers)``, ``cut`` or ``whole``."""

    def __init__(self):
        self.files, self.faults, self.ranges = {}, [], []
        super().__init__(_Handler)


class _Handler(LoopbackHandler):
    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        server = self.owner
        content = server.files.get(self.path.lstrip("/"))
        asked = self.headers.get("Range")
        if content is None:
            return self._answer(404)
        if asked is None:
            return self._answer(200, content)
        start, _, end = asked.removeprefix("bytes=").partition("-")
        start, end = int(start), min(int(end) + 1 if end else len(content), len(content))
        with server.lock:
            server.ranges.append((self.path.lstrip("/"), start, end))
            fault = server.faults.pop(0) if server.faults else None
        span = f"bytes {start}-{end - 1}/{len(content)}"
        if fault == "cut":
            return self._answer(206, content[start:end], {"Content-Range": span}, part=(end - start) // 2)
        if fault == "whole":
            return self._answer(200, content)
        if fault == "close":
            self.close_connection = True
            return None
        if fault is not None:
            status, headers = fault if isinstance(fault, tuple) else (fault, {})
            return self._answer(status, b"<Error><Code>SlowDown</Code></Error>", headers)
        if start >= len(content):
            return self._answer(416)
        return self._answer(206, content[start:end], {"Content-Range": span})

    def _answer(self, status, content=b"", headers=(), **more):
        self.answer(status, content, {"Accept-Ranges": "bytes", **dict(headers)}, **more)
