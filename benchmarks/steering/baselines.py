"""Crawlers to be compared with, run against serve.py as corpuskit is.

    breadth-first   first found, first fetched
    host turns      breadth-first with a turn a host
    best parent     by the best score of a page that links there
    mean parent     by the mean score of the pages that link there

The last two fetch a warm-up in host turns, then score pages by a classifier trained on the analyst's labels: 40 pages with most key words
and 40 at random, then 12 more every 400 pages while the budget lasts. All obey robots.txt; a Crawl-delay is kept, there is no other delay.
"""

import asyncio
import random
import re
import time
from collections import Counter
from typing import Any
from urllib.parse import urljoin, urlsplit

import aiohttp
from analyst import Analyst
from score import Robots
from selectolax.lexbor import LexborHTMLParser

ORDERS = ("breadth-first", "host turns", "best parent", "mean parent")
BATCH, EVERY, LABELS_A_ROUND, FIRST_LABELS = 10, 400, 12, 40
USER_AGENT = "corpuskit-bench-baseline"
LINKS = "a[href], area[href], frame[src], iframe[src]"


class Classifier:
    """P(relevant) of a page from its words: logistic regression on hashed counts."""

    def __init__(self) -> None:
        from sklearn.feature_extraction.text import HashingVectorizer

        self.vectorizer = HashingVectorizer(n_features=2**18, alternate_sign=False)
        self.model: Any = None

    def train(self, texts: list[str], labels: list[bool]) -> None:
        from sklearn.linear_model import LogisticRegression

        if len(set(labels)) == 2:
            vectors = self.vectorizer.transform(texts).sqrt()
            self.model = LogisticRegression(C=30, class_weight="balanced", max_iter=300).fit(vectors, labels)

    def score(self, texts: list[str]) -> list[float]:
        if self.model is None or not texts:
            return [0.0] * len(texts)
        return self.model.predict_proba(self.vectorizer.transform(texts).sqrt())[:, 1].tolist()


class Fetcher:
    """Fetches pages through the proxy, as robots.txt allows.

    Args:
        session: of aiohttp.
        proxy: where serve.py listens.
    """

    def __init__(self, session: aiohttp.ClientSession, proxy: str):
        self.session, self.proxy = session, proxy
        self.robots: dict[str, Robots] = {}
        self.next_time: dict[str, float] = {}

    async def get(self, url: str) -> tuple[bytes, str]:
        async with self.session.get(url, proxy=self.proxy) as answer:
            return (await answer.read() if answer.status == 200 else b""), answer.charset or "utf-8"

    async def page(self, url: str) -> tuple[str, list[str]] | None:
        """Return text and links of a page, empty after an error; None where robots.txt forbids it."""
        host = urlsplit(url).netloc
        try:
            if host not in self.robots:
                body, _ = await self.get(f"http://{host}/robots.txt")
                self.robots[host] = Robots({host: body.decode("utf-8", "replace")})
            if not self.robots[host].allowed(url):
                return None
            start = max(time.monotonic(), self.next_time.get(host, 0))
            self.next_time[host] = start + self.robots[host].delays.get(host, 0)
            await asyncio.sleep(max(0, start - time.monotonic()))
            body, charset = await self.get(url)
        except (aiohttp.ClientError, TimeoutError):
            return "", []
        return text_and_links(body[:400_000].decode(charset, "replace"), url)


def text_and_links(page: str, url: str) -> tuple[str, list[str]]:
    """Return the words a page is judged by, its title three times before its opening, and its links into the web."""
    tree, links = LexborHTMLParser(page), []
    for node in tree.css(LINKS):
        href = node.attributes.get("href") or node.attributes.get("src") or ""
        if not href or href.startswith(("#", "javascript:", "mailto:")):
            continue
        try:
            link = urljoin(url, href.strip()).split("#")[0]
            parts = urlsplit(link)
        except ValueError:
            continue
        if parts.scheme in {"http", "https"} and parts.netloc.endswith(".test"):
            links.append(link)
    title, body = tree.css_first("title"), tree.body
    text = body.text(separator=" ") if body else ""
    return ((title.text() + " ") * 3 if title else "") + text[:3000], list(dict.fromkeys(links))


class Frontier:
    """URLs found and not fetched, in the order of their discovery, with what the pages that link there scored."""

    def __init__(self, seeds: list[str]):
        self.waiting: dict[str, None] = dict.fromkeys(seeds)
        self.known = set(seeds)
        self.taken: Counter[str] = Counter()
        self.forget_scores()

    def forget_scores(self) -> None:
        self.best: dict[str, float] = {}
        self.total: Counter[str] = Counter()
        self.parents: Counter[str] = Counter()

    def add(self, links: list[str]) -> None:
        for link in links:
            if link not in self.known:
                self.known.add(link)
                self.waiting[link] = None

    def pass_on(self, score: float, links: list[str]) -> None:
        for link in links:
            self.best[link] = max(self.best.get(link, 0.0), score)
            self.total[link] += score
            self.parents[link] += 1

    def take(self, order: str, count: int) -> list[str]:
        urls = list(self.waiting)
        if order == "host turns":
            first: dict[str, str] = {}
            for url in urls:
                first.setdefault(urlsplit(url).netloc, url)
            urls = [first[host] for host in sorted(first, key=lambda host: self.taken[host])]
        elif order == "best parent":
            urls.sort(key=lambda url: -self.best.get(url, 0.0))
        elif order == "mean parent":
            urls.sort(key=lambda url: -self.total[url] / max(1, self.parents[url]))
        for url in urls[:count]:
            del self.waiting[url]
            self.taken[urlsplit(url).netloc] += 1
        return urls[:count]


class Crawl:
    """One run of a baseline.

    Args:
        order: one of ORDERS.
        gold: the content of gold.json; only its seeds and keywords are read, the rest is the analyst's.
        analyst: gives the labels.
        warm_up: pages before the first labels.
        seed: of the random choices.
    """

    def __init__(self, order: str, gold: dict[str, Any], analyst: Analyst, *, warm_up: int, seed: int):
        self.order, self.learns, self.warm_up = order, order.endswith("parent"), warm_up
        self.keywords, self.random = re.compile(gold["keywords"], re.IGNORECASE), random.Random(seed)
        self.analyst, self.frontier = analyst, Frontier(gold["seeds"])
        self.classifier = Classifier() if self.learns else None
        self.fetched: dict[str, tuple[str, list[str]]] = {}
        self.scores: dict[str, float] = {}
        self.labelled: dict[str, bool] = {}

    def to_label(self) -> list[str]:
        """Return what to ask the analyst: at first by key words and at random, later near the border and among the relevant."""
        if not self.labelled:
            hits = sorted(self.fetched, key=lambda url: -len(self.keywords.findall(self.fetched[url][0])))
            return hits[:FIRST_LABELS] + self.random.sample(list(self.fetched), min(FIRST_LABELS, len(self.fetched)))
        rest = [url for url in self.fetched if url not in self.labelled]
        unsure = sorted(rest, key=lambda url: abs(self.scores.get(url, 0) - 0.5))[:FIRST_LABELS]
        high = [url for url in rest if self.scores.get(url, 0) > 0.5]
        return self.random.sample(unsure, min(8, len(unsure))) + self.random.sample(high, min(4, len(high)))

    def learn(self) -> None:
        for url in self.to_label():
            if answer := self.analyst.label(url):
                self.labelled[url] = answer == "relevant"
        self.classifier.train([self.fetched[url][0] for url in self.labelled], list(self.labelled.values()))
        self.scores = dict(
            zip(self.fetched, self.classifier.score([text for text, _ in self.fetched.values()]), strict=True)
        )
        self.frontier.forget_scores()
        for url, (_, links) in self.fetched.items():
            self.frontier.pass_on(self.scores[url], links)

    async def run(self, pages: int, proxy: str) -> int:
        """Fetch so many pages; return how many there were."""
        next_labels = self.warm_up
        options = {"headers": {"User-Agent": USER_AGENT}, "timeout": aiohttp.ClientTimeout(total=60)}
        async with aiohttp.ClientSession(**options) as session:
            fetcher = Fetcher(session, proxy)
            while self.frontier.waiting and len(self.fetched) < pages:
                order = "host turns" if self.learns and len(self.fetched) < self.warm_up else self.order
                batch = self.frontier.take(order, min(BATCH, pages - len(self.fetched)))
                answers = await asyncio.gather(*map(fetcher.page, batch))
                new = {url: answer for url, answer in zip(batch, answers, strict=True) if answer is not None}
                self.fetched |= new
                scores = self.classifier.score([text for text, _ in new.values()]) if self.learns else [0.0] * len(new)
                self.scores |= dict(zip(new, scores, strict=True))
                for url, (_, links) in new.items():
                    self.frontier.add(links)
                    self.frontier.pass_on(self.scores[url], links)
                if self.learns and len(self.fetched) >= next_labels and self.analyst.left > 0:
                    self.learn()
                    next_labels = len(self.fetched) + EVERY
        return len(self.fetched)
