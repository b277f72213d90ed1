"""Has a machine label documents: what is asked, in what order, and what came of it."""

from __future__ import annotations

import json
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from corpuskit.annotators.answers import Answers
from corpuskit.annotators.budget import Budget, BudgetSpentError, Price, Purse
from corpuskit.annotators.chat import Chat, ChatAnnotator, Example, NoLabelError
from corpuskit.errors import ConfigurationError, FetchError
from corpuskit.labels import (
    Copies,
    Trust,
    check_names,
    judged_documents,
    labels_of,
    machine_name,
    names_in_use,
    sample,
    trust,
)
from corpuskit.relevance.learning import scoring_texts
from corpuskit.store import CorpusFolder
from corpuskit.store.formatting import pluralize
from corpuskit.store.labels import WITHDRAWN

USUAL: Final = Budget(requests=1_000)
"""What one call may cost where no budget is named."""
_BATCH: Final = 16  # texts that a function gets at once
_READ_AT_ONCE: Final = 500  # documents
_IN_A_ROW: Final = 5  # failures of the server without an answer between them: then it is no use to go on
_GRACE: Final = 10.0  # seconds for requests under way when the user stops
_SHARE_SHOWN: Final = 4  # one of so many labels is an example at most

Said = str | tuple[str, str] | None
"""A label, (label, reason), or None for no answer."""
Annotator = ChatAnnotator | Callable[[Sequence[str]], Sequence[Said]]
"""What labels: a language model, or a function of texts (title and main text) that gives a label for each."""


@dataclass(frozen=True, slots=True, repr=False)
class PrelabelReport:
    """What came of a call.

    Attributes:
        by: who signed the labels.
        labels: label → how many documents got it.
        cached: how many of these cost nothing, since the same was asked before.
        failed: documents without a label; why stands in ``failures()``, and the next call asks them again.
        left: documents that were not asked.
        requests, tokens, money: what was spent.
        stopped: why documents are left; empty where none are.
        is_interrupted: stopped with Ctrl-C.
        trust: the machine against people, see :class:`corpuskit.labels.Trust`.
        trouble: the last answer of the server that was none, or why none came; empty without any.
    """

    by: str
    labels: Mapping[str, int]
    cached: int
    failed: int
    left: int
    requests: int
    tokens: int
    money: float
    stopped: str
    is_interrupted: bool
    trust: Trust | None
    trouble: str = ""

    def __repr__(self) -> str:
        said = ", ".join(f"{count:,} {label}" for label, count in sorted(self.labels.items())) or "no labels"
        spent = pluralize(self.requests, "request")
        spent += f", {pluralize(self.tokens, 'token')}" if self.tokens else ""
        spent += f", {self.money:.4f} paid" if self.money else ""
        spent += f", {self.cached:,} from the cache" if self.cached else ""
        lines = [f"{self.by}: {said} ({spent})"]
        if self.failed:
            lines.append(
                f"  {self.failed:,} failed: see failures() (corpuskit failures); the same call or command asks them again"
            )
        if self.left:
            lines.append(f"  {self.left:,} documents are left: {self.stopped}; the same call or command goes on")
        if self.trouble:
            lines.append(f"  the last trouble: {self.trouble}")
        if self.trust:
            lines.append(f"  {self.trust!r}")
        elif self.labels:
            lines.append(
                "  none of these documents was labelled by people: label some of them, then .train() weighs the machine"
            )
        return "\n".join(lines)


@dataclass(slots=True)
class _Work:
    """What is being done."""

    folder: CorpusFolder
    by: str
    purse: Purse
    labels: Counter[str] = field(default_factory=Counter)
    cached: int = 0
    failed: int = 0
    stopped: str = ""
    is_interrupted: bool = False
    trouble: str = ""

    def keep(self, found: Mapping[str, tuple[str, str]]) -> None:
        """Writes labels down, with their reasons."""
        known = {row["doc_id"]: row for row in _rows(self.folder, found)}
        kept = {doc_id: said for doc_id, said in found.items() if doc_id in known}
        self.folder.labels.add(
            ((doc_id, "document", label) for doc_id, (label, _) in kept.items()), by=self.by,
            note={doc_id: reason for doc_id, (_, reason) in kept.items() if reason},
            versions={doc_id: known[doc_id]["version"] for doc_id in kept},
        )  # fmt: skip
        with self.folder.catalog.transaction():
            for doc_id in kept:
                self.folder.catalog.clear_failure(known[doc_id]["uri"], [self.by])
        self.labels.update(label for label, _ in kept.values())

    def fail(self, doc_ids: Iterable[str], error: Exception) -> None:
        """Writes a failure down."""
        for row in _rows(self.folder, list(doc_ids)):
            self.folder.catalog.add_failure(row["uri"], self.by, error)
            self.failed += 1


def prelabel(
    folder: CorpusFolder,
    annotator: Annotator,
    doc_ids: Sequence[str] | None = None,
    *,
    budget: Budget | int | None = USUAL,
    name: str | None = None,
    again: bool = False,
    progress: bool = True,
) -> PrelabelReport:
    """Have a machine label documents; its labels are kept apart from those of people.

    What it labelled in an earlier call is not asked again. Labels are on the disk as they come.

    Args:
        folder: the corpus.
        annotator: a :class:`ChatAnnotator`, or a function that takes texts and gives for each a label, (label, reason), or
            None.
        doc_ids: these; None: those that people have labelled, so that the machine can be measured, then others, drawn at
            random; one of copies.
        budget: what this call may cost; a number is one of requests; None: no limit.
        name: signs the labels as ``machine:NAME``; default: that of the annotator.
        again: ask also what it has labelled already, as after a change of the question.
        progress: shows a bar.

    Raises:
        ConfigurationError: a wrong name, budget or label, or the server refuses every request.
        CorpusBusyError: another call runs on this corpus.
        MissingExtraError: the extra ``annotate`` is not installed.
    """
    by = _signature(annotator, name)
    if not isinstance(budget, Budget | int | None):
        raise ConfigurationError(f"budget={budget!r}: expected a Budget, a number of requests, or None")
    limit = Budget(requests=budget) if isinstance(budget, int) else budget or Budget()
    price = annotator.price if isinstance(annotator, ChatAnnotator) else Price()
    if limit.money is not None and price == Price():
        raise ConfigurationError(
            "a budget in money needs prices: ChatAnnotator(price=Price(prompt, answer)), of a million tokens"
        )
    if isinstance(annotator, ChatAnnotator):
        check_names(folder, annotator.labels, only_alike=True)
    with folder.annotation_lock():
        shown = _examples(folder, annotator)
        work = _Work(folder, by, Purse(limit, price))
        asked = _documents(folder, by, doc_ids, apart={doc_id for doc_id, _ in shown}, again=again)
        if isinstance(annotator, ChatAnnotator):
            _ask_server(work, annotator, asked, [example for _, example in shown], progress)
        else:
            _ask_function(work, annotator, asked, limit, progress)
    done = work.labels.total() + work.failed
    found = next((one for one in trust(folder) if one.by == by and one.documents), None)
    return PrelabelReport(
        by, dict(work.labels), work.cached, work.failed, len(asked) - done, work.purse.requests, work.purse.tokens,
        work.purse.money, work.stopped, work.is_interrupted, found, work.trouble,
    )  # fmt: skip


def _signature(annotator: Annotator, name: str | None) -> str:
    if not isinstance(annotator, ChatAnnotator) and not callable(annotator):
        raise ConfigurationError(f"annotator: found {type(annotator).__name__}, expected a ChatAnnotator or a function")
    if name is not None:
        return machine_name(name)
    if isinstance(annotator, ChatAnnotator):
        return annotator.by
    given = getattr(annotator, "__name__", type(annotator).__name__)
    if given == "<lambda>":
        raise ConfigurationError("a function without a name needs name=...")
    return machine_name(given)


def _documents(
    folder: CorpusFolder, by: str, doc_ids: Sequence[str] | None, *, apart: set[str], again: bool
) -> list[str]:
    """What is asked, in order. Examples of the prompt are not: the machine would be measured by what it was told."""
    copies = Copies(folder)
    if doc_ids is None:
        people = sample(judged_documents(folder, groups=False), len(copies.doc_ids))
        wanted = copies.once([*people, *sample(copies.doc_ids, len(copies.doc_ids))])
    else:
        known = set(copies.doc_ids)
        wanted = [doc_id for doc_id in dict.fromkeys(doc_ids) if doc_id in known]
    groups = copies.groups(apart)
    done = set() if again else labels_of(folder, by).keys()
    return [doc_id for doc_id in wanted if copies.of(doc_id) not in groups and doc_id not in done]


def _examples(folder: CorpusFolder, annotator: Annotator) -> list[tuple[str, Example]]:
    """A few labelled documents, as many of each label as there can be."""
    if not isinstance(annotator, ChatAnnotator):
        return []
    judged = {
        doc_id: label for doc_id, label in judged_documents(folder, groups=False).items() if label in annotator.labels
    }
    room = min(annotator.examples, len(judged) // _SHARE_SHOWN)
    sides = [deque(sample((d for d, label in judged.items() if label == side), room)) for side in ("relevant", "other")]
    chosen: list[str] = []
    while len(chosen) < room and any(sides):
        chosen += [side.popleft() for side in sides if side][: room - len(chosen)]
    texts = dict(_texts(folder, chosen))
    return [(doc_id, Example(*texts[doc_id], judged[doc_id])) for doc_id in chosen if doc_id in texts]


def _texts(folder: CorpusFolder, doc_ids: Sequence[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """doc_id, (title, main text), in the order given."""
    for start in range(0, len(doc_ids), _READ_AT_ONCE):
        part = doc_ids[start : start + _READ_AT_ONCE]
        found = scoring_texts(folder, part)
        for doc_id in part:
            title, _, text = found.get(doc_id, "").partition("\n")
            yield doc_id, (title, text)


def _rows(folder: CorpusFolder, doc_ids: Iterable[str]) -> list[Any]:
    query = "SELECT doc_id, uri, version FROM current WHERE doc_id IN (SELECT value FROM json_each(?))"
    return folder.catalog.rows(query, (json.dumps(list(doc_ids)),))


# -- a server --------------------------------------------------------------------------------------------------------------


def _ask_server(
    work: _Work, annotator: ChatAnnotator, asked: Sequence[str], examples: Sequence[Example], progress: bool
) -> None:
    stopped = threading.Event()
    description = work.folder.settings.description
    with Answers(work.folder.root) as answers:
        chat = Chat(annotator, work.purse, stopped)

        def ask(fingerprint: str, body: Mapping[str, Any]) -> tuple[str, str]:
            label, reason, tokens = chat.ask(body)
            answers.put(fingerprint, label, reason, tokens)  # before anything else: it is paid for
            return label, reason

        pool = ThreadPoolExecutor(annotator.concurrency, thread_name_prefix="corpuskit-annotator")
        waiting = _texts(work.folder, asked)
        under_way: dict[Future[tuple[str, str]], str] = {}
        of: dict[str, list[str]] = {}  # request → the documents that wait for its answer
        in_a_row, refused = 0, None
        with _bar(len(asked), progress) as bar:
            try:
                while True:
                    while not work.stopped and len(under_way) < 2 * annotator.concurrency:
                        if (item := next(waiting, None)) is None:
                            break
                        doc_id, (title, text) = item
                        body = annotator.request(description, examples, title, text)
                        fingerprint = annotator.fingerprint(body)
                        if (known := answers.get(fingerprint)) is not None:
                            work.keep({doc_id: known})
                            work.cached += 1
                            bar.update(1)
                        elif fingerprint in of:
                            of[fingerprint].append(doc_id)
                        else:
                            of[fingerprint] = [doc_id]
                            under_way[pool.submit(ask, fingerprint, body)] = fingerprint
                    if not under_way:
                        break
                    done, _ = wait(under_way, return_when=FIRST_COMPLETED)
                    for future in done:
                        ids = of[under_way[future]]
                        in_a_row, refused = _take(work, future, ids, in_a_row, refused)
                        del of[under_way.pop(future)]  # not before it is written down: Ctrl-C can come between
                        bar.update(len(ids))
                    if in_a_row >= _IN_A_ROW and not work.stopped:
                        work.stopped = f"the server failed {in_a_row} times in a row"
                    if work.stopped:
                        work.purse.close()
            except KeyboardInterrupt:
                work.stopped, work.is_interrupted = "stopped with Ctrl-C", True
            finally:
                stopped.set()
                work.purse.close()
                finished, late = wait(under_way, timeout=_GRACE)
                chat.close()  # breaks off what is late
                wait(late)
                pool.shutdown()
                work.trouble = chat.trouble
                for future in [*finished, *late]:
                    _take(work, future, of[under_way[future]], 0, None)
        if refused is not None:
            raise refused


def _take(
    work: _Work, future: Future[tuple[str, str]], ids: Sequence[str], in_a_row: int, refused: ConfigurationError | None
) -> tuple[int, ConfigurationError | None]:
    """What one request came to; returns how many failed in a row, and why none will succeed."""
    try:
        said = future.result()
    except BudgetSpentError:
        work.stopped = work.stopped or "the budget is spent"
    except ConfigurationError as error:
        work.stopped = work.stopped or "the server refuses"
        return in_a_row, error
    except NoLabelError as error:
        work.fail(ids, error)
    except FetchError as error:
        if work.is_interrupted:
            return in_a_row, refused
        work.fail(ids, error)
        return in_a_row + 1, refused
    else:
        work.keep(dict.fromkeys(ids, said))
    return 0, refused


# -- a function ------------------------------------------------------------------------------------------------------------


def _ask_function(
    work: _Work,
    annotator: Callable[[Sequence[str]], Sequence[Said]],
    asked: Sequence[str],
    limit: Budget,
    progress: bool,
) -> None:
    in_use = set(names_in_use(work.folder)) - {WITHDRAWN}
    room = len(asked) if limit.requests is None else min(limit.requests, len(asked))
    texts = _texts(work.folder, asked[:room])
    with _bar(room, progress) as bar:
        try:
            while batch := list(islice(texts, _BATCH)):
                work.purse.requests += len(batch)
                for part in _halves(work, annotator, dict(batch), in_use):
                    work.keep(part)
                bar.update(len(batch))
        except KeyboardInterrupt:
            work.stopped, work.is_interrupted = "stopped with Ctrl-C", True
    if room < len(asked) and not work.stopped:
        work.stopped = "the budget is spent"


def _halves(
    work: _Work,
    annotator: Callable[[Sequence[str]], Sequence[Said]],
    batch: Mapping[str, tuple[str, str]],
    in_use: set[str],
) -> Iterator[dict[str, tuple[str, str]]]:
    """The labels of a batch; where the function fails on it, those of its documents one by one."""
    try:
        yield _said_of(annotator, batch, in_use)
    except Exception as error:  # whatever a function of the user's does
        if len(batch) == 1:
            work.fail(batch, error)
            return
        for doc_id, text in batch.items():
            yield from _halves(work, annotator, {doc_id: text}, in_use)


def _said_of(
    annotator: Callable[[Sequence[str]], Sequence[Said]], batch: Mapping[str, tuple[str, str]], in_use: set[str]
) -> dict[str, tuple[str, str]]:
    given = list(annotator([f"{title}\n{text}" for title, text in batch.values()]))
    if len(given) != len(batch):
        raise NoLabelError(f"found {len(given)} labels, expected one for each of {len(batch)} texts")
    found = {}
    for doc_id, said in zip(batch, given, strict=True):
        label, reason = (said, "") if isinstance(said, str) else said if isinstance(said, tuple) else (None, "")
        if label not in in_use:
            raise NoLabelError(f"found {said!r}, expected one of {', '.join(sorted(in_use))}, or (label, reason)")
        found[doc_id] = (label, str(reason)[:500])
    return found


def _bar(total: int, progress: bool) -> Any:
    from tqdm.auto import tqdm

    return tqdm(total=total, unit="doc", desc="prelabel", disable=not progress)
