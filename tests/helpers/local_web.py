"""Web server on loopback for crawler tests, addressed as an HTTP proxy."""

import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


class LocalWeb:
    """A web on loopback, reached as an HTTP proxy: URL → bytes, or a function of the request that gives an answer.

    A function gets the handler and returns (status, headers, body).
    """

    def __init__(self):
        self.pages = {}
        self.log = []
        web = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 1 << 16

            def do_GET(self):
                url = self.path if "://" in self.path else f"http://{self.headers['Host']}{self.path}"
                web.log.append(url)
                page = web.pages.get(url)
                if page is None:
                    status, headers, body = 404, {}, b"not found"
                elif callable(page):
                    status, headers, body = page(self)
                else:
                    status, headers, body = 200, {"Content-Type": "text/html; charset=utf-8"}, page
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if "Content-Length" not in headers:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.proxy = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def add(self, url, text="", links=(), title="Page"):
        """A page with a paragraph and links."""
        anchors = "".join(f'<p><a href="{link}">{link}</a></p>' for link in links)
        body = f"<!DOCTYPE html><html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p>{anchors}</body></html>"
        self.pages[url] = body.encode()

    @property
    def fetched(self):
        """How often each page was asked for, robots.txt left out."""
        return Counter(url for url in self.log if urlsplit(url).path != "/robots.txt")

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
