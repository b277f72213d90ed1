"""The map of a corpus: look, search, circle a region, label it, and see what a crawl brings in."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import traitlets

from corpuskit.document import NLPTextDocument
from corpuskit.errors import ConfigurationError, CorpusKitError
from corpuskit.features.vectors.widgets.map_about import about, found_by, title_of
from corpuskit.features.vectors.widgets.map_colours import COLOURS, coloured, palette
from corpuskit.features.vectors.widgets.map_groups import GroupLabels
from corpuskit.features.vectors.widgets.map_picture import page, png
from corpuskit.features.vectors.widgets.map_places import Indices, Places
from corpuskit.labels import check_label_names
from corpuskit.store import CorpusFolder
from corpuskit.store.schema import DOCUMENTS_STATE
from corpuskit.vectors import topic_column
from corpuskit.views import doc_selection, frames
from corpuskit.widgets.cards import checked_keys
from corpuskit.widgets.documents import show_document
from corpuskit.widgets.in_order import InOrder
from corpuskit.widgets.labeler import a_person
from corpuskit.widgets.shell import MAX_ROWS, Box, Widget, module, styles
from corpuskit.widgets.tree import DocumentTree

if TYPE_CHECKING:
    import pandas as pd

Source = Callable[[], "tuple[pd.DataFrame, pd.DataFrame | None]"]
"""Returns the points (doc_id, x, y, topic) and the regions (topic, name, level, parent, words), or None for these."""
Similar = Callable[[list[str]], "pd.DataFrame"]
"""Documents → the documents nearest to them, with a column doc_id."""

MAP_KEYS: Final[Mapping[str, str]] = {"r": "relevant", "o": "other", "u": "unsure"}
_TAKEN_KEYS: Final = frozenset("zvmltn/?+-=0 ")
_SECONDS: Final = 2.0  # between two looks at what is new
_SHARE: Final = 5.0  # times as long as the last look took, at least
_MOST_LIKE: Final = 1_000  # documents that more are wanted like
logger = logging.getLogger(__name__)


class MapPoints(Widget):
    """The map; the whole widget is :class:`DocumentMap`."""

    _esm = module(
        "rows",
        "map_points",
        "map_names",
        "map_list",
        "map_pointer",
        "map_stage",
        "map_search",
        "map",
        folder=Path(__file__).parent,
    )
    _css = styles("rows", "map", folder=Path(__file__).parent)
    places: Any = traitlets.Bytes().tag(sync=True)
    """Two float32 a point; NaN for one that is gone."""
    codes: Any = traitlets.Bytes().tag(sync=True)
    """A byte a point: colour and shape, see :class:`corpuskit.features.vectors.widgets.map_colours.Colouring`."""
    fine: Any = traitlets.Bytes().tag(sync=True)
    """A uint16 a point: its finest region."""
    regions: Any = traitlets.List().tag(sync=True)
    """[number, name, level, parent, documents, x, y, radius, words]"""
    legend: Any = traitlets.List().tag(sync=True)
    palette: Any = traitlets.Dict().tag(sync=True)
    colours: Any = traitlets.List(list(COLOURS)).tag(sync=True)
    colour = traitlets.Enum(COLOURS, default_value="topic").tag(sync=True)
    label_keys: Any = traitlets.List().tag(sync=True)
    height = traitlets.Int(480).tag(sync=True)
    has_similar = traitlets.Bool(False).tag(sync=True)

    def __init__(  # noqa: PLR0913 - the parts of a widget
        self, folder: CorpusFolder, source: Source, tree: DocumentTree, *, docs: Sequence[str] | None, colour: str | None,
        by: str, keys: Mapping[str, str], height: int, similar: Similar | None,
    ) -> None:  # fmt: skip
        self._folder, self._source, self._tree, self._similar = folder, source, tree, similar
        self._only = None if docs is None else set(docs)
        self._groups = GroupLabels(folder, by)
        self._order = InOrder(self._tell_saved)
        self._given: dict[int, dict[str, Any]] = {}
        self._lock = threading.RLock()
        self._stopped = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="corpuskit-map", daemon=True)
        self._chosen: Indices = np.empty(0, np.int64)
        self._listed, self._generation = np.empty(0, np.int64), 0
        self._labels = frozenset(keys.values())
        self._places = Places()
        self._seen: tuple[object, object] = ("", 0)
        self._look()
        first = colour or ("topic" if self._places.regions else "label")
        self._colouring = coloured(folder, self._places, first)
        super().__init__(
            palette=palette(), label_keys=[[key, label] for key, label in keys.items()], height=height, colour=first,
            has_similar=similar is not None, **self._drawn(), **self._told_colours(),
        )  # fmt: skip
        self.observe(lambda _: self._recolour(), "colour")
        folder.add_close_callback(self.stop)
        self._watcher.start()

    # -- what is on it -------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Takes in which documents there are, and where."""
        self._seen = self._state()
        points, regions = self._source()
        known = {doc_id for (doc_id,) in self._folder.catalog.tuples("SELECT doc_id FROM current")}
        self._places.take(points, regions, known if self._only is None else known & self._only)

    def _state(self) -> tuple[object, object]:
        """Changes with the documents and their scores, and with the labels."""
        self._folder.labels.refresh()
        catalog = self._folder.catalog
        return catalog.meta(DOCUMENTS_STATE), catalog.value("SELECT max(id) FROM labels")

    def _drawn(self) -> dict[str, Any]:
        xy = self._places.xy.copy()
        xy[self._places.gone] = np.nan
        regions = [
            [number, r.name, r.level, r.parent, r.documents, r.x, r.y, r.radius, r.words]
            for number, r in ((number, self._places.regions[at]) for number, at in self._numbered())
        ]
        return {"places": xy.tobytes(), "fine": self._places.fine.tobytes(), "regions": regions}

    def _numbered(self) -> list[tuple[str, int]]:
        return sorted(self._places.outline(), key=lambda row: row[1])

    def _told_colours(self) -> dict[str, Any]:
        return {"codes": self._colouring.codes.tobytes(), "legend": [list(row) for row in self._colouring.legend]}

    def _recolour(self) -> None:
        with self._lock, self.hold_sync():
            self._colouring = coloured(self._folder, self._places, self.colour)
            for name, value in self._told_colours().items():
                setattr(self, name, value)

    def refresh(self) -> int:
        """Takes in documents, topics and labels that are new; returns how many documents came."""
        with self._lock, self.hold_sync():
            before = len(self._places.ids)
            self._look()
            for name, value in self._drawn().items():
                setattr(self, name, value)
            self._recolour()
            return len(self._places.ids) - before

    def _watch(self) -> None:
        """Has what a crawl or another widget adds appear."""
        pause = _SECONDS
        while not self._stopped.wait(pause):
            begun = time.monotonic()
            try:
                before, self._seen = self._seen, self._state()
                if self._seen[0] != before[0]:
                    self.refresh()
                elif self._seen != before:
                    self._recolour()
            except (CorpusKitError, OSError, sqlite3.Error, ValueError, KeyError) as error:
                logger.debug("the map could not be renewed: %s", error)
            pause = max(_SECONDS, _SHARE * (time.monotonic() - begun))  # a crawl needs the processor too

    def stop(self) -> None:
        """Ends the look-out for what is new."""
        self._stopped.set()
        if self._watcher.is_alive() and threading.current_thread() is not self._watcher:
            self._watcher.join()

    def close(self) -> None:
        """Ends the look-out for what is new, and the widget."""
        self.stop()
        super().close()

    def picture(self) -> bytes:
        """The map as a PNG, as it is now."""
        with self._lock:
            return png(self._places, self._colouring)

    def static(self) -> str:
        """The picture with its legend and regions as HTML."""
        with self._lock:
            return page(self._places, self._colouring, self.picture(), line=self.summary(), by=self.colour)

    def summary(self) -> str:
        """How many documents and regions."""
        regions = len(self._places.regions)
        told = f", {regions:,} region{'s' * (regions != 1)}" if regions else ""
        return f"Map: {len(self._places):,} document{'s' * (len(self._places) != 1)}{told}"

    # -- what is chosen ------------------------------------------------------------------------------------------------

    @property
    def selection(self) -> pd.DataFrame:
        """The chosen documents, as :meth:`corpuskit.corpus.Corpus.documents` gives them."""
        found = frames.documents(self._folder, self._ids(self._chosen))
        found = found.assign(**topic_column(self._folder, found["doc_id"].tolist()))
        return found

    def select(self, doc_ids: Sequence[str]) -> int:
        """Chooses documents, also on the page; returns how many of them are on the map."""
        rows = [self._places.row[doc_id] for doc_id in dict.fromkeys(doc_ids) if doc_id in self._places.row]
        self._choose(np.array(rows, np.int64))
        self.send({"op": "choose"}, buffers=[self._chosen.astype("<u4").tobytes()])
        return len(self._chosen)

    def _choose(self, rows: Indices) -> None:
        with self._lock:
            self._chosen = rows[~self._places.gone[rows]]

    def _ids(self, rows: Indices) -> list[str]:
        return [self._places.ids[row] for row in rows.tolist()]

    def undo(self) -> int:
        """Takes the last group of labels back; returns how many documents that were."""
        key = self._groups.last()
        return self._groups.take_back(key) if key is not None else 0

    # -- messages ------------------------------------------------------------------------------------------------------

    def _answer(self, _: object, content: dict[str, Any], buffers: Any) -> None:
        if isinstance(content, dict):
            content = {**content, "rows_of": list(buffers or [])}
        super()._answer(_, content, buffers)

    def _rows(self, message: dict[str, Any]) -> Indices:
        """The points that a message is of: each once, and each on the map.

        Raises:
            ValueError: it is not.
        """
        rows = np.unique(np.frombuffer(bytes(message["rows_of"][0]), "<u4").astype(np.int64))
        if len(rows) and rows[-1] >= len(self._places.ids):
            raise ValueError(f"point {rows[-1]}: expected one of {len(self._places.ids)}")
        return rows

    def _row(self, message: dict[str, Any]) -> int:
        row = int(message["row"])
        if not 0 <= row < len(self._places.ids):
            raise ValueError(f"point {row}: expected one of {len(self._places.ids)}")
        return row

    def _on_select(self, message: dict[str, Any]) -> None:
        self._choose(self._rows(message))

    def _on_label(self, message: dict[str, Any]) -> None:
        """One label for a group."""
        label = str(message["label"])
        if label not in self._labels:
            raise ConfigurationError(f"label {label!r}: expected one of {', '.join(sorted(self._labels))}")
        doc_ids, key = self._ids(self._rows(message)), (str(message["page"]), int(message["seq"]))

        def save() -> None:
            given = self._groups.give(key, doc_ids, label)
            self._given[key[1]] = {"n": given.saved, "kept": given.kept, "label": label}

        self._order.do(message, save)

    def _on_undo(self, message: dict[str, Any]) -> None:
        """The group of the message ``of`` is taken back."""

        def save() -> None:
            count = self._groups.take_back((str(message["page"]), int(message["of"])))
            self._given[int(message["seq"])] = {"n": count, "kept": 0, "label": ""}

        self._order.do(message, save)

    def _tell_saved(self, seq: int) -> None:
        self.send({"op": "saved", "seq": seq, **self._given.get(seq, {"n": 0, "kept": 0, "label": ""})})
        if self.colour == "label":
            self._recolour()

    def _on_list(self, message: dict[str, Any]) -> None:
        """Which documents the list is of."""
        with self._lock:
            self._listed = self._rows(message) if message["rows_of"] else np.flatnonzero(~self._places.gone)
            self._generation = int(message["generation"])
        self.send({"op": "listed", "generation": self._generation, "n": len(self._listed)})

    def _on_rows(self, message: dict[str, Any]) -> None:
        with self._lock:
            if message["generation"] != self._generation:
                return
            start = max(0, int(message["start"]))
            part = self._listed[start : min(int(message["end"]), start + MAX_ROWS)]
        told = title_of(self._folder, self._ids(part))
        rows = [[row, *told.get(self._places.ids[row], ("(removed)", ""))] for row in part.tolist()]
        self.send({"op": "rows", "generation": message["generation"], "start": start, "rows": rows})

    def _on_title(self, message: dict[str, Any]) -> None:
        row = self._row(message)
        title, _ = title_of(self._folder, [self._places.ids[row]]).get(self._places.ids[row], ("(removed)", ""))
        self.send({"op": "title", "row": row, "title": title})

    def _on_about(self, message: dict[str, Any]) -> None:
        row = self._row(message)
        region = int(self._places.fine[row])
        name = self._places.regions[region].name if region < len(self._places.regions) else ""
        self.send({"op": "about", "row": row, **about(self._folder, self._places.ids[row], name)})

    def _on_open(self, message: dict[str, Any]) -> None:
        show_document(self._tree, self._folder, self._places.ids[self._row(message)])
        self._tree.layout.display = ""
        self.send({"op": "opened"})

    def _on_search(self, message: dict[str, Any]) -> None:
        found = found_by(self._folder, str(message["text"])[:300], in_texts=bool(message["in_texts"]))
        self._light(found, message)

    def _on_similar(self, message: dict[str, Any]) -> None:
        rows = self._rows(message)
        if self._similar is None or not len(rows):
            return
        if len(rows) > _MOST_LIKE:
            raise ConfigurationError(f"{len(rows):,} documents: choose {_MOST_LIKE:,} or fewer to find more like them")
        self._light(self._similar(self._ids(rows))["doc_id"].tolist(), message)

    def _light(self, doc_ids: Sequence[str], message: dict[str, Any]) -> None:
        with self._lock:
            rows = [self._places.row[doc_id] for doc_id in doc_ids if doc_id in self._places.row]
            rows = [row for row in rows if not self._places.gone[row]]
        found = np.array(rows, "<u4")
        self.send(
            {"op": "hits", "seq": message["seq"], "of": message["op"], "n": len(found)}, buffers=[found.tobytes()]
        )

    def _on_picture(self, message: dict[str, Any]) -> None:
        """For a page that cannot draw."""
        self.send({"op": "picture"}, buffers=[self.picture()])


class DocumentMap(Box):
    """All documents of a corpus on a map, and below it the chosen one as a tree.

    Args:
        folder: the corpus.
        source: gives the points and regions, see ``Source``; asked again when documents come.
        docs: only these; None for all.
        colour: ``topic``, ``label``, ``relevance``, ``source``, ``language`` or ``date``; None: topic where there are some.
        by: whose labels are given; default: the user's name.
        keys: key → label; default r relevant, o other, u unsure.
        height: of the map in pixels.
        similar: finds documents like some; None: the widget does not offer it.

    A key labels all chosen documents as one group, see ``GroupLabels``.

    Raises:
        ConfigurationError: a wrong colour, key, label or name.
    """

    def __init__(
        self, folder: CorpusFolder, source: Source, *, docs: Sequence[str] | None = None, colour: str | None = None,
        by: str | None = None, keys: Mapping[str, str] | None = None, height: int = 480, similar: Similar | None = None,
    ) -> None:  # fmt: skip
        if colour is not None and colour not in COLOURS:
            raise ConfigurationError(f"colour={colour!r}: expected one of {', '.join(COLOURS)}")
        if not 200 <= height <= 4_000:
            raise ConfigurationError(f"height={height}: expected 200 to 4,000 pixels")
        self._folder = folder
        chosen = checked_keys(keys or MAP_KEYS, _TAKEN_KEYS)
        check_label_names(folder, chosen.values(), typos_only=True)
        self.tree = DocumentTree(NLPTextDocument(), height=300, with_original=True, with_labels=True)
        self.tree.layout.display = "none"
        self.points = MapPoints(
            folder, source, self.tree, docs=docs, colour=colour, by=a_person(by), keys=chosen, height=height,
            similar=similar,
        )  # fmt: skip
        super().__init__([self.points, self.tree])

    @property
    def selection(self) -> pd.DataFrame:
        """The chosen documents, as a DataFrame like that of ``documents()``."""
        return self.points.selection

    def select(self, docs: Any) -> int:
        """Select documents, also on the page, and return how many of them are on the map.

        Args:
            docs: Documents: a DataFrame or Series with ``doc_id``, ids, URIs or file names, or the name of a sub-corpus.

        Raises:
            UnknownDocumentError: A document is not in the corpus.
        """
        return self.points.select(doc_selection.doc_ids_of(self._folder, docs) or [])

    def undo(self) -> int:
        """Take the last group of labels back and return the number of its documents."""
        return self.points.undo()

    def refresh(self) -> int:
        """Take in documents that came, which happens by itself every few seconds too, and return their number."""
        return self.points.refresh()

    def picture(self) -> bytes:
        """Return the map as a PNG, as it is now."""
        return self.points.picture()

    def close(self) -> None:
        """End the widget."""
        if (points := vars(self).get("points")) is not None:  # one that was refused is closed too
            points.close()
        super().close()

    def summary(self) -> str:
        """Return the number of documents and regions."""
        return self.points.summary()

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """The widget, and beside it a picture, its legend and its regions."""
        return super()._repr_mimebundle_(**options) | {"text/html": self.points.static()}
