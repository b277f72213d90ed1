"""What all widgets share: where their code comes from, messages, and what is shown where no kernel runs."""

from __future__ import annotations

import html
import logging
from pathlib import Path
from typing import Any, Final

from corpuskit.errors import CorpusKitError, MissingExtraError

try:
    import anywidget
    import ipywidgets
except ImportError as error:
    raise MissingExtraError("anywidget", "notebook") from error

_FOLDER: Final = Path(__file__).parent
MAX_ROWS: Final = 5_000  # of one message from the page; more is a mistake or an attack on the kernel
logger = logging.getLogger(__name__)


def module(*names: str, folder: Path = _FOLDER) -> str:
    """Return the ES module of a widget: shell.js, then the named files of a folder or of this one.

    A browser gets the module as one blob, where a relative import finds nothing; so the files are put together here.
    """
    return _together(names, ".js", folder)


def styles(*names: str, folder: Path = _FOLDER) -> str:
    """Return the style sheet of a widget: shell.css, then the named files of a folder or of this one."""
    return _together(names, ".css", folder)


def _together(names: tuple[str, ...], suffix: str, folder: Path) -> str:
    paths = (folder / f"{name}{suffix}" for name in ("shell", *names))
    return "\n".join((path if path.exists() else _FOLDER / path.name).read_text("utf-8") for path in paths)


class Widget(anywidget.AnyWidget):
    """A widget that answers messages ``{op, ...}`` by its method ``_on_OP``, and that has a static picture.

    Messages come on the kernel's main thread or on that of a subshell.
    """

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.on_msg(self._answer)

    def _answer(self, _: object, content: dict[str, Any], buffers: object) -> None:
        handler = getattr(self, f"_on_{content.get('op')}", None) if isinstance(content, dict) else None
        if handler is None:
            return
        try:
            handler(content)
        except (CorpusKitError, OSError, ValueError, TypeError, KeyError, IndexError) as error:
            # Raised here it would vanish in the server's log; the page shows it.
            logger.debug("the message %r failed", content.get("op"), exc_info=True)
            self.send({"op": "error", "of": content.get("op"), "seq": content.get("seq"), "message": str(error)[:500]})

    def summary(self) -> str:
        """Return a description of the widget in one line."""
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<{self.summary()}>"

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Return the widget with static HTML for a page without a kernel."""
        bundle = super()._repr_mimebundle_(**options)
        return None if bundle is None else (bundle[0] | static(self.summary()), bundle[1])


class Box(ipywidgets.VBox):  # type: ignore[misc]
    """Widgets below each other, with a static picture."""

    def summary(self) -> str:
        """Return a description of the widgets in one line."""
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<{self.summary()}>"

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """Return the widgets with static HTML for a page without a kernel."""
        return dict(super()._repr_mimebundle_(**options)) | static(self.summary())


def static(line: str) -> dict[str, str]:
    """Return the HTML of a widget on a page without a kernel."""
    return {"text/plain": f"<{line}>", "text/html": f"<p>{html.escape(line)}. Run the cell to see it.</p>"}
