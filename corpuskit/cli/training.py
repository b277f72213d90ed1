"""``corpuskit train``, ``audit`` and ``fasttext``: a model from labels, what it may claim, and its student."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corpuskit.cli.corpus_folders import ExistingFolder, open_existing
from corpuskit.cli.printing import printable
from corpuskit.store.telling import counted

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.corpus import Corpus
    from corpuskit.relevance.auditing import CorpusAudit

_SHOWN = 800  # characters of a document when a label is asked for


def train(
    folder: ExistingFolder,
    positive: Annotated[
        str, typer.Option(metavar="LABEL", help="The label to find; a class of your own is learned against the rest.")
    ] = "relevant",
    seed: Annotated[int, typer.Option(min=0, help="Same labels and seed, same model.")] = 0,
) -> None:
    """Trains on the labels and scores all documents."""
    typer.echo(open_existing(folder).train(positive=positive, seed=seed).summary)


def audit(
    folder: ExistingFolder,
    labels: Annotated[Path | None, typer.Option(help="CSV with target and label: answers to what was asked.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write what to label now as CSV, and end.")] = None,
    precision: Annotated[
        float | None,
        typer.Option(
            min=0.5,
            max=0.999,
            help="What to claim of the documents called relevant; default: as claimed before, else 0.95.",
        ),
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(min=0.5, max=0.999, help="How sure the claim is to be; default: as before, else 0.9."),
    ] = None,
    by: Annotated[str, typer.Option(help="Who labels.")] = "audit",
    other: Annotated[
        bool, typer.Option("--other", help="Audit the low end: up to which score documents can be called other.")
    ] = False,
    below: Annotated[
        int,
        typer.Option(
            min=0, help="After a claim: documents from below the threshold, which tell what it misses; 0: none."
        ),
    ] = 60,
) -> None:
    """Certify the last model: ask for labels until a threshold can be claimed, or none.

    Asks here, document by document; or in a file, with --out and then --labels. Goes on where it was broken off.
    """
    from corpuskit.labels import read_label_file

    corpus = open_existing(folder)
    running = corpus.audit(precision=precision, confidence=confidence, label="other" if other else "relevant")
    answers = dict(read_label_file(labels)) if labels is not None else {}
    while len(batch := running.next()) or (below and len(batch := running.next_below(below))):
        found = {doc_id: answers[doc_id] for doc_id in batch["doc_id"] if answers.get(doc_id)}
        if found:
            running.add(found, by=by)
        elif out is not None:
            _keep_answers(corpus, out)
            batch.rename(columns={"doc_id": "target"}).assign(label="")[["target", "label", "title", "uri"]].to_csv(
                out, index=False
            )
            typer.echo(f"{counted(len(batch), 'document')} to label (relevant or other){_what_for(running)}: {out}")
            break
        elif labels is not None or not sys.stdin.isatty():
            typer.echo(
                f"{len(batch)} more label{'s are' if len(batch) != 1 else ' is'} wanted{_what_for(running)}: write them to a file with --out"
            )
            break
        elif not _ask(corpus, running, batch, by):
            break
    typer.echo(repr(running))


def _keep_answers(corpus: Corpus, out: Path) -> None:
    """Raise if a file that would be written anew holds answers that the corpus does not have."""
    from corpuskit.errors import ConfigurationError
    from corpuskit.labels import read_label_file

    if not out.is_file() or not out.stat().st_size:  # a pipe or a device keeps nothing
        return
    try:
        answers = [answer for answer in read_label_file(out) if answer[1]]
    except ConfigurationError as error:  # it may hold answers all the same, in the encoding of a spreadsheet
        raise ConfigurationError(f"{error}; name another file to write to with --out") from error
    taken = {(label.target, label.label) for label in corpus._folder.labels.current("document")}
    lost = sum(answer not in taken for answer in answers)
    if lost:
        raise ConfigurationError(
            f"{out} has {counted(lost, 'answer')} that the corpus does not have: hand {'it' if lost == 1 else 'them'} in "
            f"with --labels {out}, or name another file"
        )


def _what_for(running: CorpusAudit) -> str:
    return ", from below the threshold, to tell what it misses" if running.is_done else ""


def _ask(corpus: Corpus, running: CorpusAudit, batch: pd.DataFrame, by: str) -> bool:
    """Asks for the labels of a batch, saving each; False where the user wants to stop."""
    for row in batch.itertuples():
        text = corpus[str(row.doc_id)].to_text(main=True)
        lines = [str(row.title), str(row.uri), *text[:_SHOWN].splitlines()]
        typer.echo("\n" + "\n".join(map(printable, lines)))
        try:
            answer = typer.prompt("[r]elevant, [o]ther, [q]uit", type=str).strip().lower()[:1]
            while answer not in {"r", "o", "q"}:
                answer = typer.prompt("r, o or q", type=str).strip().lower()[:1]
        except typer.Abort:  # Ctrl-C or the end of the input
            typer.echo(f"\n{running!r}\nstopped: the same command goes on")
            raise typer.Exit(130) from None
        if answer == "q":
            return False
        running.add({str(row.doc_id): "relevant" if answer == "r" else "other"}, by=by)
    return True


def fasttext(
    folder: ExistingFolder,
    file: Annotated[Path, typer.Argument(help="The .bin file to write.", show_default=False)],
    urls: Annotated[bool, typer.Option("--urls", help="Learn from the model of URLs, not that of documents.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Same corpus and seed, same classifier.")] = 0,
) -> None:
    """Writes a fastText classifier that learned the model's verdicts, for filters of other programs.

    It knows __label__relevant and __label__other, from the audited threshold on where there is one. Texts must be given to
    it as corpuskit.relevance.fasttext_line makes them: lower case, words with blanks between, title first.
    """
    typer.echo(repr(open_existing(folder).export_fasttext(file, kind="url" if urls else "document", seed=seed)))
