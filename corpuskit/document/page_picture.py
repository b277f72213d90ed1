"""Images of document pages."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True, repr=False)
class PagePicture:
    """The image of a page. Notebooks display it; :meth:`show` opens it and :meth:`save` writes it.

    Attributes:
        image: A Pillow image.
        number: 1-based page number.
        roles: Number of boxes by role.
    """

    image: Any
    number: int
    roles: dict[str, int] = field(default_factory=dict)

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.image.save(buffer, "PNG")
        return buffer.getvalue()

    def save(self, path: str) -> None:
        """Write the image. The suffix determines the format."""
        self.image.save(path)

    def show(self) -> None:
        """Display the image in the notebook, else in the default viewer of the system."""
        if "IPython" in sys.modules:
            from IPython.core.getipython import get_ipython
            from IPython.display import display

            if get_ipython() is not None:
                display(self)  # type: ignore[no-untyped-call]
                return
        self.image.show()

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {role}" for role, count in sorted(self.roles.items()))
        return f"<page {self.number}: {counts}>"
