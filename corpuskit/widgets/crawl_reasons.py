"""Why a URL comes next, in words; the numbers behind them for who asks."""

from __future__ import annotations

import re
from typing import Final

_SIGNALS: Final = re.compile(r"link text ([\d.]+), linking pages ([\d.]+), directory ([\d.]+)$")
_REASONS: Final = ("its links speak of the topic", "relevant pages link there", "pages beside it are relevant")
_LIKELY: Final = 0.5
_WEAK: Final = 0.25  # nothing that is known speaks for it


def in_words(why: str) -> tuple[str, str]:
    """Return the reasons for the rank of a URL as text, and the numbers behind them, which may be empty.

    Args:
        why: As the frontier keeps it, such as ``link text 0.61, linking pages 0.34, directory 0.51``.
    """
    reasons, numbers = [], ""
    for part in filter(None, why.split("; ")):
        if signals := _SIGNALS.fullmatch(part):
            reasons.append(_signals([float(number) for number in signals.groups()]))
            numbers = f"links {signals[1]}, linking pages {signals[2]}, directory {signals[3]}"
        elif part.startswith("held until"):
            reasons.append("on hold until you label a document of it relevant")
        elif part.startswith("boosted"):
            reasons.append("you want it first")
        elif depth := re.fullmatch(r"depth (\d+)", part):
            links = int(depth[1])
            reasons.append("a seed" if not links else f"{links} link{'' if links == 1 else 's'} from a seed")
        elif score := re.fullmatch(r"score (-?[\d.]+)", part):
            reasons.append("by your own function")
            numbers = f"score {score[1]}"
        else:
            reasons.append(part)
    return "; ".join(reasons), numbers


def _signals(values: list[float]) -> str:
    reasons = [words for words, value in zip(_REASONS, values, strict=True) if value >= _LIKELY]
    if reasons:
        return ", ".join(reasons)
    best = max(values)
    return "little speaks for it" if best < _WEAK else f"perhaps: {_REASONS[values.index(best)]}"


__all__ = ["in_words"]
