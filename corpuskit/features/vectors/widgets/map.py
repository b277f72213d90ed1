"""Map widget of a corpus: browse, search, select and label regions, and follow a crawl."""

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
from corpuskit.features.vectors.widgets.map_about import about, search_documents, titles_and_sources
from corpuskit.features.vectors.widgets.map_colours import COLOURS, colour_points, palette
from corpuskit.features.vectors.widgets.map_groups import GroupLabels
from corpuskit.features.vectors.widgets.map_picture import page, png
from corpuskit.features.vectors.widgets.map_places import Indices, PointLayout
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
"""Documents → the documents most similar to them, with a column doc_id."""

MAP_KEYS: Final[Mapping[str, str]] = {"r": "relevant", "o": "other", "u": "unsure"}
_TAKEN_KEYS: Final = frozenset("zvmltn/?+-=0 ")
_MIN_PAUSE: Final = 2.0  # seconds between two checks for changes
_PAUSE_FACTOR: Final = 5.0  # minimum pause as a multiple of the duration of the last check
_MAX_QUERY_DOCUMENTS: Final = 1_000  # documents of a similarity query
logger = logging.getLogger(__name__)


class MapPoints(Widget):
    """Interactive map, a part of :class:`DocumentMap`."""

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
    """Two float32 per point, NaN for removed documents."""
    codes: Any = traitlets.Bytes().tag(sync=True)
    """One byte per point: colour and shape, see :class:`corpuskit.features.vectors.widgets.map_colours.Colouring`."""
    fine: Any = traitlets.Bytes().tag(sync=True)
    """One uint16 per point: its finest region."""
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
        self._results: dict[int, dict[str, Any]] = {}
        self._lock = threading.RLock()
        self._stopped = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="corpuskit-map", daemon=True)
        self._chosen: Indices = np.empty(0, np.int64)
        self._listed, self._generation = np.empty(0, np.int64), 0
        self._labels = frozenset(keys.values())
        self._point_layout = PointLayout()
        self._seen: tuple[object, object] = ("", 0)
        self._look()
        first = colour or ("topic" if self._point_layout.regions else "label")
        self._colouring = colour_points(folder, self._point_layout, first)
        super().__init__(
            palette=palette(), label_keys=[[key, label] for key, label in keys.items()], height=height, colour=first,
            has_similar=similar is not None, **self._drawn(), **self._colour_state(),
        )  # fmt: skip
        self.observe(lambda _: self._recolour(), "colour")
        folder.add_close_callback(self.stop)
        self._watcher.start()

    # -- points and colours --------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Update the documents and their positions."""
        self._seen = self._state()
        points, regions = self._source()
        known = {doc_id for (doc_id,) in self._folder.catalog.tuples("SELECT doc_id FROM current")}
        self._point_layout.take(points, regions, known if self._only is None else known & self._only)

    def _state(self) -> tuple[object, object]:
        """Return a key that changes with documents, scores and labels."""
        self._folder.labels.refresh()
        catalog = self._folder.catalog
        return catalog.meta(DOCUMENTS_STATE), catalog.value("SELECT max(id) FROM labels")

    def _drawn(self) -> dict[str, Any]:
        xy = self._point_layout.xy.copy()
        xy[self._point_layout.gone] = np.nan
        regions = [
            [number, r.name, r.level, r.parent, r.documents, r.x, r.y, r.radius, r.words]
            for number, r in ((number, self._point_layout.regions[at]) for number, at in self._numbered())
        ]
        return {"places": xy.tobytes(), "fine": self._point_layout.fine.tobytes(), "regions": regions}

    def _numbered(self) -> list[tuple[str, int]]:
        return sorted(self._point_layout.outline(), key=lambda row: row[1])

    def _colour_state(self) -> dict[str, Any]:
        return {"codes": self._colouring.codes.tobytes(), "legend": [list(row) for row in self._colouring.legend]}

    def _recolour(self) -> None:
        with self._lock, self.hold_sync():
            self._colouring = colour_points(self._folder, self._point_layout, self.colour)
            for name, value in self._colour_state().items():
                setattr(self, name, value)

    def refresh(self) -> int:
        """Update documents, topics and labels, and return the number of new documents."""
        with self._lock, self.hold_sync():
            before = len(self._point_layout.ids)
            self._look()
            for name, value in self._drawn().items():
                setattr(self, name, value)
            self._recolour()
            return len(self._point_layout.ids) - before

    def _watch(self) -> None:
        """Show changes by a crawl or another widget."""
        pause = _MIN_PAUSE
        while not self._stopped.wait(pause):
            begun = time.monotonic()
            try:
                before, self._seen = self._seen, self._state()
                if self._seen[0] != before[0]:
                    self.refresh()
                elif self._seen != before:
                    self._recolour()
            except (CorpusKitError, OSError, sqlite3.Error, ValueError, KeyError) as error:
                logger.debug("the map could not be updated: %s", error)
            pause = max(_MIN_PAUSE, _PAUSE_FACTOR * (time.monotonic() - begun))  # leave processor time for a crawl

    def stop(self) -> None:
        """Stop checking for changes."""
        self._stopped.set()
        if self._watcher.is_alive() and threading.current_thread() is not self._watcher:
            self._watcher.join()

    def close(self) -> None:
        """Stop checking for changes and close the widget."""
        self.stop()
        super().close()

    def picture(self) -> bytes:
        """Return the present map as a PNG."""
        with self._lock:
            return png(self._point_layout, self._colouring)

    def static(self) -> str:
        """Return the picture with its legend and regions as HTML."""
        with self._lock:
            return page(self._point_layout, self._colouring, self.picture(), line=self.summary(), by=self.colour)

    def summary(self) -> str:
        """Return the number of documents and regions."""
        regions = len(self._point_layout.regions)
        regions_text = f", {regions:,} region{'s' * (regions != 1)}" if regions else ""
        return f"Map: {len(self._point_layout):,} document{'s' * (len(self._point_layout) != 1)}{regions_text}"

    # -- selection -----------------------------------------------------------------------------------------------------

    @property
    def selection(self) -> pd.DataFrame:
        """Selected documents, with the columns of :meth:`corpuskit.corpus.Corpus.documents`."""
        documents = frames.documents(self._folder, self._ids(self._chosen))
        documents = documents.assign(**topic_column(self._folder, documents["doc_id"].tolist()))
        return documents

    def select(self, doc_ids: Sequence[str]) -> int:
        """Select documents, also on the page, and return the number of them on the map."""
        rows = [self._point_layout.row[doc_id] for doc_id in dict.fromkeys(doc_ids) if doc_id in self._point_layout.row]
        self._choose(np.array(rows, np.int64))
        self.send({"op": "choose"}, buffers=[self._chosen.astype("<u4").tobytes()])
        return len(self._chosen)

    def _choose(self, rows: Indices) -> None:
        with self._lock:
            self._chosen = rows[~self._point_layout.gone[rows]]

    def _ids(self, rows: Indices) -> list[str]:
        return [self._point_layout.ids[row] for row in rows.tolist()]

    def undo(self) -> int:
        """Undo the last bulk label and return the number of its documents."""
        key = self._groups.last()
        return self._groups.take_back(key) if key is not None else 0

    # -- messages ------------------------------------------------------------------------------------------------------

    def _answer(self, _: object, content: dict[str, Any], buffers: Any) -> None:
        if isinstance(content, dict):
            content = {**content, "rows_of": list(buffers or [])}
        super()._answer(_, content, buffers)

    def _rows(self, message: dict[str, Any]) -> Indices:
        """Return the distinct points of a message.

        Raises:
            ValueError: A point does not exist.
        """
        rows = np.unique(np.frombuffer(bytes(message["rows_of"][0]), "<u4").astype(np.int64))
        if len(rows) and rows[-1] >= len(self._point_layout.ids):
            raise ValueError(f"point {rows[-1]}: expected one of {len(self._point_layout.ids)}")
        return rows

    def _row(self, message: dict[str, Any]) -> int:
        row = int(message["row"])
        if not 0 <= row < len(self._point_layout.ids):
            raise ValueError(f"point {row}: expected one of {len(self._point_layout.ids)}")
        return row

    def _on_select(self, message: dict[str, Any]) -> None:
        self._choose(self._rows(message))

    def _on_label(self, message: dict[str, Any]) -> None:
        """Label a group."""
        label = str(message["label"])
        if label not in self._labels:
            raise ConfigurationError(f"label {label!r}: expected one of {', '.join(sorted(self._labels))}")
        doc_ids, key = self._ids(self._rows(message)), (str(message["page"]), int(message["seq"]))

        def save() -> None:
            result = self._groups.give(key, doc_ids, label)
            self._results[key[1]] = {"n": result.saved, "kept": result.unchanged, "label": label}

        self._order.do(message, save)

    def _on_undo(self, message: dict[str, Any]) -> None:
        """Undo the bulk label of the message ``of``."""

        def save() -> None:
            count = self._groups.take_back((str(message["page"]), int(message["of"])))
            self._results[int(message["seq"])] = {"n": count, "kept": 0, "label": ""}

        self._order.do(message, save)

    def _tell_saved(self, seq: int) -> None:
        self.send({"op": "saved", "seq": seq, **self._results.get(seq, {"n": 0, "kept": 0, "label": ""})})
        if self.colour == "label":
            self._recolour()

    def _on_list(self, message: dict[str, Any]) -> None:
        """Select the documents of the list."""
        with self._lock:
            self._listed = self._rows(message) if message["rows_of"] else np.flatnonzero(~self._point_layout.gone)
            self._generation = int(message["generation"])
        self.send({"op": "listed", "generation": self._generation, "n": len(self._listed)})

    def _on_rows(self, message: dict[str, Any]) -> None:
        with self._lock:
            if message["generation"] != self._generation:
                return
            start = max(0, int(message["start"]))
            part = self._listed[start : min(int(message["end"]), start + MAX_ROWS)]
        titles = titles_and_sources(self._folder, self._ids(part))
        rows = [[row, *titles.get(self._point_layout.ids[row], ("(removed)", ""))] for row in part.tolist()]
        self.send({"op": "rows", "generation": message["generation"], "start": start, "rows": rows})

    def _on_title(self, message: dict[str, Any]) -> None:
        row = self._row(message)
        title, _ = titles_and_sources(self._folder, [self._point_layout.ids[row]]).get(
            self._point_layout.ids[row], ("(removed)", "")
        )
        self.send({"op": "title", "row": row, "title": title})

    def _on_about(self, message: dict[str, Any]) -> None:
        row = self._row(message)
        region = int(self._point_layout.fine[row])
        name = self._point_layout.regions[region].name if region < len(self._point_layout.regions) else ""
        self.send({"op": "about", "row": row, **about(self._folder, self._point_layout.ids[row], name)})

    def _on_open(self, message: dict[str, Any]) -> None:
        show_document(self._tree, self._folder, self._point_layout.ids[self._row(message)])
        self._tree.layout.display = ""
        self.send({"op": "opened"})

    def _on_search(self, message: dict[str, Any]) -> None:
        doc_ids = search_documents(self._folder, str(message["text"])[:300], in_texts=bool(message["in_texts"]))
        self._light(doc_ids, message)

    def _on_similar(self, message: dict[str, Any]) -> None:
        rows = self._rows(message)
        if self._similar is None or not len(rows):
            return
        if len(rows) > _MAX_QUERY_DOCUMENTS:
            raise ConfigurationError(
                f"{len(rows):,} documents: choose {_MAX_QUERY_DOCUMENTS:,} or fewer to find more like them"
            )
        self._light(self._similar(self._ids(rows))["doc_id"].tolist(), message)

    def _light(self, doc_ids: Sequence[str], message: dict[str, Any]) -> None:
        with self._lock:
            rows = [self._point_layout.row[doc_id] for doc_id in doc_ids if doc_id in self._point_layout.row]
            rows = [row for row in rows if not self._point_layout.gone[row]]
        hits = np.array(rows, "<u4")
        self.send({"op": "hits", "seq": message["seq"], "of": message["op"], "n": len(hits)}, buffers=[hits.tobytes()])

    def _on_picture(self, message: dict[str, Any]) -> None:
        """Send the picture to a page that cannot draw."""
        self.send({"op": "picture"}, buffers=[self.picture()])


class DocumentMap(Box):
    """All documents of a corpus on a map, with the opened document as a tree below.

    Args:
        folder: The corpus.
        source: Function that returns points and regions, see ``Source``. It is called again when documents are added.
        docs: Documents to show. None: all.
        colour: ``topic``, ``label``, ``relevance``, ``source``, ``language`` or ``date``. None: topic if topics exist.
        by: Name of the annotator. None: the name of the user.
        keys: Key → label. Default: r relevant, o other, u unsure.
        height: Height of the map in pixels.
        similar: Function that finds similar documents. None: without similarity search.

    A key labels all selected documents as one group, see ``GroupLabels``.

    Raises:
        ConfigurationError: A colour, key, label or name is invalid.
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
        """Selected documents, with the columns of ``documents()``."""
        return self.points.selection

    def select(self, docs: Any) -> int:
        """Select documents, also on the page, and return the number of them on the map.

        Args:
            docs: Documents: a DataFrame or Series with ``doc_id``, ids, URIs or file names, or the name of a sub-corpus.

        Raises:
            UnknownDocumentError: A document is not in the corpus.
        """
        return self.points.select(doc_selection.doc_ids_of(self._folder, docs) or [])

    def undo(self) -> int:
        """Undo the last bulk label and return the number of its documents."""
        return self.points.undo()

    def refresh(self) -> int:
        """Add new documents and return their number. The widget also does this every few seconds."""
        return self.points.refresh()

    def picture(self) -> bytes:
        """Return the present map as a PNG."""
        return self.points.picture()

    def close(self) -> None:
        """Close the widget."""
        if (points := vars(self).get("points")) is not None:  # also called if the constructor failed
            points.close()
        super().close()

    def summary(self) -> str:
        """Return the number of documents and regions."""
        return self.points.summary()

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """Return the widget with a static picture, its legend and its regions as an alternative."""
        return super()._repr_mimebundle_(**options) | {"text/html": self.points.static()}
