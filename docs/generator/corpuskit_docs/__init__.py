"""Builds the manual: ``uv run --group docs build-docs``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

DOCS: Final = Path(__file__).resolve().parents[2]
BUILT: Final = DOCS / "_build"


def build(out: Path = BUILT / "html") -> int:
    """Build the manual as web pages; every warning is an error.

    Args:
        out: The folder of the pages.

    Returns:
        The exit code, 0 without warnings.
    """
    from sphinx.cmd.build import main as sphinx

    # -E: pages contain docstrings, and Sphinx cannot detect that these have changed.
    options = ["-b", "html", "-E", "-W", "--keep-going", "-n", "-q", "-d", str(out.parent / "doctrees")]
    return sphinx([*options, str(DOCS), str(out)])


def main() -> None:
    """Write the generated parts of the pages, build the manual and print its location."""
    from corpuskit_docs.plain_markdown import write_generated

    for page in write_generated(DOCS / "reference"):
        print(f"updated {page.relative_to(DOCS.parent)}")
    code = build()
    if code == 0:
        print(f"The manual: {BUILT / 'html' / 'index.html'}")
    sys.exit(code)
