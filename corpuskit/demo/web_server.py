"""Server of the demo web on 127.0.0.1, as an HTTP proxy for its hosts."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from corpuskit.errors import SourceError

_TYPES: Final = {
    ".html": "text/html",
    ".xml": "application/xml",
    ".txt": "text/plain; charset=utf-8",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}


def demo_data() -> Path:
    """Return the directory with the data of the demo, in the installed package or in the checkout.

    Raises:
        SourceError: It is in neither.
    """
    package = Path(__file__).resolve().parent
    for folder in (package / "data", package.parents[1] / "data" / "demo"):
        if (folder / "seeds.txt").exists():
            return folder
    raise SourceError("the data of the demo was not found; install corpuskit from its wheel or use a checkout")


class DemoWeb:
    """Server of the demo web on a free port of 127.0.0.1; create it with :func:`start_demo_web`.

    Attributes:
        proxy: URL of the proxy for the hosts of the demo web.
    """

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(demo_data() / "web"))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        self.proxy = f"http://127.0.0.1:{self._server.server_address[1]}"

    def stop(self) -> None:
        """Stop the server. A second call has no effect."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()

    def __repr__(self) -> str:
        return f"<the demo's web, {f'behind {self.proxy}' if self._thread.is_alive() else 'stopped'}>"


def start_demo_web() -> DemoWeb:
    """Serve the demo web until :meth:`DemoWeb.stop` is called or the program ends.

    Example:
        >>> from corpuskit import demo
        >>> web = demo.start_demo_web()
        >>> web.proxy.startswith("http://127.0.0.1:")
        True
        >>> web.stop()
    """
    return DemoWeb()


@contextmanager
def serve_demo_web() -> Iterator[str]:
    """Serve the demo web on a free port of 127.0.0.1, and yield the URL of the proxy."""
    web = DemoWeb()
    try:
        yield web.proxy
    finally:
        web.stop()


def _handler(root: Path) -> type[BaseHTTPRequestHandler]:
    # Requests are looked up in this table, so a path of a request never reaches the file system.
    files = {"/" + file.relative_to(root).as_posix(): file for file in root.rglob("*") if file.is_file()}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16  # headers and body in one packet, so that a page does not wait for an acknowledgement

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            host = (url.hostname or self.headers.get("Host", "").partition(":")[0]).lower()
            path = unquote(url.path) or "/"
            file = files.get(f"/{host}{path}index.html" if path.endswith("/") else f"/{host}{path}")
            if file is None:
                self._answer(404, "text/html", b"<!DOCTYPE html><title>Not found</title><h1>Not found</h1>")
            else:
                self._answer(200, _TYPES.get(file.suffix, "application/octet-stream"), file.read_bytes())

        def _answer(self, status: int, media_type: str, body: bytes) -> None:
            self.send_response_only(status)
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler
