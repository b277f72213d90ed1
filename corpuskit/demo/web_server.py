"""Serves the demo web on loopback, as an HTTP proxy for its hosts."""

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
    """Return the folder of the demo's data: in the package of an installed corpuskit, else in the checkout.

    Raises:
        SourceError: it is in neither place.
    """
    package = Path(__file__).resolve().parent
    for folder in (package / "data", package.parents[1] / "data" / "demo"):
        if (folder / "seeds.txt").exists():
            return folder
    raise SourceError("the demo's data is not there; install corpuskit from its wheel or use a checkout")


class DemoWeb:
    """The demo's web, served on a free port of 127.0.0.1 until it is stopped; :func:`start_demo_web` gives it.

    Attributes:
        proxy: URL of the proxy behind which the web lies.
    """

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(demo_data() / "web"))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        self.proxy = f"http://127.0.0.1:{self._server.server_address[1]}"

    def stop(self) -> None:
        """Stop it. A second call does nothing."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()

    def __repr__(self) -> str:
        return f"<the demo's web, {f'behind {self.proxy}' if self._thread.is_alive() else 'stopped'}>"


def start_demo_web() -> DemoWeb:
    """Serve the demo's web until :meth:`DemoWeb.stop` is called, or the program ends.

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
    """Serve ``data/demo/web`` on a free port of 127.0.0.1, and yield the proxy's URL."""
    web = DemoWeb()
    try:
        yield web.proxy
    finally:
        web.stop()


def _handler(root: Path) -> type[BaseHTTPRequestHandler]:
    # Only what is there is served: a path of a request never reaches the file system.
    files = {"/" + file.relative_to(root).as_posix(): file for file in root.rglob("*") if file.is_file()}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16  # head and body in one packet; else each page waits for an acknowledgement

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
