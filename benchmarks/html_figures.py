"""Prints the figures of MODEL.md, and writes them there.

    uv run python benchmarks/html_figures.py                  # the pages written for this project, by the shipped model
    uv run --with lightgbm --with rapidfuzz python benchmarks/html_figures.py --data DIR --folds OUT
    ... --write                                                # puts what was printed into MODEL.md

``--data`` holds ``articles``, ``snippets`` and ``web``, each with gold.json and pages/ID.html.gz; ``--folds`` what
``html_train.py --folds`` wrote. The measures are those of the sets: F1 of runs of four words for articles, of wanted and
unwanted snippets, and of words for the rest; a page without any text counts as 0.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from corpuskit.errors import ExtractionError
from corpuskit.extraction import ExtractOptions
from corpuskit.extraction.html import forest
from corpuskit.extraction.html.extract import extract_page

CARD = Path(forest.__file__).parent / "MODEL.md"
SAMPLE = Path(__file__).parents[1] / "tests" / "gate" / "html"
TYPES = ("forum", "listing", "collection", "product", "service", "documentation", "article")
_WORD = re.compile(r"\w+")

Read = Callable[[bytes, str | None, str], str]
"""The page, its address, its name → its main text."""


class FirstLook(forest.Model):
    """A model that leaves out the second look."""

    def probabilities(self, blocks: object, matrix: Any) -> Any:
        """What the first forest says."""
        return 1 / (1 + np.exp(-self.first.log_odds(matrix))) if len(matrix) else np.zeros(0)


def first_look(model: forest.Model) -> forest.Model:
    """The model without its second look."""
    return FirstLook(**{field.name: getattr(model, field.name) for field in fields(forest.Model)})


def main_text(raw: bytes, uri: str | None, model: forest.Model) -> str:
    """The main text of a page."""
    try:
        document = extract_page(raw, uri=uri, options=ExtractOptions(), charset=None, model=model)
    except ExtractionError:
        return ""
    return document.to_text(main=True)


def f1(found: int, right: int, wanted: int) -> tuple[float, float, float]:
    """F1, precision and recall."""
    precision, recall = right / max(found, 1), right / max(wanted, 1)
    return 2 * right / (found + wanted) if found + wanted else 1.0, precision, recall


def word_f1(text: str, gold: str) -> float:
    """F1 of words."""
    found, wanted = Counter(_WORD.findall(text.lower())), Counter(_WORD.findall(gold.lower()))
    return f1(found.total(), (found & wanted).total(), wanted.total())[0]


def score(folder: Path, read: Read) -> dict[str, float]:
    """F1 of a set, and of each type of its pages."""
    golds = json.loads((folder / "gold.json").read_text("utf-8"))
    texts = {
        name: read(gzip.decompress((folder / "pages" / f"{name}.html.gz").read_bytes()), gold.get("url"), name)
        for name, gold in sorted(golds.items())
    }
    if folder.name == "snippets":
        return {folder.name: _snippets(golds, texts)}
    if folder.name == "articles":
        return {folder.name: _articles(golds, texts)}
    scores = {name: word_f1(texts[name], gold["text"]) for name, gold in golds.items()}
    by_type = {kind: mean(scores[name] for name in golds if golds[name]["type"] == kind) for kind in TYPES}
    return {folder.name: mean(scores.values()), **by_type}


def _snippets(golds: dict[str, Any], texts: dict[str, str]) -> float:
    lines = {name: " ".join(text.split()) for name, text in texts.items()}
    right, wrong, wanted = (
        sum(" ".join(part.split()) in lines[name] for name, gold in golds.items() for part in gold["with"]),
        sum(" ".join(part.split()) in lines[name] for name, gold in golds.items() for part in gold["without"]),
        sum(len(gold["with"]) for gold in golds.values()),
    )
    return f1(right + wrong, right, wanted)[0]


def _runs(text: str) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(text)
    return Counter(tuple(words[at : at + 4]) for at in range(max(1, len(words) - 3))) if words else Counter()


def _articles(golds: dict[str, Any], texts: dict[str, str]) -> float:
    precisions, recalls = [], []
    for name, gold in golds.items():
        found, wanted = _runs(texts[name]), _runs(gold["text"])
        _, precision, recall = f1(found.total(), (found & wanted).total(), wanted.total())
        precisions += [precision] if found else []
        recalls += [recall] if wanted else []
    precision, recall = mean(precisions), mean(recalls)
    return 2 * precision * recall / (precision + recall)


def figure(value: float) -> str:
    """Three digits."""
    return f"{value:.3f}".removeprefix("0")


def row(name: str, values: dict[str, float], columns: tuple[str, ...]) -> str:
    """A row of a table."""
    return f"| {name} | " + " | ".join(figure(values[column]) for column in columns) + " |"


def sample_row() -> str:
    """The shipped model on the pages written for this project."""
    model = forest.shipped_model()
    if model is None:
        raise LookupError("the model file is absent")
    golds = json.loads((SAMPLE / "pages.json").read_text("utf-8"))
    scores: dict[str, list[float]] = {}
    for name, gold in golds.items():
        raw = (SAMPLE / "pages" / f"{name}.html").read_bytes()
        text = main_text(raw, f"https://example.org/{name}.html", model)
        scores.setdefault(gold["type"], []).append(word_f1(text, gold["text"]))
    values = {kind: mean(scores[kind]) for kind in TYPES}
    values["web"] = mean(one for kind in scores.values() for one in kind)
    return row("shipped model, own pages", values, ("web", *TYPES))


def fold_rows(data: Path, folds: Path) -> list[str]:
    """Both looks and the first alone, each page by the model that has not seen its domain."""
    import html_train as train

    models = [forest.load_model(folds / f"fold{fold}.npz") for fold in range(train.FOLDS)]
    found = []
    for label, chosen in (("both looks", models), ("the first look alone", [first_look(model) for model in models])):

        def read(raw: bytes, uri: str | None, name: str, chosen: list[forest.Model] = chosen) -> str:
            return main_text(raw, uri, chosen[train.fold_of(train.domain_of(uri, name))])

        values: dict[str, float] = {}
        for name in train.SETS:
            values |= score(data / name, read)
        found.append(row(label, values, (*train.SETS, *TYPES)))
        print(found[-1], flush=True)
    return found


def write(rows: list[str]) -> None:
    """Puts rows in the place of those of the same name."""
    text = CARD.read_text("utf-8")
    for one in rows:
        start = one[: one.index("|", 1) + 1]
        text = re.sub(rf"^{re.escape(start)}.*$", one.replace("\\", r"\\"), text, flags=re.MULTILINE)
    CARD.write_text(text, "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the three sets")
    parser.add_argument("--folds", type=Path, help="folder of the five models")
    parser.add_argument("--write", action="store_true", help="write the figures into MODEL.md")
    options = parser.parse_args()
    rows = [sample_row()]
    print(rows[0], flush=True)
    if options.data and options.folds:
        rows += fold_rows(options.data, options.folds)
    if options.write:
        write(rows)


if __name__ == "__main__":
    main()
