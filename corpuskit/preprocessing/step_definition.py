"""What a step of a pipeline is, as plain values that can be written down; filters, and steps of one's own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeVar

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
        """Return the step as shown in tables: its name, and the condition of a filter."""
        if self.kind != "filter":
            return self.name
        parts = [f"{self.name} {self.options['column']}"]
        if "among" in self.options:
            parts.append("in " + ", ".join(map(str, self.options["among"])))
        parts += [
            f"{sign} {self.options[key]}"
            for key, sign in (("at_least", ">="), ("at_most", "<="))
            if key in self.options
        ]
        return " ".join(parts)

    def record(self) -> dict[str, Any]:
        """Return the step as plain values."""
        return {"step": self.name, **({"options": self.options} if self.options else {})}

    def key(self, before: Sequence[Step]) -> str:
        """Return the name of the results: the same for the same step on texts that the same steps changed.

        Args:
            before: The steps before it.
        """
        chain = [step.record() for step in before if step.kind == "text"]
        content = json.dumps([*chain, self.record(), self.columns], sort_keys=True, ensure_ascii=False)
        return f"{self.name}-{hashlib.sha256(content.encode()).hexdigest()[:12]}"


STEPS: Final[dict[str, Callable[[], Step]]] = {}
"""Name → factory of a step with its default options; see :func:`corpuskit.preprocessing.steps.resolve_step`."""
_Maker = TypeVar("_Maker", bound=Callable[..., Step])


def named(maker: _Maker) -> _Maker:
    """Decorate a function that makes a step: the step can be asked for by the function's name."""
    STEPS[maker.__name__] = maker
    return maker


def keep(
    column: str, *, among: Sequence[Value] | None = None, at_least: float | None = None, at_most: float | None = None
) -> Step:  # fmt: skip
    """Return a filter on a column of an earlier step or of ``documents()``: documents with a missing or other value are dropped.

    Args:
        column: Name of the column; without a condition its value must be true.
        among: Values to keep.
        at_least: Smallest value to keep.
        at_most: Largest value to keep.
    """
    options: dict[str, Any] = {"column": column}
    options |= {"among": list(among)} if among is not None else {}
    options |= {"at_least": at_least} if at_least is not None else {}
    options |= {"at_most": at_most} if at_most is not None else {}
    return Step("keep", "filter", options)


def step(name: str, work: Measure, columns: Mapping[str, str], *, version: str = "1") -> Step:
    """Return a step from a function that maps a document's main text to columns.

    Args:
        name: Name of letters, digits, ``-`` and ``_``.
        work: Function from text to a mapping of columns to values.
        columns: Column → dtype: str, int64, float64, bool.
        version: Version of the function; change it to discard stored results.

    Raises:
        ConfigurationError: The name or a dtype is not valid.
    """
    if not name.replace("_", "a").replace("-", "a").isalnum() or not name.isascii():
        raise ConfigurationError(f"step {name!r}: a name has letters, digits, - and _")
    wrong = [dtype for dtype in columns.values() if dtype not in ("str", "int64", "float64", "bool")]
    if wrong:
        raise ConfigurationError(f"step {name!r}: dtype {wrong[0]!r}; there are str, int64, float64, bool")
    return Step(name, "columns", {"version": version}, dict(columns), work)
