"""Web server on loopback for crawler tests, addressed as an HTTP proxy."""

from collections import Counter
from urllib.parse import urlsplit

from loopback import LoopbackHandler, LoopbackServer


class LocalWeb(LoopbackServer):
    """A web on loopback, reached as an HTTP proxy: URL → bytes, or a function of the request that gives an answer.

    A function gets the handler and returns (status, headers, body).
    """

    def __init__(self):
        self.pages = {}
        self.log = []
        super().__init__(_Handler)
        self.proxy = self.url

    def add(self, url, text="", links=(), title="Page"):
        """A page with a paragraph and links."""
        anchors = "".join(f'<p><a href="{link}">{link}</a></p>' for link in links)
        body = f"<!DOCTYPE html><html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p>{anchors}</body></html>"
        self.pages[url] = body.encode()

    @property
    def fetched(self):
        """How often each page was asked for, robots.txt left out."""
        return Counter(url for url in self.log if urlsplit(url).path != "/robots.txt")


class _Handler(LoopbackHandler):
    wbufsize = 1 << 16

    def do_GET(self):
        url = self.path if "://" in self.path else f"http://{self.headers['Host']}{self.path}"
        self.owner.log.append(url)
        page = self.owner.pages.get(url)
        if page is None:
            status, headers, body = 404, {}, b"not found"
        elif callable(page):
            status, headers, body = page(self)
        else:
            status, headers, body = 200, {"Content-Type": "text/html; charset=utf-8"}, page
        self.answer(status, body, headers)
