"""The steps of a pipeline: what each adds, as plain values that can be written down."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from corpuskit import text as texts
from corpuskit.errors import ConfigurationError

Value = str | int | float | bool | None
Measure = Callable[[str], Mapping[str, Value]]


@dataclass(frozen=True, slots=True)
class Step:
    """One step; make it with the functions of this module.

    Attributes:
        name: as in the record of the pipeline.
        kind: columns (adds columns), text (changes the text that later steps see), filter (drops documents), corpus (adds columns that
            depend on all documents).
        options: plain values; they and the name decide whether results that are kept can be used again.
        columns: column → dtype of pandas: str, int64, float64, bool.
        work: columns: text → values; text: text → text; else None.
    """

    name: str
    kind: Literal["columns", "text", "filter", "corpus"]
    options: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)
    work: Callable[[str], Any] | None = field(default=None, compare=False, repr=False)

    @property
    def title(self) -> str:
        """The step as tables show it: its name, of a filter what is kept."""
        if self.kind != "filter":
            return self.name
        told = [f"{self.name} {self.options['column']}"]
        if "among" in self.options:
            told.append("in " + ", ".join(map(str, self.options["among"])))
        told += [
            f"{sign} {self.options[key]}"
            for key, sign in (("at_least", ">="), ("at_most", "<="))
            if key in self.options
        ]
        return " ".join(told)

    def record(self) -> dict[str, Any]:
        """Return the step as plain values."""
        return {"step": self.name, **({"options": self.options} if self.options else {})}

    def key(self, before: Sequence[Step]) -> str:
        """Return the name of the results: the same for the same step on texts that the same steps changed.

        Args:
            before: The steps before it.
        """
        chain = [one.record() for one in before if one.kind == "text"]
        content = json.dumps([*chain, self.record(), self.columns], sort_keys=True, ensure_ascii=False)
        return f"{self.name}-{hashlib.sha256(content.encode()).hexdigest()[:12]}"


def normalize(preset: str = "any", *, without: Sequence[str] = ()) -> Step:
    """Return a step after which others see the normalised text, as :func:`corpuskit.text.normalize` makes it.

    Args:
        preset: A preset.
        without: Layers that are left out.
    """
    work = texts.normalizer(preset, without=without)
    return Step("normalize", "text", {"preset": preset, "without": sorted(without)}, work=work)


def dehyphenate() -> Step:
    """Return a step after which others see words that line ends cut in two as one (:func:`corpuskit.text.dehyphenate`)."""
    return Step("dehyphenate", "text", work=texts.dehyphenate)


def language() -> Step:
    """Return a step that adds the column detected_lang (str, ISO 639-1; ``?`` when unsure): what the main text says, whatever the page declares."""
    return Step("language", "columns", columns={"detected_lang": "str"}, work=_language)


def _language(text: str) -> dict[str, Value]:
    return {"detected_lang": texts.detect_language(text)}


def words() -> Step:
    """Return a step that adds the columns text_words, text_characters, text_sentences (int64)."""
    columns = dict.fromkeys(("text_words", "text_characters", "text_sentences"), "int64")
    return Step("words", "columns", columns=columns, work=_words)


def _words(text: str) -> dict[str, Value]:
    found = sum(len(texts.sentences(line)) for line in text.split("\n"))
    return {"text_words": texts.count_words(text), "text_characters": len(text), "text_sentences": found}


def characters(preset: str = "any") -> Step:
    """Return a step that adds the column foreign_characters (float64): the share of characters that the preset of the normaliser does not keep.

    Args:
        preset: A preset of :func:`corpuskit.text.normalize`.
    """
    target = texts.PRESETS[preset].target if preset in texts.PRESETS else None
    if target is None:
        raise ConfigurationError(f"preset {preset!r} is unknown; there are: {', '.join(texts.PRESETS)}")
    return Step(
        "characters",
        "columns",
        {"preset": preset},
        {"foreign_characters": "float64"},
        work=partial(_characters, target),
    )


def _characters(target: texts.Target, text: str) -> dict[str, Value]:
    foreign = sum(text.count(char) for char in set(text) if not target.keeps(char))
    return {"foreign_characters": foreign / len(text) if text else 0.0}


def quality(*rules: str, lang: str | None = None) -> Step:
    """Return a step that adds the columns of :func:`corpuskit.text.quality`.

    Args:
        rules: of gopher, c4, fineweb; none: all three.
        lang: ISO 639-1 code whose stop words count; None: that of each text.
    """
    chosen = rules or tuple(texts.QUALITY_RULES)
    columns = {str(name): str(dtype) for name, dtype in texts.quality([], rules=chosen).dtypes.items()}
    return Step("quality", "columns", {"rules": list(chosen), "lang": lang}, columns, partial(_quality, chosen, lang))


def _quality(rules: Sequence[str], lang: str | None, text: str) -> Mapping[str, Value]:
    return texts.verdicts(text, rules, lang or texts.detect_language(text))


def personal_data(*, region: str | None = None) -> Step:
    """Return a step that adds the columns emails, phones, ips, ibans (int64): how many of each; see :func:`corpuskit.text.personal_data`.

    Args:
        region: Country (ISO 3166) whose telephone numbers need no international code.
    """
    columns = dict.fromkeys(("emails", "phones", "ips", "ibans"), "int64")
    return Step("personal_data", "columns", {"region": region}, columns, partial(_personal, region))


def _personal(region: str | None, text: str) -> dict[str, Value]:
    found = [one.kind for one in texts.personal_data(text, region=region)]
    return {f"{kind}s": found.count(kind) for kind in ("email", "phone", "ip", "iban")}


def duplicates(*, threshold: float = 0.8, size: int = 3) -> Step:
    """Return a step that adds the columns unique (bool), duplicate_of, kind (str), similarity (float64) of :class:`corpuskit.text.DuplicateIndex`.

    Documents that earlier filters dropped are no originals. The index stays on disk: after a crawl only new documents are added.

    Args:
        threshold: Texts at least so similar are duplicates (Jaccard index, 0 to 1).
        size: Number of words of the runs that are compared.
    """
    columns = {"unique": "bool", "duplicate_of": "str", "kind": "str", "similarity": "float64"}
    return Step("duplicates", "corpus", {"threshold": threshold, "size": size}, columns)


def blocks(*, min_documents: int = 5) -> Step:
    """Return a step that adds the column repeated_blocks (float64): the share of the main text's words in blocks that pages of the site repeat.

    Args:
        min_documents: documents of the site that must have a block for it to count as repeated.
    """
    return Step("blocks", "corpus", {"min_documents": min_documents}, {"repeated_blocks": "float64"})


def keep(
    column: str, *, among: Sequence[Value] | None = None, at_least: float | None = None, at_most: float | None = None
) -> Step:  # fmt: skip
    """Return a filter on a column of an earlier step or of ``documents()``: a document whose value is missing or does not fit is dropped.

    Args:
        column: without a condition it has to be true.
        among: the values that are kept.
        at_least: the smallest value that is kept.
        at_most: the largest value that is kept.
    """
    options: dict[str, Any] = {"column": column}
    options |= {"among": list(among)} if among is not None else {}
    options |= {"at_least": at_least} if at_least is not None else {}
    options |= {"at_most": at_most} if at_most is not None else {}
    return Step("keep", "filter", options)


def step(name: str, work: Measure, columns: Mapping[str, str], *, version: str = "1") -> Step:
    """Return a step of your own: a function of a document's main text that gives its columns.

    Args:
        name: letters, digits, ``-`` and ``_``.
        work: text → column → value.
        columns: column → dtype: str, int64, float64, bool.
        version: change it when the function changes, so that kept results are not used again.

    Raises:
        ConfigurationError: another name or dtype.
    """
    if not name.replace("_", "a").replace("-", "a").isalnum() or not name.isascii():
        raise ConfigurationError(f"step {name!r}: a name has letters, digits, - and _")
    wrong = [dtype for dtype in columns.values() if dtype not in ("str", "int64", "float64", "bool")]
    if wrong:
        raise ConfigurationError(f"step {name!r}: dtype {wrong[0]!r}; there are str, int64, float64, bool")
    return Step(name, "columns", {"version": version}, dict(columns), work)


_BY_NAME: Mapping[str, Callable[[], Step]] = {
    "normalize": normalize, "dehyphenate": dehyphenate, "language": language, "words": words, "characters": characters,
    "quality": quality, "personal_data": personal_data, "duplicates": duplicates, "blocks": blocks,
}  # fmt: skip


def made(given: Step | str) -> Step:
    """A step, or that of a name with its defaults.

    Raises:
        ConfigurationError: there is none.
    """
    if isinstance(given, Step):
        return given
    if given not in _BY_NAME:
        raise ConfigurationError(f"step {given!r} is unknown; there are: {', '.join(_BY_NAME)}, and keep(...)")
    return _BY_NAME[given]()
