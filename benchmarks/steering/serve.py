"""Serve the web of a topic on 127.0.0.1, for a bounded time.

    python serve.py DIR/TOPIC --port 0 --seconds 600 --log access.tsv

A proxy for http://*.test (http_proxy=http://127.0.0.1:PORT), or by Host header; other hosts and CONNECT are refused (403). Every site has
a /robots.txt, some a Crawl-delay or a /sitemap.xml; pages carry an ETag (304) and are gzipped for clients that accept it. Traps, listed in
the topic file, make their pages up as they are asked for. Ends when its time is up, on SIGTERM, or when the process that started it has.

Access log, tab-separated: time, method, host, path with query, status, bytes, User-Agent, If-None-Match.
"""

import argparse
import asyncio
import gzip
import html
import json
import os
import signal
import sqlite3
import time
from pathlib import Path
from typing import TextIO
from urllib.parse import quote, unquote

import topic as topics
from aiohttp import web
from score import COLUMNS

HTML = {"Content-Type": "text/html; charset=utf-8"}


def simple_page(title: str, text: str, links: list[tuple[str, str]]) -> str:
    rows = "".join(f'<li><a href="{html.escape(href)}">{html.escape(name)}</a></li>' for href, name in links)
    title = html.escape(title)
    head = f"<!DOCTYPE html><html><head><title>{title}</title></head>"
    return f"{head}<body><h1>{title}</h1><p>{html.escape(text)}</p><ul>{rows}</ul></body></html>"


class Site:
    """Answers for all hosts of one topic.

    Args:
        folder: what build.py made.
        log: gets a line a request.
    """

    def __init__(self, folder: Path, log: TextIO):
        self.topic = topics.load(folder / "topic.py")
        self.robots = json.loads((folder / "gold.json").read_text())["robots"]
        self.base = sqlite3.connect(f"file:{folder / 'web.sqlite'}?mode=ro", uri=True)
        self.log = log
        self.log.write("\t".join(COLUMNS) + "\n")

    async def handle(self, request: web.BaseRequest) -> web.Response:
        arrived, host = time.time(), (request.host or "").split(":")[0].lower()
        response = self.answer(request, host)
        size = len(response.body) if isinstance(response.body, bytes) else 0
        agent, etag = request.headers.get("User-Agent", ""), request.headers.get("If-None-Match", "")
        row = [f"{arrived:.4f}", request.method, host, request.path_qs, response.status, size, agent, etag]
        self.log.write("\t".join(str(field).replace("\t", " ") for field in row) + "\n")
        return response

    def answer(self, request: web.BaseRequest, host: str) -> web.Response:
        path, site = unquote(request.rel_url.raw_path) or "/", host.removesuffix(".test")
        if request.method not in {"GET", "HEAD"} or not host.endswith(".test"):
            return web.Response(status=403, text="this proxy serves *.test only")
        if path == "/robots.txt":
            line = f"Sitemap: http://{host}/sitemap.xml\n" if site in self.topic.SITEMAPS else ""
            return web.Response(text=self.robots.get(host, "") + line)
        if site in self.topic.TRAPS:
            return self.trap(site, path, request.query_string)
        if path == "/sitemap.xml" and site in self.topic.SITEMAPS:
            return self.sitemap(host)
        return self.page(request, f"http://{host}{path}")

    def trap(self, site: str, path: str, query: str) -> web.Response:
        try:
            title, text, links = self.topic.TRAPS[site](path, query)
        except (ValueError, IndexError, KeyError):
            return web.Response(status=404, text="not found")
        return web.Response(text=simple_page(title, text, links), headers=HTML)

    def sitemap(self, host: str) -> web.Response:
        found = self.base.execute("SELECT url FROM pages WHERE url GLOB ? ORDER BY url", (f"http://{host}/*",))
        rows = "\n".join(f"<url><loc>{html.escape(quote(url, safe=':/'))}</loc></url>" for (url,) in found)
        head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        return web.Response(text=f"{head}\n{rows}\n</urlset>\n", content_type="application/xml")

    def page(self, request: web.BaseRequest, url: str) -> web.Response:
        url += "index.html" if url.endswith("/") else ""
        row = self.base.execute("SELECT body, charset, etag FROM pages WHERE url = ?", (url,)).fetchone()
        if row is None:
            return web.Response(status=404, text=simple_page("Not found", url, []), headers=HTML)
        body, charset, etag = row
        headers = {"Content-Type": f"text/html; charset={charset}", "ETag": f'"{etag}"', "Vary": "Accept-Encoding"}
        if request.headers.get("If-None-Match") == f'"{etag}"':
            return web.Response(status=304, headers=headers)
        if "gzip" in request.headers.get("Accept-Encoding", ""):
            return web.Response(body=body, headers=headers | {"Content-Encoding": "gzip"})
        return web.Response(body=gzip.decompress(body), headers=headers)


async def run(folder: Path, port: int, seconds: float, log: TextIO) -> None:
    runner = web.ServerRunner(web.Server(Site(folder, log).handle))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    stop, parent, end = asyncio.Event(), os.getppid(), time.monotonic() + seconds
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    print(f"serving {folder} on http://127.0.0.1:{runner.addresses[0][1]} for {seconds:g} s", flush=True)
    while not stop.is_set() and time.monotonic() < end and os.getppid() == parent:
        try:
            await asyncio.wait_for(stop.wait(), min(1.0, end - time.monotonic()))
        except TimeoutError:
            continue
    await runner.cleanup()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a topic's folder, as build.py made it")
    parser.add_argument("--port", type=int, default=8899, help="0 = any free one, printed at the start (default: 8899)")
    parser.add_argument("--seconds", type=float, default=600, help="ends by itself after so long (default: 600)")
    parser.add_argument(
        "--log", type=Path, default=Path("access.tsv"), help="access log, written anew (default: access.tsv)"
    )
    options = parser.parse_args()
    with options.log.open("w", buffering=1) as log:
        asyncio.run(run(options.folder, options.port, options.seconds, log))


if __name__ == "__main__":
    main()
