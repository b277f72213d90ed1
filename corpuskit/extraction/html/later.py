"""A column of marks that is made when somebody looks at it: most who read a page's text never ask where it stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

_LOOKS: Final = (
    "__contains__", "__delitem__", "__eq__", "__getitem__", "__ior__", "__iter__", "__len__", "__ne__", "__or__",
    "__repr__", "__reversed__", "__ror__", "__setitem__", "clear", "copy", "get", "items", "keys", "pop", "popitem",
    "setdefault", "update", "values",
)  # fmt: skip


class Later(dict[int, Any]):
    """A dictionary that fills itself at the first look; a copy in another process is a plain one."""

    __slots__ = ("_make",)
    __hash__ = None

    def __init__(self, make: Callable[[], dict[int, Any]]) -> None:
        super().__init__()
        self._make: Callable[[], dict[int, Any]] | None = make

    def fill(self) -> None:
        """Makes what is not made yet."""
        if self._make is not None:
            made, self._make = self._make(), None
            dict.update(self, made)

    def __reduce__(self) -> tuple[type[dict[int, Any]], tuple[dict[int, Any]]]:
        self.fill()
        return dict, (dict(self),)


def _filled_first(name: str) -> Callable[..., Any]:
    method = getattr(dict, name)

    def look(self: Later, *arguments: Any, **more: Any) -> Any:
        self.fill()
        for other in arguments:
            if isinstance(other, Later):
                other.fill()
        return method(self, *arguments, **more)

    look.__name__ = name
    return look


for _name in _LOOKS:
    setattr(Later, _name, _filled_first(_name))
