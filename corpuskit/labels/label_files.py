"""Import of labels from CSV files and lists of URLs."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from corpuskit.errors import ConfigurationError
from corpuskit.labels.label_names import check_label_names
from corpuskit.sources.lists import read_url_list
from corpuskit.store import CorpusFolder
from corpuskit.store.formatting import pluralize

_MAX_BYTES: Final = 256 << 20


@dataclass(frozen=True, slots=True)
class LabelImport:
    """Result of an import.

    Args:
        imported: Number of imported labels. ``taken`` is an earlier name of it.
        unknown: Targets that are not in the corpus.
    """

    imported: int
    unknown: tuple[str, ...]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> int:
            """Return the value of an attribute by its earlier name."""
            if name == "taken":
                return self.imported
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        missing = f", {len(self.unknown)} not in the corpus: {', '.join(self.unknown[:3])}" if self.unknown else ""
        return f"{pluralize(self.imported, 'label')} taken{missing}{', ...' if len(self.unknown) > 3 else ''}"


def import_labels(
    folder: CorpusFolder, file: Path, *, by: str, new_class: bool = False, label: str | None = None
) -> LabelImport:
    """Import the labels of a CSV file with the columns target and label.

    A target is a doc_id, a URI or a file name. Rows without a label are skipped. With ``label`` the file is a list of
    URLs that all get this label: one URL per line, or tab-separated id, URL and time, see
    ``corpuskit.sources.lists.read_url_list``.

    Args:
        folder: The corpus folder.
        file: The file.
        by: Annotator.
        new_class: Allow a label that is not in use.
        label: Label of all targets, for a file that is a list of URLs.

    Raises:
        ConfigurationError: The file cannot be read, lacks a column, or has a label that is not in use and ``new_class``
            is False. Nothing is imported.
    """
    pairs = (
        [(target, name) for target, name in read_label_file(file) if name] if label is None else _listed(file, label)
    )
    check_label_names(folder, (name for _, name in pairs), new_class=new_class)
    versions: dict[str, int] = {}
    ids: dict[str, str] = {}
    for row in folder.catalog.rows("SELECT doc_id, uri, host, version FROM current ORDER BY host DESC, uri DESC"):
        versions[row["doc_id"]] = row["version"]
        if not row["host"]:
            ids[row["uri"].rpartition("/")[2]] = row["doc_id"]
        ids[row["uri"]] = ids[row["doc_id"]] = row["doc_id"]
    known = [(ids[target], name) for target, name in pairs if target in ids]
    imported = folder.labels.add(((doc_id, "document", name) for doc_id, name in known), by=by, versions=versions)
    return LabelImport(imported, tuple(target for target, _ in pairs if target not in ids))


def _listed(file: Path, label: str) -> list[tuple[str, str]]:
    """Return the URLs of a list with their label, without prefixes of the Internet Archive."""
    lines = io.StringIO(_content(file).decode("utf-8-sig", "replace"))
    return [(listed.url, label) for listed in read_url_list(lines)]


def _content(file: Path) -> bytes:
    """Return the content of a file. It can be a pipe or an endless device, so the size is limited."""
    try:
        with file.open("rb") as handle:
            content = handle.read(_MAX_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error}") from error
    if len(content) > _MAX_BYTES:
        raise ConfigurationError(f"{file}: expected a file of labels, found more than {_MAX_BYTES:,} bytes")
    return content


def read_label_file(file: Path) -> list[tuple[str, str]]:
    """Return (target, label) of each row of a CSV file.

    Args:
        file: The file.

    Raises:
        ConfigurationError: The file cannot be read, or lacks the column target or label.
    """
    try:
        handle = io.StringIO(_content(file).decode("utf-8-sig"), newline="")
        head = handle.readline()
        delimiter = max(",;\t", key=head.count)  # spreadsheets write semicolons if the decimal separator is a comma
        names = [name.strip().lower() for name in next(csv.reader([head], delimiter=delimiter), [])]
        if not {"target", "label"} <= set(names):
            raise ConfigurationError(f"{file}: found columns {', '.join(names) or 'none'}, expected target and label")
        reader = csv.DictReader(handle, fieldnames=names, delimiter=delimiter)
        return [((row["target"] or "").strip(), (row["label"] or "").strip()) for row in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ConfigurationError(f"{file} cannot be read: {error}") from error
