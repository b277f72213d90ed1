"""Characters of symbol fonts, which Word keeps at U+F020 to U+F0FF, in Unicode (17.3.3.30)."""

from __future__ import annotations

from typing import Final

# Adobe's Symbol encoding, as the Unicode Consortium's SYMBOL.TXT maps it; a space stands for what has no character.
_SYMBOL: Final = dict(
    zip(
        [*range(0x20, 0x7F), *range(0xA0, 0xFF)],
        " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
        "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",
        strict=True,
    )
)
_WINGDINGS: Final = {
    0x4A: "☺", 0x4C: "☹", 0x6C: "●", 0x6E: "■", 0x6F: "□", 0x71: "❑", 0x75: "◆", 0x76: "❖", 0x77: "⬥", 0x9F: "•",
    0xA7: "▪", 0xA8: "◻", 0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xEF: "⇦", 0xF0: "⇨",
    0xF3: "⬄", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip


def symbol(font: str, code: str) -> str:
    """The character of a ``w:sym``: a hexadecimal code in a font; empty for a code that is none."""
    try:
        number = int(code, 16)
        return from_font(font, chr(number + 0xF000 if number < 0x100 else number))
    except (ValueError, OverflowError):
        return ""


def from_font(font: str, text: str) -> str:
    """A text whose private characters are those of a symbol font; unknown ones become U+FFFD."""
    table = _SYMBOL if font.lower() == "symbol" else _WINGDINGS if font.lower().startswith("wingdings") else {}
    return "".join(
        table.get(ord(c) - 0xF000, "•" if ord(c) == 0xF0B7 else "\ufffd") if 0xF020 <= ord(c) <= 0xF0FF else c
        for c in text
    )
