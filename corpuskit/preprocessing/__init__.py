"""Pipelines of steps that add columns to the documents of a corpus, and of filters that select documents."""

from corpuskit.preprocessing.pipeline import Preprocessing, preprocess
from corpuskit.preprocessing.steps import (
    Step,
    blocks,
    characters,
    dehyphenate,
    duplicates,
    keep,
    language,
    normalize,
    personal_data,
    quality,
    step,
    words,
)

__all__ = [
    "Preprocessing",
    "Step",
    "blocks",
    "characters",
    "dehyphenate",
    "duplicates",
    "keep",
    "language",
    "normalize",
    "personal_data",
    "preprocess",
    "quality",
    "step",
    "words",
]
