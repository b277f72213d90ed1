"""The DataFrames of a corpus. An empty corpus gives the same columns and types."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from corpuskit.document.dataframes import COLUMNS as ELEMENT_COLUMNS
from corpuskit.document.dataframes import arrow_to_pandas, convert_dtypes
from corpuskit.document.elements import FORMATTING
from corpuskit.errors import ConfigurationError
from corpuskit.labels import corpus_labels
from corpuskit.stable_sample import stable_sample
from corpuskit.store import CorpusFolder
from corpuskit.store.document_rows import document_rows
from corpuskit.store.document_rows import title_rows as document_names
from corpuskit.store.element_cache import element_table
from corpuskit.store.parquet_tables import read_table
from corpuskit.validation import check_count

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from corpuskit.store.element_cache import Conditions

_LAST_SECOND: Final = 253_402_300_800  # of the year 9999
_NEAR_DUPLICATES: Final = "preprocessing/duplicates.parquet"
_STRINGS: Final = {"text", "links", "tex", "locator"}  # nine tenths of the memory of an element frame
_DOCUMENTS: Final = {
    "doc_id": "str", "version": "Int32", "uri": "str", "host": "str", "title": "str", "media_type": "str",
    "lang": "str", "words": "Int64", "main_words": "Int64", "elements": "Int64", "timestamp": "utc", "fetched": "utc",
    "status": "str", "relevance": "float64", "decision": "str", "label": "str", "duplicate_of": "str",
    "annotators": "Int32", "agreement": "float64", "author": "str", "published": "utc", "updated": "utc",
    "site_name": "str", "description": "str", "categories": "str", "tags": "str", "license": "str", "canonical": "str",
    "image": "str", "fingerprint": "str",
}  # fmt: skip
_REQUESTS: Final = {
    "clock": "utc", "url": "str", "status_code": "Int64", "response_ms": "Int64", "download_ms": "Int64",
    "bytes": "Int64", "unique_share": "float64", "depth": "Int64", "parent": "str", "redirected_from": "str",
    "retries": "Int64", "retry_after_s": "float64", "error": "str",
}  # fmt: skip
_FRONTIER: Final = {
    "url": "str", "host": "str", "depth": "Int64", "parent": "str", "anchor": "str", "priority": "float64",
    "state": "str", "why": "str", "reason_refused": "str", "next_allowed": "utc_seconds",
}  # fmt: skip
_SOURCES: Final = {
    "host": "str", "pages": "Int64", "relevant": "Int64", "labels": "Int64", "harvest": "float64", "verdict": "str",
    "why": "str",
}  # fmt: skip
_LABELS: Final = {
    "target": "str", "kind": "str", "label": "str", "by": "str", "note": "str", "when": "utc", "version": "Int32",
    "superseded": "bool", "origin": "str",
}  # fmt: skip
_FAILURES: Final = {
    "uri": "str", "stage": "str", "error": "str", "message": "str", "when": "utc", "tries": "Int64",
}  # fmt: skip


# Of a URL the page that it was first found on is known; each page counts once for a host.
_CANDIDATES: Final = """
SELECT f.host, 0 AS pages, 0 AS relevant, 0 AS labels, NULL AS harvest, coalesce(max(h.verdict), 'none') AS verdict,
    coalesce(max(h.why) || '; ', '') || 'linked from ' || count(DISTINCT f.parent) || ' pages'
    || CASE WHEN avg(s.relevance) IS NULL THEN '' ELSE printf(', relevance %.2f', avg(s.relevance)) END AS why
FROM frontier f LEFT JOIN hosts h ON h.host = f.host LEFT JOIN current d ON d.uri = f.parent
    LEFT JOIN scores s ON s.doc_id = d.doc_id
WHERE f.host NOT IN (SELECT host FROM current) GROUP BY f.host ORDER BY count(DISTINCT f.parent) DESC, f.host
"""


def documents(folder: CorpusFolder, doc_ids: Sequence[str] | None = None, *, versions: bool = False) -> pd.DataFrame:
    """Return one row per document, sorted by host and URI; with ``versions`` one row per version.

    Columns: doc_id, uri, host, title, media_type, lang, status, decision (relevant, unknown, other), label,
    duplicate_of (str); version, annotators (Int32); words, main_words, elements (Int64); timestamp, fetched
    (datetime64, UTC); relevance, agreement (float64). label is that of the rule in corpus.toml, from those of all
    annotators. annotators is their number, agreement the share of them who gave the most frequent label (NaN
    without labels). duplicate_of names the document with the same main text that has the shortest URI; where
    there is none and a pipeline with the step ``duplicates`` has run, the one that step found.

    Further columns are the metadata stated in the document: author, site_name, description, categories, tags, license,
    canonical, image (str; several values separated by semicolons or commas, as in the document); published, updated (datetime64,
    UTC). fingerprint (str, 16 hex digits) is equal for equal main texts, regardless of white space and case.
    """

    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

    table = document_rows(folder, versions=versions, metadata=True)
    duplicates = _with_near_duplicates(folder, table)
    if duplicates is not None:
        table = table.set_column(table.column_names.index("duplicate_of"), "duplicate_of", duplicates)
    if doc_ids is not None:
        table = table.filter(pc.is_in(table["doc_id"], value_set=pa.array(list(doc_ids), pa.large_string())))
    table = _with_labels(folder, table)
    columns = {name: _column(table[name]) for name in _DOCUMENTS}
    return pd.DataFrame(columns, copy=False)


def _column(column: pa.ChunkedArray) -> Any:
    """Return a column of document_rows with its pandas type."""
    import pandas as pd
    import pyarrow as pa

    kind = column.type
    if pa.types.is_large_string(kind):
        strings: Any = pd.StringDtype(na_value=float("nan"))
        return strings.__from_arrow__(column)
    if pa.types.is_integer(kind):
        integers: Any = pd.Int32Dtype() if pa.types.is_int32(kind) else pd.Int64Dtype()
        return integers.__from_arrow__(column)
    if pa.types.is_floating(kind):
        return column.to_numpy().copy()  # Arrow's own memory cannot be written
    return column.to_pandas().copy()


def _with_labels(folder: CorpusFolder, rows: pa.Table) -> pa.Table:
    """Return the rows with label, annotators and agreement."""
    import pyarrow as pa
    import pyarrow.compute as pc

    label_rows = corpus_labels(folder, "document")
    targets, _, labels, annotators, agreement, _ = zip(*label_rows, strict=True) if label_rows else ((),) * 6
    positions = pc.index_in(rows["doc_id"], value_set=pa.array(targets, pa.large_string()))
    counts = pa.array(annotators, pa.int32()).take(positions)
    return (
        rows.append_column("label", pa.array(labels, pa.large_string()).take(positions))
        .append_column("annotators", pc.fill_null(counts, 0))
        .append_column("agreement", pc.fill_null(pa.array(agreement, pa.float64()).take(positions), float("nan")))
    )


def _with_near_duplicates(folder: CorpusFolder, rows: pa.Table) -> pa.Array | None:
    """Return duplicate_of, completed by near-duplicates of the last pipeline. Their originals are not duplicates themselves."""
    if not folder.root.exists(_NEAR_DUPLICATES):
        return None
    import pyarrow as pa
    import pyarrow.compute as pc

    verdicts = read_table(folder.root, _NEAR_DUPLICATES, ["doc_id", "duplicate_of"]).combine_chunks()
    firsts = rows.filter(pc.is_null(rows["duplicate_of"]))["doc_id"]
    verdicts = verdicts.filter(pc.is_in(verdicts["duplicate_of"], value_set=firsts.combine_chunks()))
    positions = pc.index_in(rows["doc_id"], value_set=verdicts["doc_id"].combine_chunks().cast(pa.large_string()))
    originals = verdicts["duplicate_of"].combine_chunks().cast(pa.large_string()).take(positions)
    return pc.coalesce(rows["duplicate_of"], originals)


def elements(
    folder: CorpusFolder,
    doc_ids: Sequence[str] | None = None,
    *,
    text: bool = True,
    arrow: bool = False,
    languages: bool = False,
    frequencies: bool = False,
    formatting: bool = False,
) -> pd.DataFrame:
    """Return one row per element, grouped by document and in order.

    Columns: doc_id (category), those of :meth:`NLPTextDocument.to_frame`, lang (category), words (int32), title, uri
    (category: the document's), unique (bool: the first element of the frame with this text). Without ``text`` the columns of strings, text, links, tex and
    locator, are left out.

    ``lang`` is the document's language; with ``languages`` it is that of each element's own text, ``?`` if uncertain. With
    ``frequencies`` two columns follow (int64): frequency_in_site and frequency_in_corpus, the number of documents of the host and of
    the corpus with the element's text; 0 without words. With ``formatting`` the last column is that of
    :meth:`NLPTextDocument.to_frame`, null if it is not stored; the documents are read for it.

    Raises:
        ConfigurationError: ``text`` is required for languages.
    """
    if languages and not text:
        raise ConfigurationError("languages=True reads the texts: leave text=False out")
    import pandas as pd

    frame = element_frame(folder, doc_ids, text=text, arrow=arrow)
    if languages:
        from corpuskit.text import detect_languages

        texts = frame["text"].astype("object")
        detected = pd.Series(pd.Categorical(detect_languages(texts.where(texts.notna(), None))), index=frame.index)
        frame["lang"] = convert_dtypes(detected.to_frame("lang"), arrow)["lang"]
    if frequencies:
        for name, column in _frequencies(folder, doc_ids).items():
            values = pd.Series(column.to_numpy(), index=frame.index)
            frame[name] = values.astype("int64[pyarrow]" if arrow else "int64")
    if formatting:
        ids = frame["doc_id"].astype("object").tolist()
        spans: Any = _formatting(folder, ids)
        frame[FORMATTING] = pd.Series(spans, index=frame.index, dtype=_text_type(arrow))
    return frame


def _text_type(arrow: bool) -> Any:
    import pandas as pd
    import pyarrow as pa

    return pd.ArrowDtype(pa.large_string()) if arrow else "str"


def _formatting(folder: CorpusFolder, ids: Sequence[str]) -> list[str | None]:
    """Return the spans of each element, grouped by document and in order."""
    import itertools

    formatted: list[str | None] = []
    for doc_id, rows in itertools.groupby(ids):
        spans = folder.document(doc_id).table.marks.get(FORMATTING, {})
        formatted += [spans.get(i) for i, _ in enumerate(rows)]
    return formatted


def _frequencies(folder: CorpusFolder, doc_ids: Sequence[str] | None) -> pd.DataFrame:
    """Return the number of documents of the site and of the corpus that contain each element's text."""
    import pandas as pd
    import pyarrow as pa

    from corpuskit.text import repeated_blocks

    table = element_table(folder, columns=["doc_id", "text_hash", "words"])
    hosts = {row["doc_id"]: row["host"] for row in folder.catalog.rows("SELECT doc_id, host FROM current")}
    rows = pd.DataFrame({"doc_id": pd.Categorical(table["doc_id"].cast(pa.string()).to_pylist())})
    rows["site"] = rows["doc_id"].map(hosts)
    rows["hash"], rows["words"] = table["text_hash"].to_numpy(), table["words"].to_numpy()
    names = ["frequency_in_site", "frequency_in_corpus"]
    frequencies = repeated_blocks(rows)[names].where(rows["words"] > 0, 0)
    if doc_ids is None:
        return frequencies
    # The rows of a document are adjacent and in order in both tables; the order of the documents may differ.
    indices = {str(doc_id): index for doc_id, index in rows.groupby("doc_id", observed=True).indices.items()}
    row_ids = element_table(folder, doc_ids, columns=["doc_id"])["doc_id"].cast(pa.string()).to_pylist()
    order = [index for doc_id in dict.fromkeys(row_ids) for index in indices[doc_id]]
    return frequencies.iloc[order]


def element_frame(
    folder: CorpusFolder,
    doc_ids: Sequence[str] | None = None,
    *,
    text: bool = True,
    arrow: bool = False,
    where: Conditions | None = None,
) -> pd.DataFrame:
    """:func:`elements`, only the rows for which a condition holds."""
    import pandas as pd

    left_out = set() if text else _STRINGS
    columns = [name for name in ("doc_id", *ELEMENT_COLUMNS, "lang", "words", "text_hash") if name not in left_out]
    table = element_table(folder, doc_ids, columns=columns, where=where)
    hashes = table.column("text_hash").to_numpy()
    table = _with_names(folder, table.drop_columns(["text_hash"]))
    frame = table.to_pandas(types_mapper=pd.ArrowDtype) if arrow else arrow_to_pandas(table)
    unique = ~pd.Series(hashes).duplicated().to_numpy()
    frame["unique"] = pd.Series(unique, index=frame.index, dtype="bool[pyarrow]" if arrow else "bool")
    return frame


def _with_names(folder: CorpusFolder, table: pa.Table) -> pa.Table:
    """Return the rows with the title and URI of their documents, dictionary-encoded."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = table["doc_id"]
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    ids = column.chunk(0) if column.num_chunks == 1 else column.unify_dictionaries().combine_chunks()
    rows = document_names(folder)
    positions = pc.index_in(ids.dictionary.cast(pa.large_string()), value_set=rows["doc_id"].combine_chunks())
    for name in ("title", "uri"):
        named = rows[name].take(positions).combine_chunks().dictionary_encode()
        codes = named.indices.take(ids.indices)
        table = table.append_column(name, pa.DictionaryArray.from_arrays(codes, named.dictionary))
    return table


def requests(folder: CorpusFolder) -> pd.DataFrame:
    """Return one row per request of the crawls, in order.

    Columns: clock (datetime64, UTC, when it was sent), url, parent, redirected_from, error (str), status_code,
    response_ms (until the first byte), download_ms, bytes, depth, retries (Int64), unique_share (float64, share of the
    text's characters that was new), retry_after_s (float64, seconds).
    """
    return _typed(folder.catalog.frame(f"SELECT {', '.join(_REQUESTS)} FROM requests ORDER BY id"), _REQUESTS)


def frontier(folder: CorpusFolder, states: Iterable[str] | None = None) -> pd.DataFrame:
    """Return one row a known URL, the queued ones by falling priority.

    Columns: url, host, parent, anchor, state (queued, fetched, failed, refused), why, reason_refused (str);
    depth (Int64); priority (float64); next_allowed (datetime64, UTC).

    Raises:
        ConfigurationError: a state that there is not.
    """
    selected = list(states or [])
    if unknown := [state for state in selected if state not in _STATES]:
        raise ConfigurationError(f"state {unknown[0]!r}: expected one of {', '.join(_STATES)}")
    where = f"WHERE f.state IN ({', '.join('?' * len(selected))})" if selected else ""
    frame = folder.catalog.frame(
        "SELECT f.url, f.host, f.depth, f.parent, f.anchor, f.priority, f.state, f.why, f.reason_refused, "
        "max(coalesce(h.next_allowed, 0), f.not_before) AS next_allowed "
        f"FROM frontier f LEFT JOIN hosts h ON h.host = f.host {where} "
        "ORDER BY f.state = 'queued' DESC, f.priority DESC, f.n",
        selected,
    )
    return _typed(frame, _FRONTIER)


_STATES: Final = ("queued", "fetched", "failed", "refused")
DISCOVERED_HOSTS: Final = "discovered hosts"
"""Under which the catalogue keeps the hosts of the last discovery: (host, why), as JSON."""


def sources(folder: CorpusFolder, *, candidates: bool = False) -> pd.DataFrame:
    """Return one row per host, most pages first.

    Columns: host, verdict (approve, hold, boost, none), why (str); pages, relevant (labelled so, or scored at least
    0.5 by the last model; missing if no page has a label or score), labels (Int64); harvest (float64, relevant / pages).

    Args:
        folder: The corpus.
        candidates: Add hosts without pages that documents link to, most linking pages first; ``why`` has the number and
            mean relevance of these pages. Hosts of the last discovery in an index of archives follow.
    """
    import pandas as pd

    known = documents(folder)
    judged = known["label"].isin(["relevant", "other"])
    relevant = (known["label"] == "relevant") | (~judged & (known["relevance"] >= 0.5))
    pages = pd.DataFrame(
        {
            "host": known["host"],
            "relevant": relevant.astype("Int64").where(judged | known["relevance"].notna()),
            "labels": known["annotators"] > 0,
            "pages": True,
        }
    )
    frame = (
        pages.groupby("host", as_index=False).sum(min_count=1).sort_values(["pages", "host"], ascending=[False, True])
    )
    verdicts = folder.catalog.frame("SELECT host, verdict, why FROM hosts")
    frame = frame.merge(verdicts, how="left", on="host").fillna({"verdict": "none"})
    frame["harvest"] = frame["relevant"].astype("float64") / frame["pages"].astype("float64")
    typed = _typed(frame, _SOURCES)
    if not candidates:
        return typed
    linked = _typed(folder.catalog.frame(_CANDIDATES), _SOURCES)
    known_hosts = {*typed["host"], *linked["host"]}
    archived = [(host, why) for host, why in discovered_hosts(folder) if host not in known_hosts]
    result = _typed(
        pd.DataFrame(archived, columns=["host", "why"]).assign(verdict="none", pages=0, relevant=0, labels=0), _SOURCES
    )
    parts = [frame for frame in (typed, linked, result) if len(frame)]
    return pd.concat(parts, ignore_index=True) if parts else typed


def discovered_hosts(folder: CorpusFolder) -> list[tuple[str, str]]:
    """Return the hosts of the last discovery with the reason, most pages first."""
    try:
        hosts = json.loads(folder.catalog.meta(DISCOVERED_HOSTS) or "[]")
        return [(str(host), str(why)) for host, why in hosts]
    except (ValueError, TypeError, RecursionError):
        return []


def labels(folder: CorpusFolder) -> pd.DataFrame:
    """Return one row a label ever given, in order; ``superseded`` by a later one of the same person for the same target.

    Columns: target, kind (document, url, host), label, by, note (str); when (datetime64, UTC); version (Int32);
    superseded (bool); origin (str: single, group, audit).
    """
    folder.labels.refresh()  # read labels written by another process
    return _typed(folder.catalog.frame(f"SELECT {_quoted(_LABELS)} FROM labels ORDER BY id"), _LABELS)


def failures(folder: CorpusFolder) -> pd.DataFrame:
    """Return one row per resource and stage that failed and was not retried successfully.

    Columns: uri, stage (see :meth:`corpuskit.Corpus.failures`), error (its class), message (str); when (datetime64, UTC);
    tries (Int64).
    """
    return _typed(folder.catalog.frame(f'SELECT {_quoted(_FAILURES)} FROM failures ORDER BY "when", uri'), _FAILURES)


def relevant_ids(folder: CorpusFolder) -> list[str]:
    """Return the ids of documents labelled relevant, or without a label and scored at least 0.5."""
    frame = documents(folder)
    chosen = (frame["label"] == "relevant") | (frame["label"].isna() & (frame["relevance"] >= 0.5))
    return list(frame["doc_id"][chosen])


def other_ids(folder: CorpusFolder, doc_ids: Sequence[str]) -> list[str]:
    """Return the ids of all other documents."""
    known = set(doc_ids)
    return [row["doc_id"] for row in folder.catalog.rows("SELECT doc_id FROM current") if row["doc_id"] not in known]


def sample(folder: CorpusFolder, n: int, *, seed: int = 0, doc_ids: Sequence[str] | None = None) -> pd.DataFrame:
    """Return ``n`` random documents, or all if there are fewer; columns as :func:`documents`.

    The sample depends only on the ids and the seed: documents that are added later replace some of the sample and leave
    the others in it.
    """
    n = check_count(n, "n")
    frame = documents(folder, doc_ids)
    return frame.iloc[stable_sample(frame["doc_id"].tolist(), n, seed)].reset_index(drop=True)


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _typed(frame: pd.DataFrame, types: dict[str, str]) -> pd.DataFrame:
    """Return the frame with exactly these columns, order and types; values of other types become missing."""
    import numpy as np
    import pandas as pd

    columns: dict[str, Any] = {}
    for name, kind in types.items():
        column = frame[name] if name in frame else pd.Series([None] * len(frame), dtype=object)
        if kind == "utc":
            columns[name] = pd.to_datetime(column, utc=True, format="ISO8601", errors="coerce").astype(
                "datetime64[us, UTC]"
            )
        elif kind == "utc_seconds":
            seconds = pd.to_numeric(column).where(lambda value: (value > 0) & (value < _LAST_SECOND))
            columns[name] = pd.to_datetime(seconds, unit="s", utc=True).astype("datetime64[us, UTC]")
        elif kind.startswith("Int"):
            integers: Any = {"Int32": pd.Int32Dtype(), "Int64": pd.Int64Dtype()}[kind]
            numbers = np.trunc(pd.to_numeric(column).to_numpy(dtype=float))
            columns[name] = pd.array(np.where(np.abs(numbers) < 2**63, numbers, np.nan), dtype=integers)
        elif kind == "float64":
            columns[name] = pd.to_numeric(column).astype("float64")
        elif kind == "bool":
            columns[name] = column.astype(bool)
        else:
            columns[name] = column.astype("str")
    return pd.DataFrame(columns, columns=list(types))
