"""Labels that machines give: kept apart from those of people, and how far the two agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Final

from corpuskit.errors import ConfigurationError
from corpuskit.labels.agreement import wilson_interval
from corpuskit.labels.judgements import judged_documents
from corpuskit.labels.snapshot import UNSURE, snapshot_of
from corpuskit.store import CorpusFolder
from corpuskit.store.formatting import pluralize
from corpuskit.store.labels import MACHINE, is_machine

_LONGEST: Final = 64


@dataclass(frozen=True, slots=True)
class Trust:
    """A machine against people, on the documents that both labelled; each count is named machine_people.

    Args:
        relevant_relevant: Number of documents that both call relevant.
        relevant_other: Number that the machine alone calls relevant.
        other_relevant: Number that people alone call relevant.
        other_other: Number that neither calls relevant.

    Attributes:
        by: the machine, with ``machine:`` before its name.
        informedness: sensitivity + specificity - 1 (Youden 1950): 1 is always right, 0 a guess; None where people found
            nothing relevant, or nothing else.
        low, high: its interval of 95 % (Newcombe 1998, method 10: the difference of two shares); None where it is.
    """

    by: str
    relevant_relevant: int
    relevant_other: int
    other_relevant: int
    other_other: int
    informedness: float | None
    low: float | None
    high: float | None

    @property
    def documents(self) -> int:
        """How many both labelled."""
        return self.relevant_relevant + self.relevant_other + self.other_relevant + self.other_other

    @property
    def agreed(self) -> int:
        """How many got the same label from both."""
        return self.relevant_relevant + self.other_other

    def __repr__(self) -> str:
        said = f"{self.by} agrees with people on {self.agreed:,} of {pluralize(self.documents, 'document')}"
        if self.informedness is None:
            return f"{said}: too few to tell how far it can be trusted"
        return f"{said}: informedness {self.informedness:.2f} ({self.low:.2f} to {self.high:.2f})"


def machine_name(name: str) -> str:
    """Return what a machine's labels are signed with: its name behind ``machine:``.

    Args:
        name: Its name.

    Raises:
        ConfigurationError: the name is empty, too long, or cannot be printed.
    """
    name = name.strip().removeprefix(MACHINE)
    if not name or len(name) > _LONGEST or not name.isprintable():
        raise ConfigurationError(f"the annotator's name {name[:80]!r}: expected 1 to {_LONGEST} printable characters")
    return f"{MACHINE}{name}"


def machine_labels(folder: CorpusFolder, *, positive: str = "relevant") -> dict[str, dict[str, str]]:
    """Return machine → document → ``relevant`` or ``other``; what it is unsure of is left out.

    Args:
        folder: the corpus.
        positive: the class to find; all others are ``other``.
    """
    found: dict[str, dict[str, str]] = {}
    for row in snapshot_of(folder).given:
        if is_machine(row.by) and row.kind == "document" and row.label != UNSURE:
            found.setdefault(row.by, {})[row.target] = "relevant" if row.label == positive else "other"
    return found


def trust(folder: CorpusFolder, *, positive: str = "relevant") -> list[Trust]:
    """Return each machine against what people say, those with most documents in common first.

    Labels that certify a model are left out, as in a training, and those that documents got with their group.

    Args:
        folder: The corpus folder.
        positive: The label that counts as relevant.
    """
    people = judged_documents(folder, positive=positive, copies=True, groups=False)
    found = [trust_of(by, said, people) for by, said in machine_labels(folder, positive=positive).items()]
    return sorted(found, key=lambda one: (-one.documents, one.by))


def trust_of(by: str, said: Mapping[str, str], people: Mapping[str, str]) -> Trust:
    """Return one machine (document → ``relevant`` or ``other``) against people (the same).

    Args:
        by: The machine.
        said: What it said: document → label.
        people: What people said: document → label.
    """
    pairs = [(label, people[target]) for target, label in said.items() if target in people]
    counts = [pairs.count((m, p)) for m in ("relevant", "other") for p in ("relevant", "other")]
    return Trust(by, *counts, *informedness(pairs))


def informedness(pairs: Iterable[tuple[str, str]]) -> tuple[float, float, float] | tuple[None, None, None]:
    """Return informedness and its interval of 95 % of (machine's label, people's label); see :class:`Trust`.

    Args:
        pairs: The machine's and people's label of each document.

    Example:
        >>> informedness([("relevant", "relevant"), ("other", "other")])[0]
        1.0
    """
    pairs = list(pairs)
    relevant = [machine == "relevant" for machine, people in pairs if people == "relevant"]
    other = [machine == "relevant" for machine, people in pairs if people != "relevant"]
    if not relevant or not other:
        return None, None, None
    first, second = sum(relevant) / len(relevant), sum(other) / len(other)
    low1, high1 = wilson_interval(sum(relevant), len(relevant))
    low2, high2 = wilson_interval(sum(other), len(other))
    value = first - second
    low = value - sqrt((first - low1) ** 2 + (high2 - second) ** 2)
    high = value + sqrt((high1 - first) ** 2 + (second - low2) ** 2)
    return value, max(-1.0, low), min(1.0, high)
