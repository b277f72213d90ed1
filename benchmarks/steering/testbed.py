"""The web of a topic while it is built: pages of the packages, links between them, hubs that mix the themes."""

import html
import random
import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

import pages as html_pages
from packages import html_files

OPENING = 160  # characters of a page's text that a hub shows after its link


class Outside(NamedTuple):
    """A link to the internet that leads to the local copy of that site, if it has a page of that name."""

    site: str
    name: str


@dataclass(slots=True)
class Page:
    """A page of the web; a hub has no file, and its links have texts."""

    url: str
    title: str
    opening: str = ""
    gold: int | None = None
    file: Path | None = None
    links: list[str | Outside] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)

    @property
    def site(self) -> str:
        return urlsplit(self.url).netloc.removesuffix(".test")


def gold_of(topic: ModuleType, site: str, path: str) -> int | None:
    """Return 1 for relevant, 0 for not, None for ambiguous: the first rule of the site that matches, else the site's own value."""
    for pattern, value in topic.RULES.get(site, ()):
        if re.search(pattern, path):
            return value
    return int(site in topic.RELEVANT_SITES)


def target(topic: ModuleType, base: str, href: str) -> str | Outside | None:
    """Return where a link leads, whether it is served or not; None for what can never be."""
    try:
        url = urlsplit(urljoin(base, href).split("#")[0])
    except ValueError:
        return None
    host = url.netloc.lower()
    if url.scheme not in {"http", "https"}:
        return None
    if host.endswith(".test"):
        return f"http://{host}{url.path or '/'}"
    for pattern, site in topic.EXTERNAL:
        if re.fullmatch(pattern, host) or re.match(pattern, host + url.path):
            return Outside(site, url.path.rsplit("/", 1)[-1] or "index.html")
    return None


def with_index(url: str) -> str:
    return url + "index.html" if url.endswith("/") else url


def read_site(topic: ModuleType, site: str, root: Path) -> list[Page]:
    """Return the pages kept of one site: breadth-first from its start pages up to its cap.

    In a site that is not relevant as a whole, up to RELEVANT_FIRST relevant pages go to the head of the queue.
    """
    starts, files = topic.SITES[site][2], html_files(root)
    queue = deque(f"/{start}" for start in starts) if starts else deque(sorted(files)[:60])
    mixed, jumps = site not in topic.RELEVANT_SITES, topic.RELEVANT_FIRST
    seen, kept, home = set(queue), [], f"http://{site}.test"
    while queue and len(kept) < topic.CAPS.get(site, topic.CAP):
        path = queue.popleft()
        parsed = html_pages.parse(html_pages.read(files[path])) if path in files else None
        if parsed is None:
            continue
        page = Page(home + path, parsed.title, parsed.text[:OPENING], gold_of(topic, site, path), files[path])
        kept.append(page)
        for href in parsed.hrefs:
            link = target(topic, page.url, href)
            if link is None or link == page.url:
                continue
            page.links.append(link)
            if isinstance(link, Outside) or not link.startswith(f"{home}/"):
                continue
            other = with_index(unquote(link[len(home) :]))
            if other not in seen and other in files:
                seen.add(other)
                if mixed and jumps > 0 and gold_of(topic, site, other):
                    jumps -= 1
                    queue.appendleft(other)
                else:
                    queue.append(other)
    return kept


class Web:
    """All pages of a topic, by URL; made from the pages of its sites in the order of the topic file."""

    def __init__(self, topic: ModuleType, kept: Iterable[Page]):
        self.topic = topic
        self.pages = {page.url: page for page in kept}
        self.by_name: dict[str, dict[str, str]] = defaultdict(dict)  # site -> {last part of the path: URL}
        for page in self.pages.values():
            self.by_name[page.site].setdefault(page.url.rsplit("/", 1)[-1], page.url)
        for page in self.pages.values():
            found = (self.served(link) for link in page.links)
            page.links = list(dict.fromkeys(url for url in found if url and url != page.url))
        self.weave_hubs()

    def served(self, link: str | Outside | None) -> str | None:
        """Return the page a link stands for, or None if it is not in the web."""
        if link is None:
            return None
        if isinstance(link, Outside):
            names = self.by_name.get(link.site, {})
            return names.get(link.name) or names.get(f"{link.name}.html")
        url = with_index(unquote(link))
        return url if url in self.pages else None

    def rewritten(self, url: str) -> tuple[bytes, str]:
        """Return a page as it is served, and its charset."""
        page = self.pages[url]
        if page.file is None:
            return hub_html(page).encode(), "utf-8"
        raw = html_pages.read(page.file)

        def leads_to(href: str) -> str | None:
            link = target(self.topic, url, href)
            local = self.served(link)
            return local if local is None or isinstance(link, Outside) else ""

        return html_pages.rewrite(raw, leads_to), html_pages.charset_of(raw)

    def reachable(self, allowed: Callable[[str], bool]) -> set[str]:
        """Return the pages a crawler that keeps to robots.txt can reach from the seeds."""
        seen, queue = set(self.topic.SEEDS), deque(self.topic.SEEDS)
        while queue:
            for link in self.pages[queue.popleft()].links:
                if isinstance(link, str) and link in self.pages and link not in seen and allowed(link):
                    seen.add(link)
                    queue.append(link)
        return seen

    def weave_hubs(self) -> None:
        """Add a directory and a blog, drawn by the topic's own seed: links to pages of all sites, a part of them off their theme."""
        hubs, themes, draw = self.topic.HUBS, self.topic.THEMES, random.Random(self.topic.HUBS["seed"])
        of_site: dict[str, list[str]] = defaultdict(list)
        for url, page in self.pages.items():
            of_site[page.site].append(url)
        everywhere = list(of_site)
        traps = [(address, text, every) for text, address, every in hubs["traps"]]

        def draw_url(theme: str, on_theme: float) -> str:
            site = draw.choice(themes[theme]) if draw.random() < on_theme else draw.choice(everywhere)
            return draw.choice(of_site[site])

        def add(host: str, path: str, title: str, urls: Iterable[str], others: Iterable[tuple[str, str]] = ()) -> str:
            hub = Page(f"http://{host}.test{path}", title)
            shown = (
                (url, (self.pages[url].title or urlsplit(url).path)[:100], self.pages[url].opening) for url in urls
            )
            named = [(url, text, f"{text}: {opening}") for url, text, opening in shown]
            named += [(url, text, "") for url, text in others]
            hub.links, hub.texts = [url for url, *_ in named], [(text, after) for _, text, after in named]
            self.pages[hub.url] = hub
            return hub.url

        about, lists = hubs["directory"], []
        for theme, sites in themes.items():
            for number in range(about["pages_per_theme"]):
                urls = [of_site[site][0] for site in sites] if number == 0 else []
                while len(urls) < about["links"]:
                    urls.append(draw_url(theme, about["on_theme"]))
                urls = list(dict.fromkeys(urls))
                draw.shuffle(urls)
                title = f"{about['title']}: {theme}, page {number}"
                lists.append((add(about["host"], f"/{theme}/{number}.html", title, urls), f"{theme} {number}"))
        about, posts = hubs["blog"], []
        for number in range(about["posts"]):
            theme = draw.choice(list(themes))
            urls = [draw_url(theme, about["on_theme"]) for _ in range(draw.randint(*about["links"]))]
            trap = next(([(address, text)] for address, text, every in traps if number % every == 0), [])
            path, title = f"/{2015 + number % 9}/{1 + number % 12:02d}/post-{number}.html", f"{about['title']} {number}"
            posts.append((add(about["host"], path, title, dict.fromkeys(urls), trap), title))
        for start in range(0, len(posts), 20):
            older = (
                [(f"http://{about['host']}.test/page{start // 20 + 1}.html", "older posts")]
                if start + 20 < len(posts)
                else []
            )
            add(
                about["host"],
                f"/page{start // 20}.html",
                f"{about['archive']} {start // 20}",
                [],
                posts[start : start + 20] + older,
            )
        draw.shuffle(lists)
        home = [
            (f"http://{about['host']}.test/page0.html", about["name"]),
            *((address, text) for address, text, _ in traps),
        ]
        add(hubs["directory"]["host"], "/index.html", hubs["directory"]["home"], [], lists + home)


def hub_html(page: Page) -> str:
    rows = "".join(
        f'<li><a href="{html.escape(str(url))}">{html.escape(text)}</a> {html.escape(after)}</li>\n'
        for url, (text, after) in zip(page.links, page.texts, strict=True)
    )
    title = html.escape(page.title)
    return (
        f"<!DOCTYPE html>\n<html lang=en><head><title>{title}</title></head><body><h1>{title}</h1>\n"
        f"<ul class=links>\n{rows}</ul></body></html>\n"
    )
