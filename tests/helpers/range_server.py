"""A web server of archives on loopback that answers with ranges, and with faults that are asked for."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class RangeServer:
    """Files by path. ``faults``: answers given first, one a request: a status, ``(status, headers)``, ``cut`` or ``whole``."""

    def __init__(self):
        self.files, self.faults, self.ranges = {}, [], []
        self.lock = threading.Lock()
        server = self

        class Handler(_Handler):
            pass

        Handler.server_of = server
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # no wait for delayed acknowledgements
    server_of: RangeServer

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        server = self.server_of
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
        if fault == "cut":
            self._answer(
                206, content[start:end], cut=True, **{"Content-Range": f"bytes {start}-{end - 1}/{len(content)}"}
            )
            self.close_connection = True
            return None
        if fault == "whole":
            return self._answer(200, content)
        if fault == "close":
            self.close_connection = True
            return None
        if fault is not None:
            status, headers = fault if isinstance(fault, tuple) else (fault, {})
            return self._answer(status, b"<Error><Code>SlowDown</Code></Error>", **headers)
        if start >= len(content):
            return self._answer(416)
        return self._answer(206, content[start:end], **{"Content-Range": f"bytes {start}-{end - 1}/{len(content)}"})

    def _answer(self, status, content=b"", *, cut=False, **headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Accept-Ranges", "bytes")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content[: len(content) // 2] if cut else content)

    def log_message(self, *args):
        pass
