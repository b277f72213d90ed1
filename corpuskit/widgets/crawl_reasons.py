"""Why a URL comes next, in words; the numbers behind them for who asks."""

from __future__ import annotations

import re
from typing import Final

_SIGNALS: Final = re.compile(r"link text ([\d.]+), linking pages ([\d.]+), directory ([\d.]+)$")
_SAID: Final = ("its links speak of the topic", "relevant pages link there", "pages beside it are relevant")
_LIKELY: Final = 0.5
_WEAK: Final = 0.25  # nothing that is known speaks for it


def in_words(why: str) -> tuple[str, str]:
    """Return the reasons for the rank of a URL as text, and the numbers behind them, which may be empty.

    Args:
        why: As the frontier keeps it, such as ``link text 0.61, linking pages 0.34, directory 0.51``.
    """
    said, numbers = [], ""
    for part in filter(None, why.split("; ")):
        if found := _SIGNALS.fullmatch(part):
            said.append(_signals([float(number) for number in found.groups()]))
            numbers = f"links {found[1]}, linking pages {found[2]}, directory {found[3]}"
        elif part.startswith("held until"):
            said.append("on hold until you label a document of it relevant")
        elif part.startswith("boosted"):
            said.append("you want it first")
        elif depth := re.fullmatch(r"depth (\d+)", part):
            links = int(depth[1])
            said.append("a seed" if not links else f"{links} link{'' if links == 1 else 's'} from a seed")
        elif score := re.fullmatch(r"score (-?[\d.]+)", part):
            said.append("by your own function")
            numbers = f"score {score[1]}"
        else:
            said.append(part)
    return "; ".join(said), numbers


def _signals(values: list[float]) -> str:
    said = [words for words, value in zip(_SAID, values, strict=True) if value >= _LIKELY]
    if said:
        return ", ".join(said)
    best = max(values)
    return "little speaks for it" if best < _WEAK else f"perhaps: {_SAID[values.index(best)]}"


__all__ = ["in_words"]
