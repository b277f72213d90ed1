"""A small world with two topics, written for these tests."""

from __future__ import annotations

import numpy as np
import pytest

from corpuskit.relevance import RelevanceModel, train

SEA, LAW, PLAIN = (
    words.split()
    for words in (
        "sea ship harbour fish sailor tide anchor wave island storm boat captain net coast whale lighthouse",
        "court law judge tax contract statute appeal clause lawyer verdict trial fee treaty crime witness oath",
        "day people time year thing place story question morning number hand house water word road night",
    )
)


def write(topic: list[str], random: np.random.RandomState, length: int = 30) -> str:
    words = [*random.choice(topic, length // 3), *random.choice(PLAIN, length - length // 3)]
    random.shuffle(words)
    return " ".join(words)


@pytest.fixture(scope="session")
def world() -> tuple[list[str], list[str]]:
    """400 texts, every fifth about the sea, and their labels."""
    random = np.random.RandomState(7)
    labels = ["relevant" if i % 5 == 0 else "other" for i in range(400)]
    return [write(SEA if label == "relevant" else LAW, random) for label in labels], labels


@pytest.fixture(scope="session")
def model(world: tuple[list[str], list[str]]) -> RelevanceModel:
    texts, labels = world
    return train(texts[:30], labels[:30], pool=texts)


@pytest.fixture(scope="session")
def url_model(links: tuple[list[str], list[str]]) -> RelevanceModel:
    urls, labels = links
    return train(urls[:60], labels[:60], pool=urls, kind="url")


@pytest.fixture(scope="session")
def links() -> tuple[list[str], list[str]]:
    """300 URLs of 30 hosts; those under /sea/ are relevant."""
    urls, labels = [], []
    for i in range(300):
        topic = "sea" if i % 3 == 0 else "law"
        urls.append(f"https://www.site{i % 30}.example/{topic}/{PLAIN[i % 16]}-{i}.html")
        labels.append("relevant" if topic == "sea" else "other")
    return urls, labels
