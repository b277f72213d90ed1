"""A trained model: scores, decides and explains."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from corpuskit.errors import RelevanceError
from corpuskit.relevance import storage
from corpuskit.relevance.counts import Floats
from corpuskit.relevance.host_means import Places
from corpuskit.relevance.storage import pack_words, unpack_words
from corpuskit.relevance.table import Bags, Meaning, WordTable
from corpuskit.relevance.tokens import TOKENIZER_VERSION
from corpuskit.relevance.urls import bare_host
from corpuskit.safe_folder import Folder, as_safe_folder, ensure_folder

Decision = Literal["relevant", "unknown", "other"]
_BATCH = 10_000
_START = "(start)"


@dataclass(frozen=True, slots=True)
class ModelCard:
    """Where a model comes from: label counts, pool, seed, versions, and a hash of its labels.

    Args:
        kind: What was scored, documents or URLs.
        relevant: Number of labels ``relevant``.
        other: Number of labels ``other``.
        contradicted: Number of labels that other labels of equal texts contradict.
        unsure: Number of labels ``unsure``, which are not learnt from.
        pool: Number of texts of the pool.
        seed: The seed of the training.
        tokenizer_version: Version of the tokens.
        labels: Hash of the labels.
        hosts: Hosts that were labelled.
    """

    kind: Literal["document", "url"]
    relevant: int
    other: int
    contradicted: int
    unsure: int
    pool: int
    seed: int
    tokenizer_version: int
    labels: str
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """What an audit found out about one model; of no use for any other.

    Attributes:
        model: the fingerprint of the model that was audited.
        threshold: scores from here on are relevant, or None where nothing could be claimed.
        precision, confidence: the claim: P(precision >= this) >= this.
        labels: how many labels it took.
        other_threshold: scores up to here are other, or None.
        documents: how many it drew from; of others the claim says nothing. None in records of earlier versions.
    """

    model: str
    threshold: float | None
    precision: float
    confidence: float
    labels: int
    other_threshold: float | None = None
    documents: int | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a text has its score: the contributions' sum is the logit.

    Attributes:
        probability: P(relevant).
        logit: ln(p / (1 - p)).
        contributions: (token, amount), the start first, then the largest amount first.
        tokens: tokens in the text.
        unknown: the share of them that the model does not know or does not use.
    """

    probability: float
    logit: float
    contributions: tuple[tuple[str, float], ...]
    tokens: int
    unknown: float

    def __iter__(self) -> Iterator[tuple[str, float]]:
        return iter(self.contributions)

    def __repr__(self) -> str:
        head = f"P(relevant) = {self.probability:.3f}; {self.tokens} tokens, {self.unknown:.0%} unknown"
        words = [(token, amount) for token, amount in self.contributions if token != _START]
        plus = ", ".join(f"{token} {amount:+.2f}" for token, amount in words if amount > 0) or "nothing"
        minus = ", ".join(f"{token} {amount:+.2f}" for token, amount in words if amount < 0) or "nothing"
        return f"{head}\n  for: {_shorten(plus)}\n  against: {_shorten(minus)}"


def _shorten(line: str, width: int = 150) -> str:
    return line if len(line) <= width else line[:width].rpartition(",")[0] + ", ..."


@dataclass(frozen=True, slots=True, repr=False)
class RelevanceModel:
    """Scores texts (or URLs) for relevance. Immutable; a new training is a new model without an audit.

    Attributes:
        tables: the word table of documents; of URLs those of structured tokens and of n-grams.
        card: label counts, pool, seed, versions.
        places: of a URL model: what the pool says about hosts.
        audit: the audit of this very model, or None.
        doubt: the logit at which the labelled texts are divided, where a label teaches most; not 0, the border of the others.
    """

    tables: tuple[WordTable, ...]
    card: ModelCard
    places: Places | None = None
    audit: AuditRecord | None = None
    doubt: float = 0.0

    @property
    def kind(self) -> Literal["document", "url"]:
        """``document`` or ``url``."""
        return self.card.kind

    @property
    def threshold(self) -> float | None:
        """The certified threshold, or None: then nothing is called relevant."""
        return self.audit.threshold if self.audit else None

    def logits(self, texts: Sequence[str]) -> Floats:
        """Return the logit of each text's score.

        Args:
            texts: The texts.
        """
        return self._logits(texts)[0]

    def score(self, texts: Sequence[str]) -> Floats:
        """Return P(relevant) of each text, in [0, 1].

        As if both classes were equally frequent: 0.5 is the border between them, and no promise of precision, which
        only an `Audit` makes. A document without a single known token gets the share of relevant labels, always less
        than 0.5: no evidence is no relevance.

        Args:
            texts: The texts, or URLs for a model of URLs.
        """
        return probability(self.logits(texts))

    def unknown_share(self, texts: Sequence[str]) -> Floats:
        """Return the share of each text's tokens that the model does not know; 1.0 for a text without tokens.

        Args:
            texts: The texts.
        """
        return self._logits(texts)[1]

    def _logits(self, texts: Sequence[str]) -> tuple[Floats, Floats]:
        if isinstance(texts, str):
            raise RelevanceError("found one string, expected a list of texts")
        logits, unknown = [], []
        texts = list(texts)
        for position, text in enumerate(texts):
            if not isinstance(text, str):
                raise RelevanceError(f"found {type(text).__name__} as text {position}, expected a string")
        for first in range(0, len(texts), _BATCH):
            batch = texts[first : first + _BATCH]
            if self.places is not None:
                total, found = _url_logits(self.tables, batch, self.places)
            else:
                total, found = self.tables[0].logits(batch)
                total[found.known == 0] = self._no_evidence
            logits.append(total)
            unknown.append(1.0 - found.known / np.maximum(found.tokens, 1))
        if not logits:
            return np.zeros(0), np.zeros(0)
        return np.concatenate(logits), np.concatenate(unknown)

    @property
    def _no_evidence(self) -> float:
        rate = min(0.49, self.card.relevant / (self.card.relevant + self.card.other))
        return float(np.log(rate / (1.0 - rate)))

    def decide(self, texts: Sequence[str]) -> list[Decision]:
        """Return ``relevant`` from the certified threshold on, ``other`` below the certified lower one, else ``unknown``.

        Without an audit everything is unknown, and so is always a text without a single known token.

        Args:
            texts: The texts.
        """
        return self.verdicts(texts)[1]

    def verdicts(self, texts: Sequence[str]) -> tuple[Floats, list[Decision]]:
        """Return what `score` and `decide` return, of one reading of the texts.

        Args:
            texts: The texts.
        """
        logits, unknown = self._logits(texts)
        scores = probability(logits)
        claim = self.audit
        upper = np.inf if claim is None or claim.threshold is None else claim.threshold
        lower = -np.inf if claim is None or claim.other_threshold is None else claim.other_threshold
        has_no_evidence = (unknown == 1.0) & (self.places is None)
        decisions: list[Decision] = np.select(
            [has_no_evidence, scores >= upper, scores <= lower], ["unknown", "relevant", "other"], "unknown"
        ).tolist()
        return scores, decisions

    def explain(self, text: str) -> Explanation:
        """Return every token's share in the logit of one text; exact.

        Args:
            text: The text.
        """
        if not isinstance(text, str):
            raise RelevanceError(f"found {type(text).__name__}, expected one text")
        logits, unknown = self._logits([text])
        tokens = int(self.tables[0].bags([text]).tokens[0])
        if self.places is not None:
            start, contributions = self._url_contributions(text, self.places)
        else:
            contributions = self.tables[0].contributions(text)
            start = self.tables[0].bias if contributions else self._no_evidence
        contributions.sort(key=lambda pair: -round(abs(pair[1]), 6))
        shares = ((_START, start), *contributions)
        return Explanation(float(probability(logits)[0]), float(logits[0]), shares, tokens, float(unknown[0]))

    def _url_contributions(self, url: str, places: Places) -> tuple[float, list[tuple[str, float]]]:
        seen, replaced, _ = places.find([url])
        own = 1.0 - float(replaced[0])
        used = self.tables if seen[0] else self.tables[1:]
        parts = [(word, own * part / len(used)) for table in used for word, part in table.contributions(url)]
        return own * sum(table.bias for table in used) / len(used), [*places.contributions(url), *parts]

    def is_seen(self, urls: Sequence[str]) -> list[bool]:
        """Return of each URL whether its host was among the labelled ones; scores of other hosts deserve less trust.

        Args:
            urls: The URLs.
        """
        hosts = frozenset(self.card.hosts)
        return [bare_host(url) in hosts for url in urls]

    def certified(self, record: AuditRecord) -> RelevanceModel:
        """Return this model with its audit.

        Args:
            record: What the audit found.

        Raises:
            RelevanceError: the audit was made of another model; a training voids it.
        """
        if record.model != self.fingerprint:
            raise RelevanceError(
                f"found an audit of model {record.model}, expected one of {self.fingerprint}; "
                "a new training voids an audit: audit this model"
            )
        return replace(self, audit=record)

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits of everything that makes the scores."""
        digest = hashlib.sha256(f"{TOKENIZER_VERSION} {self.kind}".encode())
        for table in self.tables:
            digest.update(f"{table.bias!r} {table.best}".encode())
            digest.update("\x00".join((table.tokenizer, *table.words)).encode("utf-8", "surrogatepass"))
            digest.update(table.idf.tobytes() + table.weight.tobytes())
            if table.meaning is not None:
                digest.update(table.meaning.vectors.tobytes() + table.meaning.weight.tobytes())
        if self.places is not None:
            digest.update("\x00".join(self.places.names).encode("utf-8", "surrogatepass"))
            digest.update(self.places.mean.tobytes() + self.places.trust.tobytes())
        return digest.hexdigest()[:16]

    def save(self, folder: Folder) -> None:
        """Write the model into a folder, in one atomic step; an existing model there is replaced.

        Args:
            folder: The folder.
        """
        arrays: dict[str, Any] = {}
        for number, table in enumerate(self.tables):
            arrays |= pack_words(table.words, str(number))
            arrays |= {f"{number}_idf": table.idf, f"{number}_weight": table.weight}
            if table.meaning is not None:
                arrays |= {f"{number}_vectors": table.meaning.vectors, f"{number}_direction": table.meaning.weight}
        if self.places is not None:
            arrays |= pack_words(self.places.names, "places")
            arrays |= {"places_mean": self.places.mean, "places_trust": self.places.trust}
        tables = [{"tokenizer": table.tokenizer, "bias": table.bias, "best": table.best} for table in self.tables]
        meta = {"fingerprint": self.fingerprint, "tables": tables, "doubt": self.doubt, **self.to_dict()}
        storage.save(ensure_folder(folder), "model", meta, arrays)

    @classmethod
    def load(cls, folder: Folder) -> RelevanceModel:
        """Read a saved model; nothing in the folder is executed.

        Args:
            folder: The folder.

        Raises:
            RelevanceError: the folder is missing, damaged, or made by another version.
        """
        safe = as_safe_folder(folder)
        meta, arrays = storage.load(safe, "model")
        with storage.damage(safe):
            model = _built(meta, arrays)
            if model.fingerprint != meta["fingerprint"]:
                raise ValueError("the fingerprint does not fit the tables")
        return model

    def to_dict(self) -> dict[str, Any]:
        """Return card and audit as plain data."""
        return {"card": asdict(self.card), "audit": asdict(self.audit) if self.audit else None}

    def __repr__(self) -> str:
        return f"RelevanceModel({self.kind}: {self.summary})"

    @property
    def summary(self) -> str:
        """What it was trained on and how far it is to be trusted, in a line."""
        labels = f"{self.card.relevant} relevant and {self.card.other} other labels"
        words = sum(len(table.words) for table in self.tables)
        claims = []
        if self.audit:
            source = f"(confidence {self.audit.confidence:.0%}, {self.audit.labels} audit labels)"
            precision = f"precision >= {self.audit.precision:.0%}"
            if self.audit.threshold is not None:
                claims.append(f"{precision} from score {self.audit.threshold:.3f} on {source}")
            if self.audit.other_threshold is not None:
                claims.append(f"other with {precision} up to score {self.audit.other_threshold:.3f} {source}")
            claims = claims or [f"audited with {self.audit.labels} labels: nothing could be claimed"]
        claim = "; ".join(claims) or "not certified: audit it before trusting a threshold"
        return f"{labels}, {words:,} tokens from a pool of {self.card.pool:,}; {claim}"


def probability(logits: Floats) -> Floats:
    """Return the logistic function of logits; written out, since scoring needs no SciPy."""
    return 1.0 / (1.0 + np.exp(-np.clip(logits, -500.0, 500.0)))


def _url_logits(tables: Sequence[WordTable], urls: Sequence[str], places: Places) -> tuple[Floats, Bags]:
    """The logits of URLs: the mean of both tables for hosts that the pool has, n-grams alone for others.

    Then host and domain pull it to the mean of their pages.
    """
    structured, found = tables[0].logits(urls)
    ngrams = tables[1].logits(urls)[0]
    seen, replaced, pull = places.find(urls)
    return (1.0 - replaced) * np.where(seen, (structured + ngrams) / 2.0, ngrams) + pull, found


def _built(meta: dict[str, Any], arrays: dict[str, Any]) -> RelevanceModel:
    tables = tuple(
        WordTable(
            str(table["tokenizer"]),
            unpack_words(arrays, str(number)),
            arrays[f"{number}_idf"],
            arrays[f"{number}_weight"],
            float(table["bias"]),
            None if table["best"] is None else int(table["best"]),
            _meaning(arrays, number),
        )
        for number, table in enumerate(meta["tables"])
    )
    places = None
    if "places_mean" in arrays:
        places = Places(unpack_words(arrays, "places"), arrays["places_mean"], arrays["places_trust"])
    card = dict(meta["card"])
    card["hosts"] = tuple(card["hosts"])
    audit = AuditRecord(**meta["audit"]) if meta["audit"] else None
    if len(tables) != (1 if card["kind"] == "document" else 2) or (places is None) != (card["kind"] == "document"):
        raise ValueError("the tables are not those of its kind")
    if any(not len(table.words) == len(table.idf) == len(table.weight) for table in tables):
        raise ValueError("the columns of a table are not equally long")
    for table in tables:
        if table.meaning and table.meaning.vectors.shape != (len(table.words), len(table.meaning.weight)):
            raise ValueError("the vectors of a table are not one a word")
    return RelevanceModel(tables, ModelCard(**card), places, audit, float(meta.get("doubt", 0.0)))


def _meaning(arrays: dict[str, Any], number: int) -> Meaning | None:
    """The vectors of a table's tokens; models made before there were any have none."""
    if f"{number}_vectors" not in arrays:
        return None
    return Meaning(arrays[f"{number}_vectors"], arrays[f"{number}_direction"])
