"""Commands ``train``, ``audit`` and ``fasttext``: models from labels, their certified precision, and a distilled
classifier.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corpuskit.cli.corpus_folders import ExistingFolder, open_existing
from corpuskit.cli.printing import printable
from corpuskit.store.formatting import pluralize

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.corpus import Corpus
    from corpuskit.relevance.corpus_audit import CorpusAudit

_MAX_SHOWN = 800  # characters of a document in the prompt for a label


def train(
    folder: ExistingFolder,
    positive: Annotated[
        str, typer.Option(metavar="LABEL", help="The positive label; all other labels are negative.")
    ] = "relevant",
    seed: Annotated[
        int, typer.Option(min=0, help="Random seed. The same labels and seed result in the same model.")
    ] = 0,
) -> None:
    """Train a model on the labels and score all documents."""
    typer.echo(open_existing(folder).train(positive=positive, seed=seed).summary)


def audit(
    folder: ExistingFolder,
    labels: Annotated[
        Path | None, typer.Option(help="CSV file with target and label: labels for the requested documents.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the documents to label as CSV, and exit.")
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option(
            min=0.5,
            max=0.999,
            help="Precision to certify for documents called relevant; default: as before, else 0.95.",
        ),
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(min=0.5, max=0.999, help="Confidence level of the claim; default: as before, else 0.9."),
    ] = None,
    by: Annotated[str, typer.Option(help="Name of the annotator.")] = "audit",
    other: Annotated[
        bool,
        typer.Option("--other", help="Audit low scores: certify the threshold below which documents are called other."),
    ] = False,
    below: Annotated[
        int,
        typer.Option(
            min=0, help="After a claim: number of documents from below the threshold, to estimate recall; 0: none."
        ),
    ] = 60,
) -> None:
    """Certify the last model: request labels until a threshold can be claimed, or until it is clear that none can.

    Labels are entered here, document by document, or in a file with --out and then --labels. After an interruption,
    repeat the command to continue.
    """
    from corpuskit.labels import read_label_file

    corpus = open_existing(folder)
    running = corpus.audit(precision=precision, confidence=confidence, label="other" if other else "relevant")
    answers = dict(read_label_file(labels)) if labels is not None else {}
    while len(batch := running.next()) or (below and len(batch := running.next_below(below))):
        batch_labels = {doc_id: answers[doc_id] for doc_id in batch["doc_id"] if answers.get(doc_id)}
        if batch_labels:
            running.add(batch_labels, by=by)
        elif out is not None:
            _check_unsaved_answers(corpus, out)
            batch.rename(columns={"doc_id": "target"}).assign(label="")[["target", "label", "title", "uri"]].to_csv(
                out, index=False
            )
            typer.echo(f"{pluralize(len(batch), 'document')} to label (relevant or other){_purpose(running)}: {out}")
            break
        elif labels is not None or not sys.stdin.isatty():
            typer.echo(
                f"{len(batch)} more label{'s are' if len(batch) != 1 else ' is'} wanted{_purpose(running)}: write them to a file with --out"
            )
            break
        elif not _prompt_labels(corpus, running, batch, by):
            break
    typer.echo(repr(running))


def _check_unsaved_answers(corpus: Corpus, out: Path) -> None:
    """Raise if writing the file would overwrite labels that the corpus does not have."""
    from corpuskit.errors import ConfigurationError
    from corpuskit.labels import read_label_file

    if not out.is_file() or not out.stat().st_size:  # a pipe or a device has no content
        return
    try:
        answers = [answer for answer in read_label_file(out) if answer[1]]
    except ConfigurationError as error:  # it may still contain answers, in the encoding of a spreadsheet
        raise ConfigurationError(f"{error}; pass another file with --out") from error
    stored = {(label.target, label.label) for label in corpus._folder.labels.current("document")}
    lost = sum(answer not in stored for answer in answers)
    if lost:
        raise ConfigurationError(
            f"{out} has {pluralize(lost, 'answer')} that the corpus does not have: import {'it' if lost == 1 else 'them'} "
            f"with --labels {out}, or pass another file"
        )


def _purpose(running: CorpusAudit) -> str:
    return ", from below the threshold, to estimate recall" if running.is_done else ""


def _prompt_labels(corpus: Corpus, running: CorpusAudit, batch: pd.DataFrame, by: str) -> bool:
    """Prompt for the labels of a batch and store each. Return False if the user quits."""
    for row in batch.itertuples():
        text = corpus[str(row.doc_id)].to_text(main=True)
        lines = [str(row.title), str(row.uri), *text[:_MAX_SHOWN].splitlines()]
        typer.echo("\n" + "\n".join(map(printable, lines)))
        try:
            answer = typer.prompt("[r]elevant, [o]ther, [q]uit", type=str).strip().lower()[:1]
            while answer not in {"r", "o", "q"}:
                answer = typer.prompt("r, o or q", type=str).strip().lower()[:1]
        except typer.Abort:  # Ctrl-C or the end of the input
            typer.echo(f"\n{running!r}\nstopped; repeat the command to continue")
            raise typer.Exit(130) from None
        if answer == "q":
            return False
        running.add({str(row.doc_id): "relevant" if answer == "r" else "other"}, by=by)
    return True


def fasttext(
    folder: ExistingFolder,
    file: Annotated[Path, typer.Argument(help="The .bin file to write.", show_default=False)],
    urls: Annotated[bool, typer.Option("--urls", help="Distil the URL model instead of the document model.")] = False,
    seed: Annotated[
        int, typer.Option(min=0, help="Random seed. The same corpus and seed result in the same classifier.")
    ] = 0,
) -> None:
    """Write a fastText classifier, distilled from the model, for filters of other programs.

    Its labels are __label__relevant and __label__other, separated by the audited threshold if there is one. Prepare
    texts with corpuskit.relevance.fasttext_line: lower case, words separated by spaces, title first.
    """
    typer.echo(repr(open_existing(folder).export_fasttext(file, kind="url" if urls else "document", seed=seed)))
