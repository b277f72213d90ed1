"""Runs a pipeline over a corpus: step by step, a batch of documents at a time, what is done is kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from corpuskit.errors import ConfigurationError, CorpusError, UnknownDocumentError
from corpuskit.preprocessing.step_results import FOLDER, StepResults
from corpuskit.preprocessing.steps import Step, resolve_step
from corpuskit.store import CorpusFolder
from corpuskit.store.element_cache import element_tables, main_texts
from corpuskit.store.formatting import pluralize

if TYPE_CHECKING:
    import pandas as pd

STAGE: Final = "preprocess"
_BATCH: Final = 500  # documents per batch of stored results


@dataclass(frozen=True, slots=True, repr=False)
class Preprocessing:
    """Result of a pipeline.

    Attributes:
        frame: One row per document, by doc_id: doc_id, title, uri (str), keep (bool), reason (str: the filter or failure that dropped
            it; missing if kept), then the columns of the steps, missing for steps after the document was dropped. It can be passed
            to ``export(docs=...)``, which exports the documents to keep.
        steps: One row per step: name (str), in, out (int64: documents), computed (int64: documents processed in this run; the others
            have stored results), failed (int64).
        record: The steps with their options and counts as JSON for a dataset card; reproducible.
    """

    frame: pd.DataFrame
    steps: pd.DataFrame
    record: str

    def __repr__(self) -> str:
        return f"{int(self.frame['keep'].sum()):,} of {pluralize(len(self.frame), 'document')} kept\n{self.steps.to_string(index=False)}"


def preprocess(
    folder: CorpusFolder,
    steps: Sequence[Step | str] | Step | str,
    *,
    doc_ids: Sequence[str] | None = None,
    progress: bool = False,
) -> Preprocessing:
    """Run steps over documents in order. The corpus does not change.

    Steps receive the main text, one block per line. Results are stored in the corpus folder: an interrupted run continues,
    and a run computes only new documents and versions. If a step fails on a document, it is dropped, becomes a row of ``failures()``, and is retried by the next run.

    Args:
        folder: The corpus.
        steps: Steps of ``corpuskit.preprocessing``, or their names, in a list or single.
        doc_ids: Documents to process. None: all.
        progress: Show progress bars.

    Raises:
        ConfigurationError: An unknown step, two steps with the same column, or a filter on a missing column.
        UnknownDocumentError: A doc_id is not in the corpus.
    """
    if not isinstance(steps, str | Step | Iterable):
        raise TypeError(
            f"steps: found {steps!r}, expected a step of corpuskit.preprocessing, its name, or a list of them"
        )
    requested = [steps] if isinstance(steps, str | Step) else steps
    run = _Run(folder, [resolve_step(step) for step in requested], doc_ids, progress)
    for position in range(len(run.steps)):
        run.do(position)
    record = json.dumps({"steps": run.record}, ensure_ascii=False, sort_keys=True)
    if doc_ids is None:
        folder.catalog.set_meta(STAGE, record)
    return Preprocessing(run.result(), run.counts(), record)


class _Run:
    """The state of one run: the frame grows by columns, keep and reason are filled."""

    def __init__(self, folder: CorpusFolder, steps: list[Step], doc_ids: Sequence[str] | None, progress: bool) -> None:
        self.folder = folder
        self.steps = steps
        self.progress = progress
        self.frame = folder.catalog.frame(
            "SELECT doc_id, version, uri, host, title, media_type, lang, words, main_words, elements, "
            "(SELECT min(fetched) FROM documents f WHERE f.doc_id = c.doc_id) AS seen FROM current c ORDER BY doc_id"
        )
        if doc_ids is not None:
            unknown = set(doc_ids) - set(self.frame["doc_id"])
            if unknown:
                raise UnknownDocumentError(f"no document {min(unknown)!r} ({len(unknown)} unknown in all)")
            self.frame = self.frame[self.frame["doc_id"].isin(set(doc_ids))]
        self.frame = self.frame.set_index("doc_id")
        self.frame["keep"] = True
        self.frame["reason"] = None
        self.given = set(self.frame.columns)
        self.columns: dict[str, str] = {}
        self.record: list[dict[str, Any]] = []
        self._counts: list[tuple[str, int, int, int, int]] = []
        self._check()

    def _check(self) -> None:
        known = set(self.given)
        for step in self.steps:
            if step.kind == "filter" and step.options["column"] not in known:
                raise ConfigurationError(
                    f"keep({step.options['column']!r}): no step before it has this column; there are: {', '.join(sorted(known))}"
                )
            twice = sorted(set(step.columns) & known)
            if twice:
                raise ConfigurationError(f"step {step.name}: the column {twice[0]!r} is there already")
            known |= set(step.columns)

    def do(self, position: int) -> None:
        """Run one step."""
        step = self.steps[position]
        before = int(self.frame["keep"].sum())
        computed = failed = 0
        if step.kind == "filter":
            self._filter(step)
        elif step.kind == "corpus":
            computed, failed = self._corpus(step, position)
        elif step.kind == "columns":
            computed, failed = self._columns(step, position)
        after = int(self.frame["keep"].sum())
        self._counts.append((step.title, before, after, computed, failed))
        title = {"title": step.title} if step.title != step.name else {}
        self.record.append({**step.record(), **title, "in": before, "out": after})

    def _remaining(self) -> list[str]:
        doc_ids: list[str] = self.frame.index[self.frame["keep"]].tolist()
        return doc_ids

    def _drop(self, doc_ids: Any, reason: str) -> None:
        self.frame.loc[doc_ids, "keep"] = False
        self.frame.loc[doc_ids, "reason"] = reason

    def _filter(self, step: Step) -> None:
        import pandas as pd

        options = step.options
        values = self.frame[options["column"]]
        fits = values.notna()
        reasons = []
        if "among" in options:
            fits &= values.isin(options["among"])
            reasons.append(f"in {options['among']}")
        for name, sign in (("at_least", ">="), ("at_most", "<=")):
            if name in options:
                numbers = pd.to_numeric(values, errors="coerce")
                fits &= numbers >= options[name] if sign == ">=" else numbers <= options[name]
                reasons.append(f"{sign} {options[name]}")
        if not reasons:
            fits &= values.eq(True)
        self._drop(self.frame.index[self.frame["keep"] & ~fits], " ".join([options["column"], *reasons]))

    def _columns(self, step: Step, position: int) -> tuple[int, int]:
        results = StepResults(self.folder.root.subfolder(FOLDER), step.key(self.steps[:position]), step.columns)
        computed, errors = self._compute(step, position, results)
        doc_ids = self.frame.index[self.frame["keep"]]
        values = results.frame(self.frame.loc[doc_ids, "version"])
        self._join(step, values)
        self._drop(errors, f"failed: {step.name}")
        return computed, len(errors)

    def _join(self, step: Step, values: pd.DataFrame) -> None:
        for name in step.columns:
            self.frame[name] = values[name].reindex(self.frame.index)
        self.columns |= step.columns

    def _compute(self, step: Step, position: int, results: StepResults) -> tuple[int, list[str]]:
        """Process the retained documents without a result; return their number and the failed ones."""
        assert step.work is not None
        done = results.known()
        version = self.frame["version"].to_dict()
        missing = [doc_id for doc_id in self._remaining() if (doc_id, version[doc_id]) not in done]
        errors: list[str] = []
        rows: list[dict[str, Any]] = []
        try:
            for doc_id, text in self._texts(missing, position, step.name, errors):
                try:
                    values = step.work(text)
                    row = {name: results.checked(name, values[name]) for name in step.columns}
                except Exception as error:
                    self._fail(doc_id, step.name, error, errors)
                    continue
                rows.append({"doc_id": doc_id, "version": version[doc_id], **row})
                if len(rows) >= _BATCH:
                    self._write(results, rows)
        finally:
            self._write(results, rows)  # also when stopped with Ctrl-C
        return len(missing) - len(errors), errors

    def _write(self, results: StepResults, rows: list[dict[str, Any]]) -> None:
        if rows:
            results.write(rows)
            self._mended([row["doc_id"] for row in rows], results.name)
            rows.clear()

    def _fail(self, doc_id: str, name: str, error: Exception, errors: list[str]) -> None:
        errors.append(doc_id)
        self.folder.catalog.add_failure(str(self.frame.at[doc_id, "uri"]), f"{STAGE} {name}", error)

    def _mended(self, doc_ids: Sequence[str], name: str) -> None:
        stage = f"{STAGE} {name}"
        if self.folder.catalog.value("SELECT 1 FROM failures WHERE stage = ?", (stage,)) is None:
            return
        with self.folder.catalog.transaction() as connection:
            uris = [(str(self.frame.at[doc_id, "uri"]), stage) for doc_id in doc_ids]
            connection.executemany("DELETE FROM failures WHERE uri = ? AND stage = ?", uris)

    def _texts(self, doc_ids: list[str], position: int, name: str, errors: list[str]) -> Iterator[tuple[str, str]]:
        """Yield the main texts of documents after earlier steps, from Arrow batches of the element cache."""
        from tqdm.auto import tqdm

        changes = [step.work for step in self.steps[:position] if step.kind == "text" and step.work is not None]
        seen = set()
        with tqdm(total=len(doc_ids), desc=name, unit=" documents", disable=not self.progress or not doc_ids) as bar:
            for doc_id, text in main_texts(self.folder, doc_ids):
                seen.add(doc_id)
                bar.update()
                changed = text
                try:
                    for change in changes:
                        changed = change(changed)
                except Exception as error:
                    self._fail(doc_id, name, error, errors)
                    continue
                yield doc_id, changed
        for doc_id in doc_ids:
            if doc_id in seen:
                continue
            if self.frame.at[doc_id, "elements"]:
                self._fail(
                    doc_id, name, CorpusError("its file in documents/ cannot be read; try: corpuskit check"), errors
                )
            else:
                yield doc_id, ""

    def _corpus(self, step: Step, position: int) -> tuple[int, int]:
        if step.name == "blocks":
            self._join(step, self._blocks(step))
            return 0, 0
        from corpuskit.text import DuplicateIndex

        key = step.key(self.steps[:position])
        results = StepResults(self.folder.root.subfolder(FOLDER), key, {})
        index = DuplicateIndex(self.folder.root.mkdir(f"{FOLDER}/{key}") / "index", **step.options)
        done, version = results.known(), self.frame["version"].to_dict()
        doc_ids = self._remaining()
        missing = [doc_id for doc_id in doc_ids if (doc_id, version[doc_id]) not in done]
        errors: list[str] = []
        seen = _seconds(self.frame["seen"])
        batch: list[tuple[str, str, int]] = []

        def flush() -> None:
            index.add(batch)
            # After the index: a run that is killed between the two adds the same texts again, which changes nothing.
            results.write([{"doc_id": doc_id, "version": version[doc_id]} for doc_id, _, _ in batch])
            batch.clear()

        for doc_id, text in self._texts(missing, position, step.name, errors):
            batch.append((doc_id, text, seen[doc_id]))
            if len(batch) >= _BATCH * 10:
                flush()
        if batch:
            flush()
        matches = index.find([doc_id for doc_id in doc_ids if doc_id not in set(errors)])
        self._join(step, matches.set_index("doc_id"))
        self._drop(errors, f"failed: {step.name}")
        results.publish(matches)
        return len(missing) - len(errors), len(errors)

    def _blocks(self, step: Step) -> pd.DataFrame:
        import pandas as pd
        import pyarrow as pa

        from corpuskit.text import repeated_blocks

        doc_ids = self._remaining()
        columns = ["doc_id", "text_hash", "words", "main"]
        tables = [table.filter(table["main"]) for table in element_tables(self.folder, doc_ids, columns=columns)]
        if not tables:
            return pd.DataFrame({"repeated_blocks": pd.Series(0.0, index=doc_ids)})
        table = pa.concat_tables(tables).unify_dictionaries()
        rows = pd.DataFrame({"doc_id": table["doc_id"].cast(pa.string()).to_pylist()})
        rows["hash"], rows["words"] = table["text_hash"].to_numpy(), table["words"].to_numpy()
        rows["site"] = rows["doc_id"].map(self.frame["host"])
        rows = rows[rows["words"] > 0].reset_index(drop=True)
        often = repeated_blocks(rows)["frequency_in_site"] >= step.options["min_documents"]
        words = rows["words"].groupby(rows["doc_id"]).sum()
        repeated = rows["words"].where(often, 0).groupby(rows["doc_id"]).sum()
        share = (repeated / words).reindex(doc_ids).fillna(0.0)
        return pd.DataFrame({"repeated_blocks": share})

    def result(self) -> pd.DataFrame:
        """Return the frame of documents."""
        import pandas as pd

        columns: dict[str, Any] = {"doc_id": self.frame.index.to_series().astype("str")}
        columns |= {name: self.frame[name].astype("str") for name in ("title", "uri")}
        columns["keep"] = self.frame["keep"].astype(bool)
        columns["reason"] = self.frame["reason"].astype("str")
        for name, dtype in self.columns.items():
            kind: Any = {"int64": "Int64", "bool": "boolean"}.get(dtype, dtype)
            columns[name] = self.frame[name].astype(kind)
        return pd.DataFrame(columns).reset_index(drop=True)

    def counts(self) -> pd.DataFrame:
        """Return the frame of steps."""
        import pandas as pd

        frame = pd.DataFrame(self._counts, columns=["name", "in", "out", "computed", "failed"])
        return frame.astype({"name": "str", "in": "int64", "out": "int64", "computed": "int64", "failed": "int64"})


def _seconds(times: pd.Series) -> dict[str, int]:
    import pandas as pd

    moments = pd.to_datetime(times, utc=True, format="ISO8601")
    return {str(doc_id): int(moment.timestamp()) for doc_id, moment in moments.items()}
