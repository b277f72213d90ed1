"""CPU of a crawl's own process per page, beside bare aiohttp with link parsing, and Scrapy.

    uv run --with scrapy python benchmarks/crawl_throughput.py [--pages 1500] [--rounds 3]

A server in another process gives pages of about 20 kB with 40 links; no delay. corpuskit stores each page (WARC, catalogue,
frontier) to be extracted later; once more with extraction in worker processes beside it, whose CPU is not counted. Scrapy
follows links and stores nothing. They run in turn; prints CPU milliseconds a page, the median of the rounds, and ratios to
bare aiohttp. The start of a process is not counted: a short run is taken off.
"""

import argparse
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SERVER = """
import sys
from aiohttp import web
pages = int(sys.argv[1])
text = "<p>" + "the insurer pays for damage by water when a river rises over its banks " * 12 + "</p>"
async def page(request):
    name = request.path.strip("/")
    n = int(name) if name.isdigit() else 0
    if name == "robots.txt":
        return web.Response(status=404)
    links = "".join(f'<p><a href="/{(n * 7 + k * 13 + 1) % pages}">page {k}</a> and more</p>' for k in range(38))
    links += f'<a href="/{(n + 1) % pages}">next</a><a href="/{(n * 2 + 1) % pages}">other</a>'
    body = f"<html><head><title>Page {n}</title></head><body><h1>Page {n}</h1>{text * 18}{links}</body></html>"
    return web.Response(text=body, content_type="text/html")
async def start(app):
    print("ready", flush=True)
app = web.Application()
app.router.add_get("/{name:.*}", page)
app.on_startup.append(start)
web.run_app(app, host="127.0.0.1", port=int(sys.argv[2]), print=None, access_log=None)
"""
OURS = """
import sys, resource, json, tempfile, corpuskit
corpus = corpuskit.open(tempfile.mkdtemp() + "/c")
job = corpus.crawl(sys.argv[1], delay=0, pages=int(sys.argv[2]), extract=EXTRACT, traps=False).wait(progress=False)
usage = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([usage.ru_utime + usage.ru_stime, job.progress.pages]))
"""
BARE = """
import asyncio, sys, resource, json, aiohttp
from corpuskit.sources.web import find_links
async def main(seed, most):
    seen, queue, done = {seed}, [seed], 0
    async with aiohttp.ClientSession() as session:
        async def one(url):
            async with session.get(url) as response:
                return find_links(await response.read(), url).links
        while queue and done < most:
            batch, queue = queue[:16], queue[16:]
            for links in await asyncio.gather(*map(one, batch[: most - done])):
                done += 1
                for link in links:
                    if link.url not in seen:
                        seen.add(link.url)
                        queue.append(link.url)
    return done
done = asyncio.run(main(sys.argv[1], int(sys.argv[2])))
usage = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([usage.ru_utime + usage.ru_stime, done]))
"""
SCRAPY = """
import sys, resource, json, logging, scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
logging.disable(logging.CRITICAL)
class Spider(scrapy.Spider):
    name = "bench"
    start_urls = [sys.argv[1]]
    done = 0
    def parse(self, response):
        Spider.done += 1
        for link in LinkExtractor().extract_links(response):
            yield scrapy.Request(link.url, callback=self.parse)
process = CrawlerProcess({"LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False, "CLOSESPIDER_PAGECOUNT": int(sys.argv[2]),
                          "CONCURRENT_REQUESTS": 16, "CONCURRENT_REQUESTS_PER_DOMAIN": 16, "DOWNLOAD_DELAY": 0})
process.crawl(Spider)
process.start()
usage = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([usage.ru_utime + usage.ru_stime, Spider.done]))
"""


def run(code: str, url: str, pages: int) -> float:
    """CPU milliseconds a page, the start of the process and its imports left out by a run of one page."""

    def once(most: int) -> tuple[float, int]:
        with tempfile.TemporaryDirectory() as folder:  # Scrapy reads the source of its spider
            script = Path(folder) / "bench.py"
            script.write_text(code, "utf-8")
            command = [sys.executable, str(script), url, str(most)]
            out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        return tuple(json.loads(out.stdout.strip().splitlines()[-1]))

    (short, few), (long, many) = once(50), once(pages)
    return (long - short) / (many - few) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--port", type=int, default=8931)
    options = parser.parse_args()
    command = [sys.executable, "-c", SERVER, str(options.pages * 2), str(options.port)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout.readline() == "ready\n"
        time.sleep(0.3)
        systems = {
            "corpuskit": OURS.replace("EXTRACT", "False"),
            "aiohttp and links": BARE,
            "corpuskit, extracting": OURS.replace("EXTRACT", "True"),
        }
        if importlib.util.find_spec("scrapy"):
            systems["scrapy"] = SCRAPY
        url = f"http://127.0.0.1:{options.port}/0"
        cost = {name: [] for name in systems}
        for _ in range(options.rounds):
            for name, code in systems.items():
                cost[name].append(run(code, url, options.pages))
        base = cost["aiohttp and links"]
        for name, values in cost.items():
            ratio = statistics.median(a / b for a, b in zip(values, base, strict=True))
            print(f"{name:22s} {statistics.median(values):6.2f} ms a page, ratio {ratio:.2f}")
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
