"""Names of labels and of labeled documents: validation, suggestions for misspellings, resolution."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final

from corpuskit.errors import ConfigurationError, UnknownDocumentError
from corpuskit.labels.snapshot import UNSURE, snapshot_of
from corpuskit.store import CorpusFolder
from corpuskit.store.document_lookup import find_doc_ids
from corpuskit.store.labels import WITHDRAWN

NAMES: Final = ("relevant", "other", UNSURE, WITHDRAWN)
_ALIKE: Final = 0.75  # of two names, the share of letters in common from which on one may be meant for the other


def check_names(
    folder: CorpusFolder, labels: Iterable[str], *, new_class: bool = False, only_alike: bool = False
) -> None:
    """Refuse labels that are unlike those in use.

    Args:
        folder: the corpus.
        labels: the names, before they are given to any target.
        new_class: they are meant; none is refused.
        only_alike: refuse only those that one in use may be meant by.

    Raises:
        ConfigurationError: a label is not in use; the message names the nearest that is.
    """
    # What is no name at all is refused by the log, which says what it expects.
    asked = dict.fromkeys(label.strip() for label in labels if isinstance(label, str) and label.strip())
    unknown = [label for label in asked if label not in NAMES]
    if new_class or not unknown:
        return
    in_use = names_in_use(folder)
    for label in unknown:
        if label in in_use:
            continue
        nearest = _nearest(label, in_use)
        if nearest is None and only_alike:
            continue
        meant = f"did you mean {nearest!r}? " if nearest else ""
        raise ConfigurationError(
            f"the label {label!r} is not in use, expected one of {', '.join(in_use)}; {meant}"
            "a class of your own is begun with new_class=True (--new-class)"
        )


def names_in_use(folder: CorpusFolder) -> list[str]:
    """Return relevant, other, unsure and withdrawn, then the classes of one's own that some target has.

    Args:
        folder: The corpus folder.
    """
    given = sorted({row.label for row in snapshot_of(folder).given})
    return list(dict.fromkeys([*NAMES, *given]))


def _nearest(label: str, names: Iterable[str]) -> str | None:
    by_fold = {name.casefold(): name for name in names}
    found = get_close_matches(label.casefold(), by_fold, n=1, cutoff=_ALIKE)
    return by_fold[found[0]] if found else None


def of_documents(folder: CorpusFolder, labels: Mapping[str, str]) -> tuple[dict[str, str], dict[str, int]]:
    """Return the label and the last version of each document that is labelled, by doc_id.

    Args:
        folder: the corpus.
        labels: label by id, URI, or a file name that only one document has.

    Raises:
        UnknownDocumentError: a name means no document of the corpus, or several.
        ConfigurationError: two names mean one document and are labelled differently.
    """
    current = dict(folder.catalog.tuples("SELECT doc_id, version FROM current"))
    found: dict[str, str] = {}
    for name, doc_id in find_doc_ids(folder, labels).items():
        if doc_id not in current:
            raise UnknownDocumentError(f"the document {name!r} is not in the corpus any more")
        if found.setdefault(doc_id, labels[name]) != labels[name]:
            raise ConfigurationError(
                f"the document {doc_id} is named twice and labelled {found[doc_id]!r} and, as {name!r}, {labels[name]!r}"
            )
    return found, {doc_id: current[doc_id] for doc_id in found}
