"""Copies of the notebooks in the package."""

from __future__ import annotations

import shutil
from pathlib import Path

from corpuskit.errors import SourceError


def copy_notebooks(folder: Path) -> list[str]:
    """Copy the notebooks into a directory without overwriting files, and return the names of the new ones.

    Raises:
        SourceError: The notebooks are not installed.
    """
    package = Path(__file__).resolve().parent
    for source in (package / "notebooks", package.parents[1] / "notebooks"):
        notebooks = sorted(source.glob("[0-9]*.ipynb"))
        if notebooks:
            break
    else:
        raise SourceError("the notebooks were not found; install corpuskit from its wheel or use a checkout")
    folder.mkdir(parents=True, exist_ok=True)
    new = [path for path in notebooks if not (folder / path.name).exists()]
    for path in new:
        shutil.copyfile(path, folder / path.name)
    return [path.name for path in new]
