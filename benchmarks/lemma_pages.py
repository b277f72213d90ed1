"""The layer of lemmas on real pages in several languages.

    uv run python benchmarks/lemma_pages.py --data FOLDER [--pages 1000] [--languages 5]

FOLDER has pages (*.html or *.html.gz). Takes about as many of each of the commonest languages, and prints of each: documents,
tokens, how many forms and lemmas there are, the share of tokens whose lemma is another string than the word in lower case,
how many of 1,000 tokens at random have the lemma that simplemma gives for their word, and some lemmas with their forms.
"""

import argparse
import gzip
import random
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import simplemma
from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

import corpuskit
from corpuskit.tokens import open_index
from corpuskit.tokens.layer_sources import _SIMPLEMMA_CODES


def pages_of(data: Path, count: int, languages: int) -> list[tuple[Path, bytes]]:
    """Pages of the commonest languages, evenly; the language is looked for in the extracted text."""
    from corpuskit.text.language import detect_language

    of = defaultdict(list)
    files = [*sorted(data.rglob("*.html.gz")), *sorted(data.rglob("*.html"))]
    random.Random(0).shuffle(files)
    for file in files:
        content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        try:
            text = corpuskit.extract(content, media_type="text/html").to_text(main=True)
        except corpuskit.CorpusKitError:
            continue
        if len(text) > 500:
            of[detect_language(text)].append((file, content))
    best = sorted(of, key=lambda lang: -len(of[lang]))[:languages]
    taken, left = [], count
    for rank, lang in enumerate(reversed(best)):  # the rarest first: what they lack the others have more of
        some = of[lang][: left // (len(best) - rank)]
        taken += some
        left -= len(some)
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--languages", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        pages = pages_of(options.data, options.pages, options.languages)
        for number, (_, content) in enumerate(pages):
            (Path(work) / f"{number:05}.html").write_bytes(content)
        with corpuskit.open(Path(work) / "corpus") as corpus:
            corpus.add(Path(work) / "*.html", progress=False)
            open_index(corpus._folder)
            wall, cpu = time.perf_counter(), time.process_time()
            count = corpus.annotate("lemma", progress=False)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            print(f"{len(pages):,} pages; lemmas of {count:,} tokens in {cpu:.1f} s of CPU, {wall:.1f} s")
            tell(corpus)


def tell(corpus) -> None:
    index = open_index(corpus._folder)
    (part,) = index.parts
    words, lowers, lemmas = (part.lexicon(name).to_pylist() for name in ("word", "lower", "lemma"))
    bounds = part.document_bounds()
    of_document = part.documents.column("lang").to_pylist()
    for lang, documents in Counter(of_document).most_common(8):
        chosen = np.concatenate(
            [np.arange(bounds[row], bounds[row + 1]) for row, one in enumerate(of_document) if one == lang]
        )
        word, lower, lemma = (part.numbers(name, chosen) for name in ("word", "lower", "lemma"))
        changed = sum(lowers[a] != lemmas[b].casefold() for a, b in zip(lower.tolist(), lemma.tolist(), strict=True))
        drawn = random.Random(0).sample(range(len(chosen)), min(1000, len(chosen)))
        code = _SIMPLEMMA_CODES.get(lang, lang)
        if code in SUPPORTED_LANGUAGES:
            agreed = sum(simplemma.lemmatize(words[word[i]], lang=code) == lemmas[lemma[i]] for i in drawn)
        else:  # words in lower case
            agreed = sum(words[word[i]].casefold() == lemmas[lemma[i]] for i in drawn)
        forms = defaultdict(Counter)
        for a, b in zip(lower.tolist(), lemma.tolist(), strict=True):
            forms[b][a] += 1
        rich = sorted(forms, key=lambda one: -sum(forms[one].values()) if len(forms[one]) >= 3 else 0)[:3]
        shown = "; ".join(
            f"{lemmas[one]}: {', '.join(lowers[f] for f, _ in forms[one].most_common(4))}" for one in rich
        )
        print(
            f"{lang}: {documents:,} documents, {len(chosen):,} tokens, {len(np.unique(lower)):,} forms, {len(forms):,} lemmas, "
            f"{changed / len(chosen):.1%} of tokens changed, {agreed} of {len(drawn)} as simplemma says ({shown})"
        )


if __name__ == "__main__":
    sys.exit(main())
