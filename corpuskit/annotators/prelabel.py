"""Labelling of documents by a machine annotator."""

from __future__ import annotations

import json
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from corpuskit.annotators.budget import Budget, BudgetExceededError, BudgetTracker, Price
from corpuskit.annotators.chat import Chat, ChatAnnotator, Example, NoLabelError
from corpuskit.annotators.response_cache import ResponseCache
from corpuskit.errors import ConfigurationError, FetchError
from corpuskit.labels import (
    DuplicateGroups,
    MachineAgreement,
    check_label_names,
    label_names_in_use,
    labels_by,
    machine_agreements,
    machine_name,
    sample,
    training_labels,
)
from corpuskit.relevance.corpus_training import scoring_texts
from corpuskit.store import CorpusFolder
from corpuskit.store.formatting import pluralize
from corpuskit.store.labels import WITHDRAWN

DEFAULT_BUDGET: Final = Budget(requests=1_000)
"""Budget of a call without ``budget``."""
_BATCH: Final = 16  # texts per call of a function
_READ_BATCH: Final = 500  # documents
_MAX_CONSECUTIVE_FAILURES: Final = 5  # of the server; then the call stops
_GRACE: Final = 10.0  # seconds for pending requests when the user stops
_LABELS_PER_EXAMPLE: Final = 4  # at most one example in the prompt for this number of labels

LabelOutput = str | tuple[str, str] | None
"""A label, (label, reason), or None for no answer."""
Annotator = ChatAnnotator | Callable[[Sequence[str]], Sequence[LabelOutput]]
"""A language model, or a function that returns a label for each text (title and main text)."""
_EARLIER_NAMES: Final = {"left": "remaining", "trouble": "last_error"}


@dataclass(frozen=True, slots=True, repr=False)
class PrelabelReport:
    """Result of a call.

    Attributes:
        by: Name that the labels are stored under.
        labels: Label → number of documents.
        cached: Number of documents labelled from the cache, without cost.
        failed: Number of documents without a label. ``failures()`` has the reasons; the next call tries again.
        remaining: Number of documents that were not processed.
        requests, tokens, money: Cost of the call.
        stopped: Reason why documents remain. Empty if none remain.
        is_interrupted: Stopped with Ctrl-C.
        trust: Agreement with people, see :class:`corpuskit.labels.MachineAgreement`.
        last_error: Last error of the server. Empty without errors.
    """

    by: str
    labels: Mapping[str, int]
    cached: int
    failed: int
    remaining: int
    requests: int
    tokens: int
    money: float
    stopped: str
    is_interrupted: bool
    trust: MachineAgreement | None
    last_error: str = ""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the value of an attribute by its earlier name."""
            if name in _EARLIER_NAMES:
                return getattr(self, _EARLIER_NAMES[name])
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        counts = ", ".join(f"{count:,} {label}" for label, count in sorted(self.labels.items())) or "no labels"
        spent = pluralize(self.requests, "request")
        spent += f", {pluralize(self.tokens, 'token')}" if self.tokens else ""
        spent += f", {self.money:.4f} paid" if self.money else ""
        spent += f", {self.cached:,} from the cache" if self.cached else ""
        lines = [f"{self.by}: {counts} ({spent})"]
        if self.failed:
            lines.append(
                f"  {self.failed:,} failed: see failures() (corpuskit failures); the same call or command tries them again"
            )
        if self.remaining:
            lines.append(f"  {self.remaining:,} documents remain: {self.stopped}; the same call or command continues")
        if self.last_error:
            lines.append(f"  last error: {self.last_error}")
        if self.trust:
            lines.append(f"  {self.trust!r}")
        elif self.labels:
            lines.append(
                "  none of these documents was labelled by people: label some of them, then .train() weighs the machine"
            )
        return "\n".join(lines)


@dataclass(slots=True)
class _Run:
    """State of a call."""

    folder: CorpusFolder
    by: str
    budget: BudgetTracker
    labels: Counter[str] = field(default_factory=Counter)
    cached: int = 0
    failed: int = 0
    stopped: str = ""
    is_interrupted: bool = False
    last_error: str = ""

    def save(self, labels: Mapping[str, tuple[str, str]]) -> None:
        """Store labels with their reasons."""
        known = {row["doc_id"]: row for row in _rows(self.folder, labels)}
        saved = {doc_id: output for doc_id, output in labels.items() if doc_id in known}
        self.folder.labels.add(
            ((doc_id, "document", label) for doc_id, (label, _) in saved.items()), by=self.by,
            note={doc_id: reason for doc_id, (_, reason) in saved.items() if reason},
            versions={doc_id: known[doc_id]["version"] for doc_id in saved},
        )  # fmt: skip
        with self.folder.catalog.transaction():
            for doc_id in saved:
                self.folder.catalog.clear_failure(known[doc_id]["uri"], [self.by])
        self.labels.update(label for label, _ in saved.values())

    def fail(self, doc_ids: Iterable[str], error: Exception) -> None:
        """Store the failure of documents."""
        for row in _rows(self.folder, list(doc_ids)):
            self.folder.catalog.add_failure(row["uri"], self.by, error)
            self.failed += 1


def prelabel(
    folder: CorpusFolder,
    annotator: Annotator,
    doc_ids: Sequence[str] | None = None,
    *,
    budget: Budget | int | None = DEFAULT_BUDGET,
    name: str | None = None,
    relabel: bool = False,
    progress: bool = True,
) -> PrelabelReport:
    """Label documents by a machine, see :meth:`Corpus.labelling.prelabel`.

    Labels are written to disk as they arrive.

    Args:
        folder: The corpus folder.
        annotator: A :class:`ChatAnnotator`, or a function that returns for each text a label, (label, reason), or None.
        doc_ids: Documents to label. None: documents labelled by people, which measure the machine, then all others in random
            order; one of each group of duplicates.
        budget: Maximum cost of this call. A number is a number of requests. None: unlimited.
        name: Labels are stored under ``machine:NAME``. Default: name of the annotator.
        relabel: Label again what this machine has labelled, for example after a change of the question.
        progress: Show a progress bar.

    Raises:
        ConfigurationError: Invalid name, budget or label, or the server rejects all requests.
        CorpusBusyError: Another call is running on this corpus.
        MissingExtraError: The extra ``annotate`` is not installed.
    """
    by = _signature(annotator, name)
    if not isinstance(budget, Budget | int | None):
        raise ConfigurationError(f"budget={budget!r}: expected a Budget, a number of requests, or None")
    limit = Budget(requests=budget) if isinstance(budget, int) else budget or Budget()
    price = annotator.price if isinstance(annotator, ChatAnnotator) else Price()
    if limit.money is not None and price == Price():
        raise ConfigurationError(
            "a budget in money needs prices per million tokens: ChatAnnotator(price=Price(prompt, answer))"
        )
    if isinstance(annotator, ChatAnnotator):
        check_label_names(folder, annotator.labels, typos_only=True)
    with folder.annotation_lock():
        examples = _examples(folder, annotator)
        run = _Run(folder, by, BudgetTracker(limit, price))
        queue = _documents(folder, by, doc_ids, exclude={doc_id for doc_id, _ in examples}, relabel=relabel)
        if isinstance(annotator, ChatAnnotator):
            _ask_server(run, annotator, queue, [example for _, example in examples], progress)
        else:
            _ask_function(run, annotator, queue, limit, progress)
    done = run.labels.total() + run.failed
    agreement = next((row for row in machine_agreements(folder) if row.by == by and row.documents), None)
    return PrelabelReport(
        by, dict(run.labels), run.cached, run.failed, len(queue) - done, run.budget.requests, run.budget.tokens,
        run.budget.money, run.stopped, run.is_interrupted, agreement, run.last_error,
    )  # fmt: skip


def _signature(annotator: Annotator, name: str | None) -> str:
    if not isinstance(annotator, ChatAnnotator) and not callable(annotator):
        raise ConfigurationError(f"annotator: found {type(annotator).__name__}, expected a ChatAnnotator or a function")
    if name is not None:
        return machine_name(name)
    if isinstance(annotator, ChatAnnotator):
        return annotator.by
    function_name = getattr(annotator, "__name__", type(annotator).__name__)
    if function_name == "<lambda>":
        raise ConfigurationError("a function without a name needs name=...")
    return machine_name(function_name)


def _documents(
    folder: CorpusFolder, by: str, doc_ids: Sequence[str] | None, *, exclude: set[str], relabel: bool
) -> list[str]:
    """Return the documents to label, in order. Examples of the prompt are excluded: the model has seen their labels."""
    duplicates = DuplicateGroups(folder)
    if doc_ids is None:
        people = sample(training_labels(folder, groups=False), len(duplicates.doc_ids))
        candidates = duplicates.deduplicate([*people, *sample(duplicates.doc_ids, len(duplicates.doc_ids))])
    else:
        known = set(duplicates.doc_ids)
        candidates = [doc_id for doc_id in dict.fromkeys(doc_ids) if doc_id in known]
    groups = duplicates.keys(exclude)
    done = set() if relabel else labels_by(folder, by).keys()
    return [doc_id for doc_id in candidates if duplicates.key(doc_id) not in groups and doc_id not in done]


def _examples(folder: CorpusFolder, annotator: Annotator) -> list[tuple[str, Example]]:
    """Return a few labelled documents, balanced between the labels."""
    if not isinstance(annotator, ChatAnnotator):
        return []
    labels = {
        doc_id: label for doc_id, label in training_labels(folder, groups=False).items() if label in annotator.labels
    }
    n = min(annotator.examples, len(labels) // _LABELS_PER_EXAMPLE)
    classes = [deque(sample((d for d, label in labels.items() if label == side), n)) for side in ("relevant", "other")]
    chosen: list[str] = []
    while len(chosen) < n and any(classes):
        chosen += [doc_ids.popleft() for doc_ids in classes if doc_ids][: n - len(chosen)]
    texts = dict(_texts(folder, chosen))
    return [(doc_id, Example(*texts[doc_id], labels[doc_id])) for doc_id in chosen if doc_id in texts]


def _texts(folder: CorpusFolder, doc_ids: Sequence[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield doc_id, (title, main text) in the order of the documents."""
    for start in range(0, len(doc_ids), _READ_BATCH):
        part = doc_ids[start : start + _READ_BATCH]
        texts = scoring_texts(folder, part)
        for doc_id in part:
            title, _, text = texts.get(doc_id, "").partition("\n")
            yield doc_id, (title, text)


def _rows(folder: CorpusFolder, doc_ids: Iterable[str]) -> list[Any]:
    query = "SELECT doc_id, uri, version FROM current WHERE doc_id IN (SELECT value FROM json_each(?))"
    return folder.catalog.rows(query, (json.dumps(list(doc_ids)),))


# ---- language models -------------------------------------------------------------------------------------------------


def _ask_server(
    run: _Run, annotator: ChatAnnotator, queue: Sequence[str], examples: Sequence[Example], progress: bool
) -> None:
    stopped = threading.Event()
    description = run.folder.settings.description
    with ResponseCache(run.folder.root) as cache:
        chat = Chat(annotator, run.budget, stopped)

        def ask(fingerprint: str, body: Mapping[str, Any]) -> tuple[str, str]:
            label, reason, tokens = chat.ask(body)
            cache.put(fingerprint, label, reason, tokens)  # first of all: the response is paid for
            return label, reason

        pool = ThreadPoolExecutor(annotator.concurrency, thread_name_prefix="corpuskit-annotator")
        texts = _texts(run.folder, queue)
        pending: dict[Future[tuple[str, str]], str] = {}
        documents_of: dict[str, list[str]] = {}  # fingerprint of a pending request → documents
        failures, fatal_error = 0, None
        with _bar(len(queue), progress) as bar:
            try:
                while True:
                    while not run.stopped and len(pending) < 2 * annotator.concurrency:
                        if (item := next(texts, None)) is None:
                            break
                        doc_id, (title, text) = item
                        body = annotator.request(description, examples, title, text)
                        fingerprint = annotator.fingerprint(body)
                        if (cached := cache.get(fingerprint)) is not None:
                            run.save({doc_id: cached})
                            run.cached += 1
                            bar.update(1)
                        elif fingerprint in documents_of:
                            documents_of[fingerprint].append(doc_id)
                        else:
                            documents_of[fingerprint] = [doc_id]
                            pending[pool.submit(ask, fingerprint, body)] = fingerprint
                    if not pending:
                        break
                    done, _ = wait(pending, return_when=FIRST_COMPLETED)
                    for future in done:
                        doc_ids = documents_of[pending[future]]
                        failures, fatal_error = _save_result(run, future, doc_ids, failures, fatal_error)
                        del documents_of[pending.pop(future)]  # after saving: Ctrl-C can come between
                        bar.update(len(doc_ids))
                    if failures >= _MAX_CONSECUTIVE_FAILURES and not run.stopped:
                        run.stopped = f"the server failed {failures} times in a row"
                    if run.stopped:
                        run.budget.close()
            except KeyboardInterrupt:
                run.stopped, run.is_interrupted = "stopped with Ctrl-C", True
            finally:
                stopped.set()
                run.budget.close()
                finished, late = wait(pending, timeout=_GRACE)
                chat.close()  # aborts late requests
                wait(late)
                pool.shutdown()
                run.last_error = chat.last_error
                for future in [*finished, *late]:
                    _save_result(run, future, documents_of[pending[future]], 0, None)
        if fatal_error is not None:
            raise fatal_error


def _save_result(
    run: _Run,
    future: Future[tuple[str, str]],
    doc_ids: Sequence[str],
    failures: int,
    fatal_error: ConfigurationError | None,
) -> tuple[int, ConfigurationError | None]:
    """Store the result of a request. Return the number of consecutive failures, and the error of all requests, if any."""
    try:
        output = future.result()
    except BudgetExceededError:
        run.stopped = run.stopped or "the budget is spent"
    except ConfigurationError as error:
        run.stopped = run.stopped or "the server rejects all requests"
        return failures, error
    except NoLabelError as error:
        run.fail(doc_ids, error)
    except FetchError as error:
        if run.is_interrupted:
            return failures, fatal_error
        run.fail(doc_ids, error)
        return failures + 1, fatal_error
    else:
        run.save(dict.fromkeys(doc_ids, output))
    return 0, fatal_error


# ---- functions -------------------------------------------------------------------------------------------------------


def _ask_function(
    run: _Run,
    annotator: Callable[[Sequence[str]], Sequence[LabelOutput]],
    queue: Sequence[str],
    limit: Budget,
    progress: bool,
) -> None:
    in_use = set(label_names_in_use(run.folder)) - {WITHDRAWN}
    n = len(queue) if limit.requests is None else min(limit.requests, len(queue))
    texts = _texts(run.folder, queue[:n])
    with _bar(n, progress) as bar:
        try:
            while batch := list(islice(texts, _BATCH)):
                run.budget.requests += len(batch)
                for part in _label_batch(run, annotator, dict(batch), in_use):
                    run.save(part)
                bar.update(len(batch))
        except KeyboardInterrupt:
            run.stopped, run.is_interrupted = "stopped with Ctrl-C", True
    if n < len(queue) and not run.stopped:
        run.stopped = "the budget is spent"


def _label_batch(
    run: _Run,
    annotator: Callable[[Sequence[str]], Sequence[LabelOutput]],
    batch: Mapping[str, tuple[str, str]],
    in_use: set[str],
) -> Iterator[dict[str, tuple[str, str]]]:
    """Yield the labels of a batch. If the function fails on the batch, call it for each document."""
    try:
        yield _outputs(annotator, batch, in_use)
    except Exception as error:  # a user's function can raise anything
        if len(batch) == 1:
            run.fail(batch, error)
            return
        for doc_id, text in batch.items():
            yield from _label_batch(run, annotator, {doc_id: text}, in_use)


def _outputs(
    annotator: Callable[[Sequence[str]], Sequence[LabelOutput]], batch: Mapping[str, tuple[str, str]], in_use: set[str]
) -> dict[str, tuple[str, str]]:
    outputs = list(annotator([f"{title}\n{text}" for title, text in batch.values()]))
    if len(outputs) != len(batch):
        raise NoLabelError(f"found {len(outputs)} labels, expected one for each of {len(batch)} texts")
    labels = {}
    for doc_id, output in zip(batch, outputs, strict=True):
        label, reason = (output, "") if isinstance(output, str) else output if isinstance(output, tuple) else (None, "")
        if label not in in_use:
            raise NoLabelError(f"found {output!r}, expected one of {', '.join(sorted(in_use))}, or (label, reason)")
        labels[doc_id] = (label, str(reason)[:500])
    return labels


def _bar(total: int, progress: bool) -> Any:
    from tqdm.auto import tqdm

    return tqdm(total=total, unit="doc", desc="prelabel", disable=not progress)
