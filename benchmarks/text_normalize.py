"""The normaliser beside one translate pass, and beside a layer-by-layer normaliser that keeps a map, as frenchtext's does.

    uv run python benchmarks/text_normalize.py [--data DIR] [--rounds 5]

``--data``: text files; without it, made-up French and English text. Prints seconds a million characters and ratios, then how
much of text read in the wrong encoding is repaired, beside ftfy.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from corpuskit.text import LAYERS, PRESETS, normalize, normalizer
from corpuskit.text.layers import CHARACTER_LAYERS

FRENCH = (
    "L’été dernier, nous avons visité l’église « Notre-Dame » à Paris… Le cœur de la ville bat encore : "
    "½ heure d’attente, 25 °C à l’ombre – et des prix de 3,50 € ! À l’intérieur, l’œuvre n° 1 coûte 1 200 €. "
)
ENGLISH = (
    "The “quick” brown fox — it’s said — jumps over the lazy dog. It can’t be helped: nothing else is known of it. "
)


def per_million(function: Callable[[str], object], texts: list[str]) -> float:
    """Seconds a million characters."""
    start = time.process_time()
    for text in texts:
        function(text)
    return (time.process_time() - start) / sum(map(len, texts)) * 1e6


class LayerByLayer:
    """Each layer in Python, character by character, with the positions of its changes and the map to its input."""

    def __init__(self, preset: str) -> None:
        options = PRESETS[preset]
        engine = normalizer(preset)
        chars = sorted(set(FRENCH + ENGLISH) | set(map(chr, range(0x250))))
        self.tables = []
        for name in LAYERS:
            function = CHARACTER_LAYERS.get(name)
            table = {}
            for char in chars:
                found = None if function is None or options.target.keeps(char) else function(char, options.target)
                if found is not None:
                    table[char] = engine(found)
            self.tables.append(table)

    def __call__(self, text: str) -> str:
        self.layers = []
        for table in self.tables:
            output: list[str] = []
            changes: list[tuple[int, int, str]] = []
            position = 0
            for index, char in enumerate(text):
                replacement = table.get(char)
                if replacement is None:
                    output.append(char)
                    position += 1
                else:
                    output.append(replacement)
                    changes.append((index, position, replacement))
                    position += len(replacement)
            text = "".join(output)
            self.layers.append(changes)
        return text


def repaired() -> None:
    """Words in UTF-8 read as Windows-1252, alone and beside good text."""
    import ftfy

    words = re.findall(
        r"\S+",
        "été déjà où œuvre naïve Île garçon Straße über Äpfel größer mañana ação não år Østre źle část привет “x” l’an 5 € –",
    )
    shuffled = random.Random(0)
    good = [" ".join(shuffled.choices(words, k=6)) for _ in range(2000)]
    bad = [
        "".join(bytes([byte]).decode("cp1252", "replace").replace("\ufffd", chr(byte)) for byte in text.encode())
        for text in good
    ]
    sets = {
        "read wrongly": list(zip(bad, good, strict=True)),
        "half of the line": [
            (g[: len(g) // 2] + " | " + b, g[: len(g) // 2] + " | " + g) for g, b in zip(good, bad, strict=True)
        ],
        "good text": list(zip(good, good, strict=True)),
    }
    for name, pairs in sets.items():
        ours = sum(
            normalize(given, layers=["win1252_as_latin1", "utf8_as_win1252"]).text == right for given, right in pairs
        )
        theirs = sum(ftfy.fix_encoding(given) == right for given, right in pairs)
        print(f"  {name}: right {ours / len(pairs):.3f}, ftfy {theirs / len(pairs):.3f} of {len(pairs):,} lines")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if options.data:
        found = [file.read_text("utf-8", "replace")[:200_000] for file in sorted(options.data.rglob("*.txt"))[:500]]
        sets = {"data": found}
    else:
        sets = {"French": [FRENCH * 20] * 100, "English": [ENGLISH * 20] * 100}
    for name, texts in sets.items():
        preset = "french" if name != "English" else "english"
        ours = normalizer(preset)
        table: dict[int, str] = {}
        for char in set("".join(texts)):
            table[ord(char)] = ours(char)
        naive = LayerByLayer(preset)
        if not options.data:
            assert naive(texts[0]) == ours(texts[0])
        rounds = []
        for _ in range(options.rounds):
            rounds.append(
                (
                    per_million(lambda text, table=table: text.translate(table), texts),
                    per_million(ours, texts),
                    per_million(lambda text, preset=preset: normalize(text, preset).offsets, texts[:20]),
                    per_million(naive, texts[:20]),
                )
            )
        one, fast, mapped, slow = (statistics.median(column) for column in zip(*rounds, strict=True))
        print(f"{name}: seconds a million characters; one translate pass {one:.4f}")
        print(
            f"  normalize           {fast:.4f}  {fast / one:6.2f} times one pass; layer by layer is {slow / fast:.0f} times as slow"
        )
        print(
            f"  ... with offset map {mapped:.4f}  {mapped / one:6.2f} times one pass; layer by layer is {slow / mapped:.1f} times as slow"
        )
        print(f"  layer by layer      {slow:.4f}  {slow / one:6.2f} times one pass")
    repaired()


if __name__ == "__main__":
    main()
