"""Trained relevance model: scores, decisions, explanations, storage."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from corpuskit.errors import RelevanceError
from corpuskit.relevance import model_storage
from corpuskit.relevance.host_prior import HostPrior
from corpuskit.relevance.linear_table import LinearTable, LsaTerm, TfidfFeatures
from corpuskit.relevance.model_storage import pack_words, unpack_words
from corpuskit.relevance.token_counts import Floats
from corpuskit.relevance.tokenizers import TOKENIZER_VERSION
from corpuskit.relevance.url_tokenizers import bare_host
from corpuskit.safe_folder import Folder, as_safe_folder, ensure_folder

Decision = Literal["relevant", "unknown", "other"]
_BATCH = 10_000
_START = "(start)"
_EARLIER_NAMES = {"certified": "with_audit", "doubt": "query_boundary", "verdicts": "score_and_decide"}


@dataclass(frozen=True, slots=True)
class ModelCard:
    """Origin of a model: number of labels, pool, seed, versions, and hash of the labels.

    Args:
        kind: Kind of the scored texts: documents or URLs.
        relevant: Number of labels ``relevant``.
        other: Number of labels ``other``.
        contradicted: Number of labels left out because equal texts have different labels.
        unsure: Number of labels ``unsure``, which are left out.
        pool: Number of texts of the pool.
        seed: Seed of the training.
        tokenizer_version: Version of the tokenizers.
        labels: Hash of the labels.
        hosts: Labelled hosts.
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
    """Result of the audit of one model.

    Attributes:
        model: Fingerprint of the audited model.
        threshold: Scores from it on are relevant. None: no claim is possible.
        precision, confidence: The claim: P(precision >= this) >= this.
        labels: Number of labels of the audit.
        other_threshold: Scores up to it are other. None: no claim.
        documents: Number of documents in the pool of the audit. The claim is about these only. None in old records.
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
    """Explanation of a score. The contributions add up to the logit.

    Attributes:
        probability: P(relevant).
        logit: ln(p / (1 - p)).
        contributions: (token, amount) pairs: the start, then the largest amounts first.
        tokens: Number of tokens of the text.
        unknown: Share of tokens that the model does not know or does not use.
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
    """Model that scores texts (or URLs) for relevance. Immutable; a new training creates a new model without an audit.

    Attributes:
        tables: Linear table of documents. For URLs: tables of structured tokens and of n-grams.
        card: Number of labels, pool, seed, versions.
        host_prior: Host prior of a URL model.
        audit: Audit of this model, or None.
        query_boundary: Logit around which uncertainty sampling picks documents: the class boundary on the training texts.
            For unseen texts the boundary is 0.
    """

    tables: tuple[LinearTable, ...]
    card: ModelCard
    host_prior: HostPrior | None = None
    audit: AuditRecord | None = None
    query_boundary: float = 0.0

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the value of an attribute by its earlier name."""
            if name in _EARLIER_NAMES:
                return getattr(self, _EARLIER_NAMES[name])
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def kind(self) -> Literal["document", "url"]:
        """Kind of the scored texts."""
        return self.card.kind

    @property
    def threshold(self) -> float | None:
        """The certified threshold. None: nothing is decided to be relevant."""
        return self.audit.threshold if self.audit else None

    def logits(self, texts: Sequence[str]) -> Floats:
        """Return the logit of each text's score.

        Args:
            texts: The texts.
        """
        return self._logits(texts)[0]

    def score(self, texts: Sequence[str]) -> Floats:
        """Return P(relevant) of each text, in [0, 1].

        Both classes are treated as equally frequent: 0.5 is the boundary between them. It is not a claim of precision, which
        needs an `Audit`. A document without a known token gets the share of relevant labels, always less than 0.5.

        Args:
            texts: The texts, or URLs for a model of URLs.
        """
        return probability(self.logits(texts))

    def unknown_share(self, texts: Sequence[str]) -> Floats:
        """Return the share of each text's tokens that the model does not know. 1.0 for a text without tokens.

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
            if self.host_prior is not None:
                total, features = _url_logits(self.tables, batch, self.host_prior)
            else:
                total, features = self.tables[0].logits(batch)
                total[features.known == 0] = self._no_evidence
            logits.append(total)
            unknown.append(1.0 - features.known / np.maximum(features.tokens, 1))
        if not logits:
            return np.zeros(0), np.zeros(0)
        return np.concatenate(logits), np.concatenate(unknown)

    @property
    def _no_evidence(self) -> float:
        rate = min(0.49, self.card.relevant / (self.card.relevant + self.card.other))
        return float(np.log(rate / (1.0 - rate)))

    def decide(self, texts: Sequence[str]) -> list[Decision]:
        """Return ``relevant`` from the certified threshold on, ``other`` up to the certified lower one, else ``unknown``.

        Without an audit everything is unknown. A text without a known token is always unknown.

        Args:
            texts: The texts.
        """
        return self.score_and_decide(texts)[1]

    def score_and_decide(self, texts: Sequence[str]) -> tuple[Floats, list[Decision]]:
        """Return the results of `score` and `decide`, with one pass over the texts.

        Args:
            texts: The texts.
        """
        logits, unknown = self._logits(texts)
        scores = probability(logits)
        claim = self.audit
        upper = np.inf if claim is None or claim.threshold is None else claim.threshold
        lower = -np.inf if claim is None or claim.other_threshold is None else claim.other_threshold
        has_no_evidence = (unknown == 1.0) & (self.host_prior is None)
        decisions: list[Decision] = np.select(
            [has_no_evidence, scores >= upper, scores <= lower], ["unknown", "relevant", "other"], "unknown"
        ).tolist()
        return scores, decisions

    def explain(self, text: str) -> Explanation:
        """Return the exact contribution of each token to the logit of a text.

        Args:
            text: The text.
        """
        if not isinstance(text, str):
            raise RelevanceError(f"found {type(text).__name__}, expected one text")
        logits, unknown = self._logits([text])
        tokens = int(self.tables[0].tfidf([text]).tokens[0])
        if self.host_prior is not None:
            start, contributions = self._url_contributions(text, self.host_prior)
        else:
            contributions = self.tables[0].contributions(text)
            start = self.tables[0].bias if contributions else self._no_evidence
        contributions.sort(key=lambda pair: -round(abs(pair[1]), 6))
        shares = ((_START, start), *contributions)
        return Explanation(float(probability(logits)[0]), float(logits[0]), shares, tokens, float(unknown[0]))

    def _url_contributions(self, url: str, prior: HostPrior) -> tuple[float, list[tuple[str, float]]]:
        seen, weight, _ = prior.find([url])
        own = 1.0 - float(weight[0])
        used = self.tables if seen[0] else self.tables[1:]
        parts = [(word, own * part / len(used)) for table in used for word, part in table.contributions(url)]
        return own * sum(table.bias for table in used) / len(used), [*prior.contributions(url), *parts]

    def is_seen(self, urls: Sequence[str]) -> list[bool]:
        """Return for each URL whether its host was labelled. Scores of other hosts are less reliable.

        Args:
            urls: The URLs.
        """
        hosts = frozenset(self.card.hosts)
        return [bare_host(url) in hosts for url in urls]

    def with_audit(self, record: AuditRecord) -> RelevanceModel:
        """Return this model with the result of its audit.

        Args:
            record: Result of the audit.

        Raises:
            RelevanceError: The audit belongs to another model. A new training voids an audit.
        """
        if record.model != self.fingerprint:
            raise RelevanceError(
                f"found an audit of model {record.model}, expected one of {self.fingerprint}; "
                "a new training voids an audit: audit this model"
            )
        return replace(self, audit=record)

    @property
    def fingerprint(self) -> str:
        """Hash of 16 hexadecimal digits of everything that determines scores."""
        digest = hashlib.sha256(f"{TOKENIZER_VERSION} {self.kind}".encode())
        for table in self.tables:
            digest.update(f"{table.bias!r} {table.top_k}".encode())
            digest.update("\x00".join((table.tokenizer, *table.words)).encode("utf-8", "surrogatepass"))
            digest.update(table.idf.tobytes() + table.weight.tobytes())
            if table.lsa is not None:
                digest.update(table.lsa.vectors.tobytes() + table.lsa.weight.tobytes())
        if self.host_prior is not None:
            digest.update("\x00".join(self.host_prior.names).encode("utf-8", "surrogatepass"))
            digest.update(self.host_prior.mean.tobytes() + self.host_prior.weight.tobytes())
        return digest.hexdigest()[:16]

    def save(self, folder: Folder) -> None:
        """Write the model into a directory, in one atomic step. An existing model is replaced.

        Args:
            folder: The directory.
        """
        arrays: dict[str, Any] = {}
        for number, table in enumerate(self.tables):
            arrays |= pack_words(table.words, str(number))
            arrays |= {f"{number}_idf": table.idf, f"{number}_weight": table.weight}
            if table.lsa is not None:
                arrays |= {f"{number}_vectors": table.lsa.vectors, f"{number}_direction": table.lsa.weight}
        if self.host_prior is not None:
            arrays |= pack_words(self.host_prior.names, "places")
            arrays |= {"places_mean": self.host_prior.mean, "places_trust": self.host_prior.weight}
        tables = [{"tokenizer": table.tokenizer, "bias": table.bias, "best": table.top_k} for table in self.tables]
        meta = {"fingerprint": self.fingerprint, "tables": tables, "doubt": self.query_boundary, **self.to_dict()}
        model_storage.save(ensure_folder(folder), "model", meta, arrays)

    @classmethod
    def load(cls, folder: Folder) -> RelevanceModel:
        """Read a saved model. No code in the directory is executed.

        Args:
            folder: The directory.

        Raises:
            RelevanceError: The directory is missing, damaged, or was written by another version.
        """
        safe = as_safe_folder(folder)
        meta, arrays = model_storage.load(safe, "model")
        with model_storage.damage(safe):
            model = _from_arrays(meta, arrays)
            if model.fingerprint != meta["fingerprint"]:
                raise ValueError("the fingerprint does not match the tables")
        return model

    def to_dict(self) -> dict[str, Any]:
        """Return card and audit as plain data."""
        return {"card": asdict(self.card), "audit": asdict(self.audit) if self.audit else None}

    def __repr__(self) -> str:
        return f"RelevanceModel({self.kind}: {self.summary})"

    @property
    def summary(self) -> str:
        """Training data and claims of the model, in one line."""
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
    """Return the logistic function of logits. Written out because scoring does not depend on SciPy."""
    return 1.0 / (1.0 + np.exp(-np.clip(logits, -500.0, 500.0)))


def _url_logits(tables: Sequence[LinearTable], urls: Sequence[str], prior: HostPrior) -> tuple[Floats, TfidfFeatures]:
    """Return the logits of URLs: the mean of both tables for hosts of the pool, n-grams only for other hosts.

    The host prior then shrinks them towards the mean of their host and domain.
    """
    structured, features = tables[0].logits(urls)
    ngrams = tables[1].logits(urls)[0]
    seen, weight, prior_logit = prior.find(urls)
    return (1.0 - weight) * np.where(seen, (structured + ngrams) / 2.0, ngrams) + prior_logit, features


def _from_arrays(meta: dict[str, Any], arrays: dict[str, Any]) -> RelevanceModel:
    tables = tuple(
        LinearTable(
            str(table["tokenizer"]),
            unpack_words(arrays, str(number)),
            arrays[f"{number}_idf"],
            arrays[f"{number}_weight"],
            float(table["bias"]),
            None if table["best"] is None else int(table["best"]),
            _lsa_term(arrays, number),
        )
        for number, table in enumerate(meta["tables"])
    )
    prior = None
    if "places_mean" in arrays:
        prior = HostPrior(unpack_words(arrays, "places"), arrays["places_mean"], arrays["places_trust"])
    card = dict(meta["card"])
    card["hosts"] = tuple(card["hosts"])
    audit = AuditRecord(**meta["audit"]) if meta["audit"] else None
    if len(tables) != (1 if card["kind"] == "document" else 2) or (prior is None) != (card["kind"] == "document"):
        raise ValueError("the tables do not match the kind of the model")
    if any(not len(table.words) == len(table.idf) == len(table.weight) for table in tables):
        raise ValueError("the columns of a table differ in length")
    for table in tables:
        if table.lsa and table.lsa.vectors.shape != (len(table.words), len(table.lsa.weight)):
            raise ValueError("a table does not have one vector per word")
    return RelevanceModel(tables, ModelCard(**card), prior, audit, float(meta.get("doubt", 0.0)))


def _lsa_term(arrays: dict[str, Any], number: int) -> LsaTerm | None:
    """Return the vectors of a table. Old models have none."""
    if f"{number}_vectors" not in arrays:
        return None
    return LsaTerm(arrays[f"{number}_vectors"], arrays[f"{number}_direction"])
