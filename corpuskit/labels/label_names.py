"""Names of labels and of labeled documents: validation, suggestions for misspellings, resolution."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final

from corpuskit.errors import ConfigurationError, UnknownDocumentError
from corpuskit.labels.snapshot import UNSURE, current_snapshot
from corpuskit.store import CorpusFolder
from corpuskit.store.document_lookup import find_doc_ids
from corpuskit.store.labels import WITHDRAWN

NAMES: Final = ("relevant", "other", UNSURE, WITHDRAWN)
_MIN_SIMILARITY: Final = 0.75  # share of common letters from which on an unknown name is taken for a misspelling


def check_label_names(
    folder: CorpusFolder, labels: Iterable[str], *, new_class: bool = False, typos_only: bool = False
) -> None:
    """Raise if a label is not in use.

    Args:
        folder: The corpus folder.
        labels: Labels that are about to be assigned.
        new_class: Allow labels that are not in use.
        typos_only: Raise only for probable misspellings of a label in use.

    Raises:
        ConfigurationError: A label is not in use. The message suggests the most similar one.
    """
    # The label log rejects labels that are not strings.
    names = dict.fromkeys(label.strip() for label in labels if isinstance(label, str) and label.strip())
    unknown = [label for label in names if label not in NAMES]
    if new_class or not unknown:
        return
    in_use = label_names_in_use(folder)
    for label in unknown:
        if label in in_use:
            continue
        similar = _similar_name(label, in_use)
        if similar is None and typos_only:
            continue
        suggestion = f"did you mean {similar!r}? " if similar else ""
        raise ConfigurationError(
            f"the label {label!r} is not in use, expected one of {', '.join(in_use)}; {suggestion}"
            "pass new_class=True (--new-class) to add a class"
        )


def label_names_in_use(folder: CorpusFolder) -> list[str]:
    """Return relevant, other, unsure and withdrawn, then all other labels in use.

    Args:
        folder: The corpus folder.
    """
    in_use = sorted({row.label for row in current_snapshot(folder).annotator_labels})
    return list(dict.fromkeys([*NAMES, *in_use]))


def _similar_name(label: str, names: Iterable[str]) -> str | None:
    by_fold = {name.casefold(): name for name in names}
    matches = get_close_matches(label.casefold(), by_fold, n=1, cutoff=_MIN_SIMILARITY)
    return by_fold[matches[0]] if matches else None


def resolve_documents(folder: CorpusFolder, labels: Mapping[str, str]) -> tuple[dict[str, str], dict[str, int]]:
    """Resolve names of labelled documents. Return doc_id → label and doc_id → latest version.

    Args:
        folder: The corpus folder.
        labels: Name → label. A name is a doc_id, a URI, or a file name that only one document has.

    Raises:
        UnknownDocumentError: A name matches no document of the corpus, or several.
        ConfigurationError: Two names of one document have different labels.
    """
    current = dict(folder.catalog.tuples("SELECT doc_id, version FROM current"))
    resolved: dict[str, str] = {}
    for name, doc_id in find_doc_ids(folder, labels).items():
        if doc_id not in current:
            raise UnknownDocumentError(f"the document {name!r} is no longer in the corpus")
        if resolved.setdefault(doc_id, labels[name]) != labels[name]:
            raise ConfigurationError(
                f"the document {doc_id} is named twice, with the labels {resolved[doc_id]!r} and, as {name!r}, {labels[name]!r}"
            )
    return resolved, {doc_id: current[doc_id] for doc_id in resolved}
