"""What the theme and Sphinx write that a screen reader cannot use, written so that it can.

The buttons that open a part of the table of contents have no name, and a signature of several lines is a list of
definitions without terms.
"""

from __future__ import annotations

import re
from typing import Any, Final

_SIGNATURE: Final = re.compile(r'<dt class="sig .*?</dt>', re.DOTALL)
_LISTS: Final = {
    "<dl>": '<span class="signature-lines">',
    "</dl>": "</span>",
    "<dd>": '<span class="signature-line">',
    "</dd>": "</span>",
}


def setup(app: Any) -> dict[str, bool]:
    """Register the repair of pages, after the theme, which builds the table of contents."""
    app.connect("html-page-context", _repair, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _repair(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if "body" in context:
        context["body"] = _SIGNATURE.sub(lambda match: _lines(match[0]), context["body"])
    make = context.get("generate_toctree_html")
    if make is not None:
        context["generate_toctree_html"] = lambda *how, **more: _with_names(make(*how, **more))


def _lines(signature: str) -> str:
    for old, new in _LISTS.items():
        signature = signature.replace(old, new)
    return signature


def _with_names(contents: Any) -> Any:
    for button in contents.select("summary") if hasattr(contents, "select") else ():
        link = button.find_parent("li").find("a")
        button["aria-label"] = f"Pages of {link.get_text(strip=True)}"
    return contents
