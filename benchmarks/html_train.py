"""Trains the model of main content from the three development sets, and writes it with its card.

::

    uv run --no-sync --with lightgbm --with rapidfuzz python benchmarks/html_train.py --data DIR --structure DIR
    ... html_train.py --data DIR --structure DIR --folds OUT   # five models on domain-disjoint folds too, for html_plugin.py

``--data`` holds ``articles``, ``snippets`` and ``web``, each with gold.json and pages/ID.html.gz; ``--structure`` such a
folder of pages with their trees. One thread and fixed seeds: on one platform the same data give the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from urllib.parse import urlsplit

import lightgbm
import numpy as np

from corpuskit.extraction.html import features
from corpuskit.extraction.html.blocks import Blocks, blocks_of
from corpuskit.extraction.html.context import context_columns
from corpuskit.extraction.html.decode import parse
from corpuskit.extraction.html.extract import walk_page
from corpuskit.extraction.html.forest import DEPTH
from corpuskit.extraction.html.lexicon import Lexicon, name_tokens, text_tokens
from corpuskit.extraction.html.metadata import kinds_of, read_head
from corpuskit.extraction.options import ExtractOptions

FOLDS = 5
SETS = ("articles", "snippets", "web")
# A page weighs 100, but rare types of pages more; what is labelled of a snippets page weighs 25.
TYPE_WEIGHTS = {
    "article": 0.8, "forum": 1.6, "product": 1.6, "collection": 1.6, "listing": 1.6, "service": 1.1,
    "documentation": 1.6, None: 1.2, "sphinx": 1.0, "handmade": 6.0,
}  # fmt: skip
SNIPPETS_WEIGHT = 25.0
MOST_BLOCKS = 250  # of one page, drawn at random
LEAST_DOMAINS = 4  # a token of fewer domains says nothing
PRIOR = 8.0  # domains with the average share, added to each token's
TREES = 160
FAVOR = {"": 0.6, "precision": 0.25, "recall": 1.6}
FLOOR = 0.12
PARAMETERS = {
    "objective": "binary", "learning_rate": 0.09, "num_leaves": 40, "max_depth": DEPTH, "min_data_in_leaf": 50,
    "feature_fraction": 0.35, "bagging_fraction": 0.7, "bagging_freq": 1, "lambda_l2": 8, "max_bin": 63, "seed": 3,
    "num_threads": 1, "deterministic": True, "force_row_wise": True, "verbose": -1,
}  # fmt: skip
# The second forest has less to find, and over what the first has found large leaves hold better; in those the few pages written by
# hand, the only small ones, need more weight.
SECOND_TREES = 100
SECOND_PARAMETERS = {"num_leaves": 24, "min_data_in_leaf": 100}
SECOND_HANDMADE = 3.0
WORD = re.compile(r"\w+")


@dataclass(slots=True)
class Example:
    """One page with its features and labels.

    Attributes:
        blocks: its blocks.
        static: the part of the matrix that needs no lexicon.
        share: of each block's words, how many are in the gold text; NaN where nothing is known.
        weight: of each block.
        fold: by domain.
    """

    blocks: Blocks
    static: np.ndarray
    share: np.ndarray
    weight: np.ndarray
    domain: str
    fold: int
    lexical: dict[int, np.ndarray] = field(default_factory=dict)


def domain_of(url: str | None, key: str) -> str:
    """The registered domain, so that a site never stands on both sides."""
    from courlan import extract_domain

    return extract_domain(url or "") or urlsplit(url or "").netloc or key


def fold_of(domain: str) -> int:
    return int(hashlib.sha256(domain.encode()).hexdigest(), 16) % FOLDS


def examples_of(folder: Path) -> list[Example]:
    golds = json.loads((folder / "gold.json").read_text("utf-8"))
    found = []
    for key in sorted(golds):
        gold = golds[key]
        raw = gzip.decompress((folder / "pages" / f"{key}.html.gz").read_bytes())
        url = gold.get("url")
        root = parse(raw, charset=None, uri=url)
        head = read_head(root)
        walked, _ = walk_page([root], head, url, ExtractOptions())
        blocks = blocks_of(walked)
        if not len(blocks.rows):
            continue
        static = features.matrix(features.static_columns(walked, blocks, head.title, url, kinds_of(head)))
        if "with" in gold and "text" not in gold:
            share = snippets_shares(blocks, gold)
            weight = np.full(len(share), SNIPPETS_WEIGHT / max(1, int((~np.isnan(share)).sum())))
        else:
            text = gold["text"] if "text" in gold else "\n".join(main_texts(gold["document"]["elements"]))
            share, words = text_shares(blocks.texts, text if isinstance(text, str) else " ".join(text))
            weight = (words + 1) / (words.sum() + 80) * 100 * TYPE_WEIGHTS[gold.get("type") or gold.get("set")]
        domain = domain_of(url, key)
        found.append(Example(blocks, static, share, weight, domain, fold_of(domain)))
    return found


def main_texts(elements: list[dict]) -> list[str]:
    """Texts and titles of the main elements of a gold tree, in order."""
    found = []
    for element in elements:
        text = element.get("text") or element.get("title")
        if text and element.get("main", True):
            found.append(text)
        found += main_texts(element.get("elements", []))
    return found


def text_shares(texts: list[str], gold: str) -> tuple[np.ndarray, np.ndarray]:
    """Share of each block's words in the longest common subsequence with the gold text, and how many words it has."""
    from rapidfuzz.distance import LCSseq

    tokens, owner = [], []
    for number, text in enumerate(texts):
        words = WORD.findall(text.lower())
        tokens += words
        owner += [number] * len(words)
    count = np.bincount(np.asarray(owner, int), minlength=len(texts)).astype(float)
    matched = np.zeros(len(texts))
    ids: dict[str, int] = {}
    a = [ids.setdefault(t, len(ids)) for t in tokens[:60_000]]
    b = [ids.setdefault(t, len(ids)) for t in WORD.findall(gold.lower())[:30_000]]
    owners = np.asarray(owner, int)
    for step in LCSseq.opcodes(a, b):
        if step.tag == "equal":
            matched += np.bincount(owners[step.src_start : step.src_end], minlength=len(texts))
    return matched / np.maximum(count, 1), count


def snippets_shares(blocks: Blocks, gold: dict) -> np.ndarray:
    """1 where a block holds a wanted snippet, 0 where an unwanted one, NaN elsewhere."""
    wanted = [" ".join(s.split()) for s in gold["with"]]
    unwanted = [" ".join(s.split()) for s in gold["without"]]
    share = np.full(len(blocks.texts), np.nan)
    for number, text in enumerate(blocks.texts):
        line = " ".join(text.split())
        if any(s in line for s in wanted):
            share[number] = 1
        elif any(s in line for s in unwanted):
            share[number] = 0
    return share


# ---- the lexicon: per token the mean over domains of the share of main content ----------------------------------


def page_counts(example: Example) -> tuple[dict, dict]:
    """Token of names and of texts → (main weight, weight) of the blocks it concerns."""
    known = ~np.isnan(example.share)
    share = np.where(known, example.share, 0.0)
    blocks = example.blocks
    weight = np.log1p(blocks.words) * known
    inside: dict[str, set[int]] = defaultdict(set)
    under: dict[int, list[int]] = defaultdict(list)
    for number, chain in enumerate(blocks.chain):
        for pair in set(blocks.pair[chain[chain >= 0]].tolist()):
            under[pair].append(number)
    for pair, numbers in under.items():
        for token in name_tokens(*blocks.pairs[pair]):
            inside[token].update(numbers)
    names = {}
    for token, numbers in inside.items():
        at = np.asarray(sorted(numbers))
        names[token] = (float((share[at] * weight[at]).sum()), float(weight[at].sum()))
    texts: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for number, text in enumerate(blocks.texts):
        if known[number]:
            for token in dict.fromkeys(text_tokens(text)):
                texts[token][0] += float(share[number])
                texts[token][1] += 1
    return names, texts


def domain_tables(examples: list[Example]) -> list[tuple[dict, dict]]:
    """Fold → tables of names and texts: token → (sum of the domains' shares, number of domains)."""
    domains: dict[tuple[int, str], tuple[dict, dict]] = {}
    for example in examples:
        tables = domains.setdefault((example.fold, example.domain), ({}, {}))
        for table, counts in zip(tables, page_counts(example), strict=True):
            for token, (main, total) in counts.items():
                before = table.get(token, (0.0, 0.0))
                table[token] = (before[0] + main, before[1] + total)
    folds: list[tuple[dict, dict]] = [({}, {}) for _ in range(FOLDS)]
    for fold, domain in sorted(domains):
        for kind in (0, 1):
            table = folds[fold][kind]
            for token, (main, total) in domains[fold, domain][kind].items():
                if total > 0:
                    before = table.get(token, (0.0, 0))
                    table[token] = (before[0] + main / total, before[1] + 1)
    return folds


def lexicon_of(tables: list[tuple[dict, dict]], without: set[int]) -> Lexicon:
    """Log-odds of the tokens of all folds but some, against the average."""
    made = []
    for kind in (0, 1):
        sums: dict[str, tuple[float, int]] = {}
        for fold in range(FOLDS):
            if fold not in without:
                for token, (share, domains) in tables[fold][kind].items():
                    before = sums.get(token, (0.0, 0))
                    sums[token] = (before[0] + share, before[1] + domains)
        average = sum(s for s, _ in sums.values()) / sum(n for _, n in sums.values())
        odds = {}
        for token, (share, domains) in sorted(sums.items()):
            if domains >= LEAST_DOMAINS:
                p = min(max((share + PRIOR * average) / (domains + PRIOR), 0.002), 0.998)
                # As the model file holds them.
                odds[token] = float(np.float16(math.log(p / (1 - p)) - math.log(average / (1 - average))))
        made.append(odds)
    return Lexicon(*made)


# ---- the forests -------------------------------------------------------------------------------------------------

Looks = dict[int, np.ndarray]
"""Number of an example → block → how probable it is main content, by a model that has not seen the example's fold."""


def matrix_of(example: Example, lexicon: Lexicon, look: np.ndarray | None) -> np.ndarray:
    """What the first forest reads; with a first look what the second reads."""
    parts = [example.static, features.matrix(features.lexicon_columns(example.blocks, lexicon))]
    if look is not None:
        parts.append(features.matrix(context_columns(example.blocks, look)))
    return np.concatenate(parts, axis=1)


def grow(
    examples: list[Example], tables: list[tuple[dict, dict]], left_out: set[int], looks: Looks | None = None
) -> lightgbm.Booster:
    """A forest that has not seen some folds: the first, or with the looks of the first the second.

    A training page's lexicon never saw the page's own fold, as at run time it never saw the page.
    """
    rng = np.random.RandomState(0)
    lexicons = {fold: lexicon_of(tables, {fold} | left_out) for fold in range(FOLDS)}
    matrices, labels, weights = [], [], []
    for number, example in enumerate(examples):
        if example.fold in left_out:
            continue
        known = np.flatnonzero(~np.isnan(example.share))
        if len(known) > MOST_BLOCKS:
            chosen = np.sort(rng.choice(known, MOST_BLOCKS, replace=False))
            factor, known = len(known) / MOST_BLOCKS, chosen
        else:
            factor = 1.0
        if looks is not None and example.domain == "example.org":
            factor *= SECOND_HANDMADE
        matrices.append(matrix_of(example, lexicons[example.fold], looks and looks[number])[known])
        labels.append(example.share[known] >= 0.5)
        weights.append(example.weight[known] * factor)
    weight = np.concatenate(weights)
    weight = np.minimum(weight, np.quantile(weight, 0.995))
    data = lightgbm.Dataset(np.concatenate(matrices), np.concatenate(labels).astype(int), weight=weight)
    if looks is None:
        return lightgbm.train(PARAMETERS, data, TREES)
    return lightgbm.train(PARAMETERS | SECOND_PARAMETERS, data, SECOND_TREES)


def looks_of(
    forest: lightgbm.Booster, examples: list[Example], tables: list[tuple[dict, dict]], left_out: set[int]
) -> Looks:
    """What a first forest says of the folds it has not seen."""
    lexicon = lexicon_of(tables, left_out)
    return {
        number: forest.predict(matrix_of(example, lexicon, None))
        for number, example in enumerate(examples)
        if example.fold in left_out
    }


def models(
    examples: list[Example], tables: list[tuple[dict, dict]], *, folds: bool, ship: bool
) -> Iterator[tuple[int | None, dict[str, np.ndarray]]]:
    """Fold → arrays of the model that has not seen it; None → those of the model to ship.

    The second forest learns from looks at pages that the first had not seen: for a model without a fold those are of forests that
    saw neither this fold nor the page's.
    """
    alone = {fold: grow(examples, tables, {fold}) for fold in range(FOLDS)}
    unseen = {fold: looks_of(alone[fold], examples, tables, {fold}) for fold in range(FOLDS)}
    if folds:
        pairs: dict[frozenset[int], Looks] = {}
        for pair in map(frozenset, combinations(range(FOLDS), 2)):
            pairs[pair] = looks_of(grow(examples, tables, set(pair)), examples, tables, set(pair))
        for left_out in range(FOLDS):
            looks = {
                number: pairs[frozenset((left_out, example.fold))][number]
                for number, example in enumerate(examples)
                if example.fold != left_out
            }
            second = grow(examples, tables, {left_out}, looks)
            yield left_out, model_arrays(alone[left_out], second, lexicon_of(tables, {left_out}))
    if ship:
        looks = {number: unseen[example.fold][number] for number, example in enumerate(examples)}
        first, second = grow(examples, tables, set()), grow(examples, tables, set(), looks)
        yield None, model_arrays(first, second, lexicon_of(tables, set()))


def model_arrays(first: lightgbm.Booster, second: lightgbm.Booster, lexicon: Lexicon) -> dict[str, np.ndarray]:
    """What a model file holds."""
    arrays = {}
    for name, forest in (("first", first), ("second", second)):
        arrays |= {f"{name}_{key}": array for key, array in arrays_of(forest.dump_model()["tree_info"]).items()}
    arrays["favor"] = np.asarray([FAVOR[""], FAVOR["precision"], FAVOR["recall"]])
    arrays["floor"] = np.asarray(FLOOR)
    return arrays | lexicon_arrays(lexicon)


def arrays_of(trees: list[dict]) -> dict[str, np.ndarray]:
    """The trees as complete binary trees of the same depth."""
    decisions = 2**DEPTH - 1
    feature = np.zeros((len(trees), decisions), np.int16)
    threshold = np.full((len(trees), decisions), np.inf, np.float32)
    leaf = np.zeros((len(trees), decisions + 1), np.float32)

    def fill(tree: int, node: dict, at: int) -> None:
        if at >= decisions:
            leaf[tree, at - decisions] = node["leaf_value"]
        elif "leaf_value" in node:
            fill(tree, node, 2 * at + 1)
            fill(tree, node, 2 * at + 2)
        else:
            feature[tree, at], threshold[tree, at] = node["split_feature"], node["threshold"]
            fill(tree, node["left_child"], 2 * at + 1)
            fill(tree, node["right_child"], 2 * at + 2)

    for number, tree in enumerate(trees):
        fill(number, tree["tree_structure"], 0)
    return {"feature": feature, "threshold": threshold, "leaf": leaf}


def lexicon_arrays(lexicon: Lexicon) -> dict[str, np.ndarray]:
    arrays = {}
    for kind, words in (("names", lexicon.names), ("texts", lexicon.texts)):
        arrays[f"{kind}_words"] = np.frombuffer("\n".join(words).encode(), np.uint8)
        arrays[f"{kind}_odds"] = np.asarray(list(words.values()), np.float16)
    return arrays


def hash_of(folder: Path) -> str:
    """One hash over the gold and the pages of a set."""
    digest = hashlib.sha256()
    for path in sorted([folder / "gold.json", *(folder / "pages").iterdir()]):
        digest.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--structure", type=Path, required=True)
    parser.add_argument("--folds", type=Path, help="write fold0.npz ... fold4.npz here too")
    parser.add_argument("--only-folds", action="store_true", help="do not write the model to ship")
    options = parser.parse_args()
    folders = [*(options.data / name for name in SETS), options.structure]
    examples = [example for folder in folders for example in examples_of(folder)]
    tables = domain_tables(examples)
    package = Path(features.__file__).parent
    if options.folds:
        options.folds.mkdir(parents=True, exist_ok=True)
    made = models(examples, tables, folds=options.folds is not None, ship=not options.only_folds)
    for fold, arrays in made:
        path = package / "model.npz" if fold is None else options.folds / f"fold{fold}.npz"
        np.savez_compressed(path, **arrays)
        print(f"{path.name} written", flush=True)
    if options.only_folds:
        return
    write_card(package, folders, examples)


def write_card(package: Path, folders: list[Path], examples: list[Example]) -> None:
    """What the model is made of; the figures stand in a part of the card that is written by hand."""
    card = package / "MODEL.md"
    figures = card.read_text("utf-8").partition("## Figures")[2] if card.exists() else "\n"
    rows = "\n".join(f"| {folder.name} | `{hash_of(folder)}` |" for folder in folders)
    model = hashlib.sha256((package / "model.npz").read_bytes()).hexdigest()
    card.write_text(
        f"""# Model of main content

`model.npz` (SHA-256 `{model}`) holds a lexicon of words in class names, ids and short texts, and two forests of {TREES} and
{SECOND_TREES} decision trees of depth {DEPTH}. The first gives each block of a page a probability of being main content; the second looks again, at what the
first says of the blocks around it and of those like it. Made by `benchmarks/html_train.py` (LightGBM, one
thread, fixed seeds) from {len(examples):,} pages of {len({e.domain for e in examples}):,} domains:

| set | SHA-256 of gold and pages |
|---|---|
{rows}

- articles: the article extraction benchmark of Scrapinghub (MIT).
- snippets: the evaluation data of trafilatura, A. Barbaresi (Apache-2.0).
- web: Web Content Extraction Benchmark (WCXB), development split, M. Foley, licensed CC-BY-4.0
  (https://creativecommons.org/licenses/by/4.0/); the pages were turned into features and labels.
- structure: pages of the Debian Policy Manual (GPL-2+) and the Python documentation (PSF), and hand-made pages.

None of these pages but the hand-made ones is in this repository. The decision: the blocks of the greatest expected F measure, weight of recall
{FAVOR[""]} (favor precision {FAVOR["precision"]}, recall {FAVOR["recall"]}), none below a probability of {FLOOR}.

## Figures{figures}""",
        "utf-8",
    )


if __name__ == "__main__":
    main()
