"""How fast relevance is, as ratios to TF-IDF + logistic regression in the same run.

    uv run python benchmarks/relevance_speed.py [--pool 100000] [--urls 1000000]

Prints CPU seconds and ratios: scoring documents, scoring URLs, training on 200 labels, fitting and refreshing a space.
The texts are made up (Zipf's law over 100,000 words), so nothing has to be downloaded.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def documents(number: int, words: int, random: np.random.RandomState) -> list[str]:
    """Made-up texts of about so many words."""
    names = np.array([f"{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{i}" for i in range(100_000)])
    drawn = np.minimum(random.zipf(1.2, number * words) - 1, len(names) - 1)
    return [" ".join(names[drawn[i * words : (i + 1) * words]]) for i in range(number)]


def addresses(number: int, random: np.random.RandomState) -> list[str]:
    """Made-up URLs of 5,000 hosts."""
    hosts, folders, pages = (
        random.randint(0, 5_000, number),
        random.randint(0, 50, number),
        random.randint(0, 9**9, number),
    )
    rows = zip(hosts, folders, pages, strict=True)
    return [f"https://www.site-{h}.example/section-{f}/article-{p}-about-something.html" for h, f, p in rows]


def main() -> None:
    """Measure and print."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    from corpuskit.relevance import VectorSpace, train

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pool", type=int, default=20_000)
    options.add_argument("--urls", type=int, default=200_000)
    chosen = options.parse_args()
    random = np.random.RandomState(0)

    pool = documents(2_000, 600, random)
    labels = ["relevant" if i % 5 == 0 else "other" for i in range(200)]
    peer = make_pipeline(TfidfVectorizer(), LogisticRegression(class_weight="balanced", C=10, max_iter=300))
    train(pool[:20], labels[:20], pool=pool[:50])  # imports are not what is measured
    peer.fit(pool[:200], labels)
    fit_peer = cpu(lambda: peer.fit(pool[:200], labels))
    fit_ours = cpu(lambda: train(pool[:200], labels, pool=pool))
    fit_again = cpu(lambda: train(pool[:200], labels, pool=pool))
    print(f"training, 200 labels, pool of 2,000: {fit_ours:.2f} s, {fit_ours / fit_peer:.1f} times the peer's")
    print(f"  again on the same pool: {fit_again:.2f} s, {fit_again / fit_peer:.1f} times")
    model = train(pool[:200], labels, pool=pool)
    score_peer, score_ours = cpu(lambda: peer.predict_proba(pool)), cpu(lambda: model.score(pool))
    print(f"scoring documents: {2_000 / score_ours:,.0f} a second, {score_peer / score_ours:.1f} times the peer's")

    urls = addresses(chosen.urls, random)
    url_model = train(urls[:200], labels, pool=urls[:2_000], kind="url")
    taken = cpu(lambda: url_model.score(urls))
    print(f"scoring URLs: {chosen.urls / taken:,.0f} a second, a million in {taken / chosen.urls * 1e6:.0f} s")

    large = documents(chosen.pool, 600, random)
    fitted = cpu(lambda: VectorSpace.fit(large))
    print(f"a space of {chosen.pool:,} documents: {fitted:.0f} s")


if __name__ == "__main__":
    main()
