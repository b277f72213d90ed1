"""Steps that change the text that later steps see."""

from __future__ import annotations

from collections.abc import Sequence

from corpuskit import text as texts
from corpuskit.preprocessing.step_definition import Step, named


@named
def normalize(preset: str = "any", *, without: Sequence[str] = ()) -> Step:
    """Return a step after which others see the normalised text, as :func:`corpuskit.text.normalize` makes it.

    Args:
        preset: A preset.
        without: Layers that are left out.
    """
    work = texts.normalizer(preset, without=without)
    return Step("normalize", "text", {"preset": preset, "without": sorted(without)}, work=work)


@named
def dehyphenate() -> Step:
    """Return a step after which others see words that line ends cut in two as one (:func:`corpuskit.text.dehyphenate`)."""
    return Step("dehyphenate", "text", work=texts.dehyphenate)
