"""Sentence splitters beside each other, by quality and speed, for English, French and German.

    uv run --with nupunkt --with syntok --with pysbd --with blingfire --with spacy \\
        python benchmarks/text_sentences.py --data DIR [--data DIR ...]

``--data``: folders with translated documentation: books as HTML whose folders are named by language (``en-US/apt.html``,
``fr-FR/apt.html``; or ``ch01.en.html``), and message catalogues (``fr/LC_MESSAGES/*.mo``). Gold comes from the agreement of translators: a
paragraph counts if its original and its translation have equally many sentence ends, abbreviations known to the language and
ordinals left out. The second table is made by hand: ``tests/text/sentences.tsv``, the hard cases.

Prints F1 of the inner boundaries and characters a second of CPU time; libraries that are not installed are left out.
"""

from __future__ import annotations

import argparse
import gettext
import random
import re
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

from lxml import html

HAND = Path(__file__).resolve().parents[1] / "tests" / "text" / "sentences.tsv"
LANGUAGES = ("en", "fr", "de")
ENDS = re.compile(r"""[.!?…]["”»“’')\]]*\s+(?=["„“«‘'(\[]?\s?[A-ZÀ-ÞŒ0-9])""")
SHORT = {
    "en": r"e\.g|i\.e|cf|vs|etc|Mr|Mrs|Ms|Dr|St|No|Fig|Inc|Ltd|Jr|p|pp|vol|ed|approx|resp|ca|a\.k\.a|U\.S|al",
    "fr": r"p\. ?ex|c\.-à-d|cf|etc|M|MM|Dr|St|n°|vol|p|pp|éd|env|art|chap|fig|id|al|No",
    "de": r"z\. ?B|d\. ?h|u\. ?a|bzw|usw|etc|ca|Dr|Hr|Fr|St|Nr|Bd|S|vgl|ggf|evtl|sog|inkl|Abb|Kap|Abs|u\. ?U|o\. ?ä|s\. ?o|i\. ?d\. ?R|al|\d{1,2}",
}
OPTIONS = re.compile(r"[.!?…][\"”»]*\s+[-%\[(]|  ")
KNOWN = {lang: re.compile(rf"(?:^|[\s(\"„«»“])(?:{words}|[A-Z])\.[\"”»“’')\]]*\s+$") for lang, words in SHORT.items()}


def boundaries(text: str, lang: str) -> list[int]:
    """Where sentences begin, by the strict rule that gold is made with."""
    return [m.end() for m in ENDS.finditer(text) if not KNOWN[lang].search(text[max(0, m.start() - 12) : m.end()])]


def language_of(file: Path) -> str | None:
    for part in (*file.parts[-2:-1], *file.name.split(".")[1:-1]):
        if part[:2] in LANGUAGES and (len(part) == 2 or part[2] in "-_"):
            return part[:2]
    return None


def paragraphs(file: Path) -> list[str]:
    try:
        tree = html.parse(str(file), html.HTMLParser(encoding="utf-8"))
    except OSError:
        return []
    found = [] if tree.getroot() is None else tree.getroot().iter("p", "dd", "li")
    return [" ".join(item.text_content().split()) for item in found]


def pairs(folders: Iterable[Path]) -> Iterable[tuple[str, str, str]]:
    """Language, text in English, text in the language."""
    for folder in folders:
        books: dict[str, dict[str, Path]] = {}
        for file in sorted(folder.rglob("*.html")):
            lang = language_of(file)
            if lang:
                books.setdefault(file.name.split(".")[0], {}).setdefault(lang, file)
        for by_language in books.values():
            if "en" not in by_language:
                continue
            english = paragraphs(by_language["en"])
            for lang in ("fr", "de"):
                other = paragraphs(by_language[lang]) if lang in by_language else []
                if len(other) == len(english):
                    yield from ((lang, a, b) for a, b in zip(english, other, strict=True) if a != b)
        for file in sorted(folder.rglob("*.mo")):
            lang = file.parent.parent.name
            if lang in ("fr", "de"):
                try:
                    with file.open("rb") as handle:
                        catalog = gettext.GNUTranslations(handle)._catalog
                except (OSError, UnicodeDecodeError, ValueError):
                    continue
                yield from (
                    (lang, " ".join(key.split()), " ".join(text.split()))
                    for key, text in catalog.items()
                    if isinstance(key, str) and isinstance(text, str) and len(key) > 60 and "\n\n" not in key
                )


def gold(folders: Iterable[Path]) -> dict[str, list[tuple[str, set[int]]]]:
    """Language → texts with where their sentences begin."""
    found: dict[str, dict[str, set[int]]] = {lang: {} for lang in LANGUAGES}
    for lang, english, other in pairs(folders):
        if not (english and other and english[-1] in ".!?" and other[-1] in ".!?" and other[0].isupper()):
            continue
        if OPTIONS.search(english) or OPTIONS.search(other):  # a list of options that lost its line ends
            continue
        first, second = boundaries(english, "en"), boundaries(other, lang)
        if len(first) == len(second) and 1 <= len(first) <= 20:
            found["en"][english] = set(first)
            found[lang][other] = set(second)
    rng = random.Random(0)
    return {lang: rng.sample(sorted(texts.items()), min(3000, len(texts))) for lang, texts in found.items()}


def hand() -> dict[str, list[tuple[str, set[int]]]]:
    found: dict[str, list[tuple[str, set[int]]]] = {lang: [] for lang in LANGUAGES}
    for line in HAND.read_text("utf-8").splitlines():
        lang, _, marked = line.partition("\t")
        starts, text = set(), ""
        for part in marked.split(" ‖ "):
            if text:
                text += " "
                starts.add(len(text))
            text += part
        found[lang].append((text, starts))
    return found


def starts_of(sentences: Iterable[str], text: str) -> set[int]:
    """Where the sentences begin; blanks may have changed."""
    position, found = 0, set()
    for sentence in sentences:
        words = sentence.split()
        if not words:
            continue
        start = text.find(words[0], position)
        if start < 0:
            continue
        found.add(start)
        position = start
        for word in words:
            at = text.find(word, position)
            position = at + len(word) if at >= 0 else position
    return found - {min(found)} if found else set()


def libraries() -> dict[str, Callable[[str, str], set[int]]]:
    """Name → function (text, language) → where sentences begin, but the first."""
    found: dict[str, Callable[[str, str], set[int]]] = {}
    from corpuskit import text as ours

    found["corpuskit"] = lambda text, lang: {start for start, _ in ours.sentences(text, lang)[1:]}
    try:
        import nupunkt

        found["nupunkt"] = lambda text, lang: {s for s, _ in nupunkt.sent_spans(text)[1:]}
    except ImportError:
        pass
    try:
        from syntok import segmenter

        def syntok(text: str, lang: str) -> set[int]:
            return {s[0].offset for p in segmenter.process(text) for s in p if s} - {0}

        found["syntok"] = syntok
    except ImportError:
        pass
    try:
        import pysbd

        made = {lang: pysbd.Segmenter(language=lang, clean=False) for lang in LANGUAGES}
        found["pysbd"] = lambda text, lang: starts_of(made[lang].segment(text), text)
    except ImportError:
        pass
    try:
        import blingfire

        found["blingfire"] = lambda text, lang: starts_of(blingfire.text_to_sentences(text).split("\n"), text)
    except ImportError:
        pass
    try:
        import sentencex

        found["sentencex"] = lambda text, lang: (
            {b["start_index"] for b in sentencex.get_sentence_boundaries(lang, text)} - {0}
        )
    except ImportError:
        pass
    try:
        import spacy

        blank = {lang: spacy.blank(lang) for lang in LANGUAGES}
        for pipe in blank.values():
            pipe.add_pipe("sentencizer")
        found["spaCy sentencizer"] = lambda text, lang: {s.start_char for s in blank[lang](text).sents} - {0}
    except ImportError:
        pass
    return found


def main() -> None:
    """Measure and print."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, action="append", default=[])
    options = parser.parse_args()
    splitters = libraries()
    sets = {"documentation": gold(options.data), "hard cases": hand()}
    for kind, texts in sets.items():
        for lang in LANGUAGES:
            items = texts[lang]
            if not items:
                continue
            print(f"{kind}, {lang}: {len(items):,} texts, {sum(len(starts) for _, starts in items):,} inner boundaries")
            size = sum(len(text) for text, _ in items)
            for name, split in splitters.items():
                split(items[0][0], lang)
                start = time.process_time()
                found = [split(text, lang) for text, _ in items]
                taken = time.process_time() - start
                right = sum(len(f & g) for f, (_, g) in zip(found, items, strict=True))
                given, wanted = sum(map(len, found)), sum(len(g) for _, g in items)
                precision, recall = right / max(given, 1), right / max(wanted, 1)
                f1 = 2 * right / max(given + wanted, 1)
                print(
                    f"  {name:20} F1 {f1:.4f}  precision {precision:.4f}  recall {recall:.4f}  {size / taken / 1e6:8.2f} million characters a second"
                )


if __name__ == "__main__":
    main()
