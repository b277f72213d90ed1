"""The steps of a pipeline; a new module here is found without a line elsewhere."""

from __future__ import annotations

from typing import Final

from corpuskit.errors import ConfigurationError
from corpuskit.plugins import import_all
from corpuskit.preprocessing.step_definition import STEPS, Step, keep, step
from corpuskit.preprocessing.steps.changes import dehyphenate, normalize
from corpuskit.preprocessing.steps.measures import characters, language, personal_data, quality, words
from corpuskit.preprocessing.steps.whole_corpus import blocks, duplicates

__all__ = [
    "Step",
    "blocks",
    "characters",
    "dehyphenate",
    "duplicates",
    "keep",
    "language",
    "normalize",
    "personal_data",
    "quality",
    "resolve_step",
    "step",
    "words",
]  # fmt: skip

# Those that a message names first.
_FIRST: Final = (
    "normalize", "dehyphenate", "language", "words", "characters", "quality", "personal_data", "duplicates",
    "blocks",
)  # fmt: skip


def resolve_step(step: Step | str) -> Step:
    """Return a step, for a name the step with default options.

    Raises:
        ConfigurationError: No step has this name.
    """
    if isinstance(step, Step):
        return step
    import_all(__name__)
    if step not in STEPS:
        names = [*_FIRST, *sorted(STEPS.keys() - set(_FIRST))]
        raise ConfigurationError(f"step {step!r} is unknown; there are: {', '.join(names)}, and keep(...)")
    return STEPS[step]()
