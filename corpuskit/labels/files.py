"""Labels from CSV files."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from corpuskit.errors import ConfigurationError
from corpuskit.labels.names import check_names
from corpuskit.sources.lists import read_url_list
from corpuskit.store import CorpusFolder
from corpuskit.store.formatting import pluralize

_MOST_BYTES: Final = 256 << 20


@dataclass(frozen=True, slots=True)
class LabelImport:
    """What came of an import: how many labels were taken, and the targets that are not in the corpus.

    Args:
        taken: Number of labels that were taken.
        unknown: Targets that are not in the corpus.
    """

    taken: int
    unknown: tuple[str, ...]

    def __repr__(self) -> str:
        lacking = f", {len(self.unknown)} not in the corpus: {', '.join(self.unknown[:3])}" if self.unknown else ""
        return f"{pluralize(self.taken, 'label')} taken{lacking}{', ...' if len(self.unknown) > 3 else ''}"


def import_labels(
    folder: CorpusFolder, file: Path, *, by: str, new_class: bool = False, label: str | None = None
) -> LabelImport:
    """Take the labels of a CSV file with columns target and label; a target is a doc_id, a URI or a file's name.

    Rows without a label, not judged yet, are passed over. With ``label`` the file is a list of what has this one label: a
    URL a line, or tab-separated as id, URL, time, as ``corpuskit.sources.lists.read_url_list`` reads it.

    Args:
        folder: The corpus folder.
        file: The file.
        by: Who gave the labels.
        new_class: Allow a label that is not in use.
        label: The one label of a file that is a list of targets.

    Raises:
        ConfigurationError: the file cannot be read, lacks a column, or has a label that is not in use without
            ``new_class``; then none is taken.
    """
    given = (
        [(target, name) for target, name in read_label_file(file) if name] if label is None else _listed(file, label)
    )
    check_names(folder, (name for _, name in given), new_class=new_class)
    versions: dict[str, int] = {}
    ids: dict[str, str] = {}
    for row in folder.catalog.rows("SELECT doc_id, uri, host, version FROM current ORDER BY host DESC, uri DESC"):
        versions[row["doc_id"]] = row["version"]
        if not row["host"]:
            ids[row["uri"].rpartition("/")[2]] = row["doc_id"]
        ids[row["uri"]] = ids[row["doc_id"]] = row["doc_id"]
    known = [(ids[target], name) for target, name in given if target in ids]
    taken = folder.labels.add(((doc_id, "document", name) for doc_id, name in known), by=by, versions=versions)
    return LabelImport(taken, tuple(target for target, _ in given if target not in ids))


def _listed(file: Path, label: str) -> list[tuple[str, str]]:
    """The URLs of a list of one class, without the prefix of the archive."""
    lines = io.StringIO(_content(file).decode("utf-8-sig", "replace"))
    return [(listed.url, label) for listed in read_url_list(lines)]


def _content(file: Path) -> bytes:
    """The bytes of a file, which may be a pipe or a device without an end."""
    try:
        with file.open("rb") as handle:
            content = handle.read(_MOST_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error}") from error
    if len(content) > _MOST_BYTES:
        raise ConfigurationError(f"{file} has more than {_MOST_BYTES:,} bytes: no file of labels")
    return content


def read_label_file(file: Path) -> list[tuple[str, str]]:
    """Return (target, label) of each row of a CSV file.

    Args:
        file: The file.

    Raises:
        ConfigurationError: it cannot be read, or lacks the column target or label.
    """
    try:
        handle = io.StringIO(_content(file).decode("utf-8-sig"), newline="")
        head = handle.readline()
        delimiter = max(",;\t", key=head.count)  # a semicolon where the comma is a decimal one
        names = [name.strip().lower() for name in next(csv.reader([head], delimiter=delimiter), [])]
        if not {"target", "label"} <= set(names):
            raise ConfigurationError(f"{file}: found columns {', '.join(names) or 'none'}, expected target and label")
        reader = csv.DictReader(handle, fieldnames=names, delimiter=delimiter)
        return [((row["target"] or "").strip(), (row["label"] or "").strip()) for row in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ConfigurationError(f"{file} cannot be read: {error}") from error
