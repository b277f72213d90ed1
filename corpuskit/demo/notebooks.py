"""The notebooks that come with corpuskit."""

from __future__ import annotations

import shutil
from pathlib import Path

from corpuskit.errors import SourceError


def copy_notebooks(folder: Path) -> list[str]:
    """Copies the notebooks into a folder; those that are there stay as they are. Returns the names of the new ones.

    Raises:
        SourceError: the notebooks are not installed.
    """
    package = Path(__file__).resolve().parent
    for source in (package / "notebooks", package.parents[1] / "notebooks"):
        found = sorted(source.glob("[0-9]*.ipynb"))
        if found:
            break
    else:
        raise SourceError("the notebooks are not there; install corpuskit from its wheel or use a checkout")
    folder.mkdir(parents=True, exist_ok=True)
    new = [path for path in found if not (folder / path.name).exists()]
    for path in new:
        shutil.copyfile(path, folder / path.name)
    return [path.name for path in new]
