"""A page of a document as a picture, in a notebook or outside."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True, repr=False)
class PagePicture:
    """The picture of a page: shown by a notebook, by :meth:`show`, or written with :meth:`save`.

    Attributes:
        image: a Pillow image.
        roles: role → how many boxes it has.
    """

    image: Any
    number: int
    roles: dict[str, int] = field(default_factory=dict)

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.image.save(buffer, "PNG")
        return buffer.getvalue()

    def save(self, path: str) -> None:
        """Write the picture; the suffix says in which format."""
        self.image.save(path)

    def show(self) -> None:
        """Show the picture in the notebook, else in the system's viewer."""
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
