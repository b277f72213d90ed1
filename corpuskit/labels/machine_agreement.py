"""Labels by machines: names, labels and agreement with people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Final

from corpuskit.errors import ConfigurationError
from corpuskit.labels.agreement import wilson_interval
from corpuskit.labels.snapshot import UNSURE, current_snapshot
from corpuskit.labels.training_examples import training_labels
from corpuskit.store import CorpusFolder
from corpuskit.store.formatting import pluralize
from corpuskit.store.labels import MACHINE, is_machine

_MAX_NAME_LENGTH: Final = 64


@dataclass(frozen=True, slots=True)
class MachineAgreement:
    """Agreement of a machine with people, on the documents that both labelled.

    The counts are named machine_people: ``relevant_other`` counts documents that the machine labelled relevant and people
    labelled other.

    Args:
        relevant_relevant: Number of documents that both labelled relevant.
        relevant_other: Number that only the machine labelled relevant.
        other_relevant: Number that only people labelled relevant.
        other_other: Number that both labelled other.

    Attributes:
        by: The machine, with the prefix ``machine:``.
        informedness: Sensitivity + specificity - 1 (Youden 1950). 1 is perfect, 0 is chance. None if people used only one
            of the two labels.
        low, high: Its 95 % confidence interval (Newcombe 1998, method 10: difference of two proportions). None if
            informedness is None.
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
        """Number of documents that both labelled."""
        return self.relevant_relevant + self.relevant_other + self.other_relevant + self.other_other

    @property
    def agreed(self) -> int:
        """Number of documents with the same label by both."""
        return self.relevant_relevant + self.other_other

    def __repr__(self) -> str:
        summary = f"{self.by} agrees with people on {self.agreed:,} of {pluralize(self.documents, 'document')}"
        if self.informedness is None:
            return f"{summary}: too few to estimate its informedness"
        return f"{summary}: informedness {self.informedness:.2f} ({self.low:.2f} to {self.high:.2f})"


def machine_name(name: str) -> str:
    """Return the name that the labels of a machine are stored under, with the prefix ``machine:``.

    Args:
        name: Name of the machine.

    Raises:
        ConfigurationError: The name is empty, too long, or not printable.
    """
    name = name.strip().removeprefix(MACHINE)
    if not name or len(name) > _MAX_NAME_LENGTH or not name.isprintable():
        raise ConfigurationError(
            f"the annotator's name {name[:80]!r}: expected 1 to {_MAX_NAME_LENGTH} printable characters"
        )
    return f"{MACHINE}{name}"


def machine_labels(folder: CorpusFolder, *, positive: str = "relevant") -> dict[str, dict[str, str]]:
    """Return machine → document → ``relevant`` or ``other``. Labels ``unsure`` are left out.

    Args:
        folder: The corpus folder.
        positive: The positive class. All other classes are ``other``.
    """
    labels: dict[str, dict[str, str]] = {}
    for row in current_snapshot(folder).annotator_labels:
        if is_machine(row.by) and row.kind == "document" and row.label != UNSURE:
            labels.setdefault(row.by, {})[row.target] = "relevant" if row.label == positive else "other"
    return labels


def machine_agreements(folder: CorpusFolder, *, positive: str = "relevant") -> list[MachineAgreement]:
    """Return the agreement of each machine with people, most documents in common first.

    Audit labels are left out, as in training, and so are labels of groups.

    Args:
        folder: The corpus folder.
        positive: The positive class.
    """
    people = training_labels(folder, positive=positive, copies=True, groups=False)
    rows = [
        agreement_with_people(by, labels, people) for by, labels in machine_labels(folder, positive=positive).items()
    ]
    return sorted(rows, key=lambda row: (-row.documents, row.by))


def agreement_with_people(by: str, labels: Mapping[str, str], people: Mapping[str, str]) -> MachineAgreement:
    """Return the agreement of one machine with people.

    Args:
        by: The machine.
        labels: Its labels: document → ``relevant`` or ``other``.
        people: Labels by people: document → ``relevant`` or ``other``.
    """
    pairs = [(label, people[target]) for target, label in labels.items() if target in people]
    counts = [pairs.count((m, p)) for m in ("relevant", "other") for p in ("relevant", "other")]
    return MachineAgreement(by, *counts, *informedness(pairs))


def informedness(pairs: Iterable[tuple[str, str]]) -> tuple[float, float, float] | tuple[None, None, None]:
    """Return informedness and its 95 % confidence interval, see :class:`MachineAgreement`.

    Args:
        pairs: (label by the machine, label by people) per document.
    Example:
        >>> informedness([("relevant", "relevant"), ("other", "other")])[0]
        1.0
    """
    pairs = list(pairs)
    relevant = [machine == "relevant" for machine, people in pairs if people == "relevant"]
    other = [machine == "relevant" for machine, people in pairs if people != "relevant"]
    if not relevant or not other:
        return None, None, None
    sensitivity, false_rate = sum(relevant) / len(relevant), sum(other) / len(other)
    low1, high1 = wilson_interval(sum(relevant), len(relevant))
    low2, high2 = wilson_interval(sum(other), len(other))
    value = sensitivity - false_rate
    low = value - sqrt((sensitivity - low1) ** 2 + (high2 - false_rate) ** 2)
    high = value + sqrt((high1 - sensitivity) ** 2 + (false_rate - low2) ** 2)
    return value, max(-1.0, low), min(1.0, high)
