"""Scoring of very many URLs: from the bytes of an Arrow array to scores, without a Python object per URL.

The scores are equal to those of :meth:`RelevanceModel.score`. URLs in another form than ``https://host/path?query`` in ASCII
are scored by that method.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from corpuskit.errors import RelevanceError
from corpuskit.relevance.linear_table import LinearTable
from corpuskit.relevance.model import RelevanceModel, probability
from corpuskit.relevance.ngram_trie import NgramTrie, candidate_repeats, l2_scaled, sublinear_tf_correction
from corpuskit.relevance.token_counts import Floats, Ints
from corpuskit.relevance.token_hashing import BASE, HashIndex, mix_bits, running_sum
from corpuskit.relevance.url_tokenizers import MAX_URL, PREFIXES, WAYBACK, host_tokens, url_tokens

if TYPE_CHECKING:
    import pyarrow as pa


_BATCH_SIZE = 2048  # URLs; they fit into the processor's cache
_MAX_HOSTS = 20_000  # about 10 MB; pages of a host are adjacent in an index
_QUERY_KEYS = 10
_EXTENSION = 5
Bytes = npt.NDArray[np.uint8]

_LOWER = np.arange(256, dtype=np.uint8)
_LOWER[65:91] += 32
_PLAIN = np.zeros(256, bool)
_PLAIN[0x21:0x7F] = True
_PLAIN[[ord("#"), ord("\\")]] = False
_KIND = np.zeros(256, np.int8)  # 1: letter, 2: digit, else 0
_KIND[97:123] = 1
_KIND[48:58] = 2


@dataclass(frozen=True, slots=True)
class _Host:
    """Cached data of a host: columns of its tokens, and its prior."""

    columns: npt.NDArray[np.int64]
    seen: bool
    prior_weight: float
    prior_logit: float


class UrlScorer:
    """Scores large numbers of URLs like a model.

    Args:
        model: A model of URLs.

    Raises:
        RelevanceError: The model is one of documents.
    """

    def __init__(self, model: RelevanceModel) -> None:
        if model.kind != "url" or model.host_prior is None:
            raise RelevanceError("found a model of documents, expected one of URLs")
        self._model = model
        structured, ngrams = model.tables
        self._ngrams = NgramTrie(ngrams)
        self._words = _StructuredTokens(structured)
        self._prior = model.host_prior
        self._hosts: dict[int, _Host] = {}

    def score(self, urls: pa.Array) -> Floats:
        """Return P(relevant) of each URL, 0 for null."""
        import pyarrow as pa

        if isinstance(urls, pa.ChunkedArray):
            return np.concatenate([np.zeros(0), *(self.score(chunk) for chunk in urls.chunks)])
        scores = np.zeros(len(urls))
        for first in range(0, len(urls), _BATCH_SIZE):
            part = urls.slice(first, _BATCH_SIZE)
            scores[first : first + len(part)] = self._score_batch(part)
        return scores

    def _score_batch(self, urls: pa.Array) -> Floats:
        logits = np.full(len(urls), -np.inf)
        plain = _plain(urls)
        if plain is not None:
            logits[plain.which] = self._logits(plain)
        is_irregular = np.ones(len(urls), bool)
        if plain is not None:
            is_irregular[plain.which] = False
        irregular = [(at, url) for at in np.flatnonzero(is_irregular).tolist() if (url := urls[at].as_py()) is not None]
        if irregular:
            logits[[at for at, _ in irregular]] = self._model.logits([url for _, url in irregular])
        scores: Floats = np.where(logits > -np.inf, probability(logits), 0.0)
        return scores

    def _logits(self, texts: _PlainUrls) -> Floats:
        hosts, host_of_text = self._known_hosts(texts)
        ngrams = self._ngrams.logits(texts.raw, texts.starts, texts.row)
        seen = np.array([host.seen for host in hosts])[host_of_text]
        weight = np.array([host.prior_weight for host in hosts])[host_of_text]
        prior_logit = np.array([host.prior_logit for host in hosts])[host_of_text]
        own = ngrams
        if seen.any():  # structured tokens are used for known hosts only
            structured = self._words.logits(texts, [host.columns for host in hosts], host_of_text)
            own = np.where(seen, (structured + ngrams) / 2.0, ngrams)
        logits: Floats = (1.0 - weight) * own + prior_logit
        return logits

    def _known_hosts(self, texts: _PlainUrls) -> tuple[list[_Host], Ints]:
        """Return the distinct hosts of the URLs, and the number of each URL's host."""
        if len(self._hosts) > _MAX_HOSTS:
            self._hosts.clear()
        hashes, first, number = np.unique(
            texts.hashed(texts.starts + 1, texts.slash), return_index=True, return_inverse=True
        )
        hosts = []
        for key, at in zip(hashes.tolist(), first.tolist(), strict=True):
            host = self._hosts.get(key)
            if host is None:
                name = texts.raw[texts.starts[at] + 1 : texts.slash[at]].tobytes().decode("ascii")
                host = self._hosts[key] = self._host(name)
            hosts.append(host)
        return hosts, number

    def _host(self, name: str) -> _Host:
        seen, weight, prior_logit = self._prior.find([f"http://{name}/"])
        columns = [column for token in host_tokens(name) if (column := self._words.column(token)) >= 0]
        return _Host(np.array(columns, np.int64), bool(seen[0]), float(weight[0]), float(prior_logit[0]))


@dataclass(frozen=True, slots=True)
class _PlainUrls:
    """The URLs of common form in a batch. Each is a blank, host, path and query in lower case, and a line feed.

    Attributes:
        which: Positions of these URLs in the batch.
        raw: Their bytes.
        starts, ends: Offsets of the blank and the line feed.
        slash: Offset of the slash before the path.
        row: URL of each byte.
        total, inverse: Running sum for hashes of any part.
    """

    which: Ints
    raw: Bytes
    starts: Ints
    ends: Ints
    slash: Ints
    row: Ints
    total: npt.NDArray[np.uint64]
    inverse: npt.NDArray[np.uint64]

    def hashed(self, first: Ints, last: Ints, prefix: str = "") -> npt.NDArray[np.uint64]:
        """Return the hashes of parts of the texts, each after a prefix."""
        part = (self.total[last] - self.total[first]) * self.inverse[first]
        return mix_bits(_prepend(prefix, part))


def _prepend(prefix: str, part: Any) -> Any:
    if not prefix:
        return part
    total, _ = running_sum(np.frombuffer(prefix.encode(), np.uint8))
    return total[-1] + part * np.uint64(pow(BASE, len(prefix), 2**64))


def _plain(urls: pa.Array) -> _PlainUrls | None:
    """Return the URLs of common form, or None if the batch has no such URL."""
    import pyarrow as pa

    text = urls.cast(pa.large_string()) if not pa.types.is_large_string(urls.type) else urls
    _, offsets, data = text.buffers()
    bounds = np.frombuffer(offsets, np.int64)[text.offset : text.offset + len(text) + 1]
    base = int(bounds[0])
    source = np.frombuffer(data, np.uint8)[base : int(bounds[-1])] if data is not None else np.zeros(0, np.uint8)
    source = np.append(source, np.zeros(16, np.uint8))
    first, last = bounds[:-1] - base, bounds[1:] - base
    secure = source[np.minimum(first + 4, len(source) - 1)] == ord("s")
    host = first + 7 + secure
    fits = (last - first <= MAX_URL) & (last > host)
    for scheme, of_scheme in ((b"https://", secure), (b"http://", ~secure)):
        for at, letter in enumerate(scheme):
            fits &= ~of_scheme | (source[np.minimum(first + at, len(source) - 1)] == letter)
    bad = np.concatenate([[0], np.cumsum(~_PLAIN.take(source), dtype=np.int32)])
    fits &= bad[last] == bad[first]
    slashes = np.flatnonzero(source == ord("/"))
    slash = _next(slashes, host, len(source))
    mark = _next(np.flatnonzero(source == ord("?")), first, len(source))
    fits &= (slash < last) & (slash < mark) & (slash > host) & (mark != last - 1)
    ports = np.concatenate([[0], np.cumsum(np.isin(source, np.frombuffer(b":@[]", np.uint8)), dtype=np.int32)])
    fits &= (ports[np.minimum(slash, len(source))] == ports[np.minimum(host, len(source))]) & (
        source[slash - 1] != ord(".")
    )
    if urls.null_count:
        fits &= urls.is_valid().to_numpy(zero_copy_only=False)
    archived = np.frombuffer(WAYBACK.encode(), np.uint8)
    for at in np.flatnonzero(fits & (slash - host == len("web.archive.org"))).tolist():
        fits[at] = not np.array_equal(source[first[at] : first[at] + len(archived)], archived)
    which = np.flatnonzero(fits)
    if not len(which):
        return None
    host, last, slash = host[which], last[which], slash[which]
    edge = np.zeros(len(source) + 1, np.int8)
    edge[host - 1] = 1
    edge[last + 1] = -1
    raw = _LOWER.take(source[np.cumsum(edge[:-1], dtype=np.int8).view(bool)])
    size = last - host + 2  # with a blank before and a line feed after
    starts = np.concatenate([[0], np.cumsum(size)[:-1]])
    ends = starts + size - 1
    raw[starts], raw[ends] = 0x20, 0x0A
    total, inverse = running_sum(raw)
    row = np.repeat(np.arange(len(which)), size)
    return _PlainUrls(which, raw, starts, ends, starts + 1 + slash - host, row, total, inverse)


def _next(positions: Ints, at: Ints, default: int) -> Ints:
    """Return the first of the sorted positions at or after each offset, or a default."""
    return np.append(positions, default)[np.searchsorted(positions, at)]


class _StructuredTokens:
    """Structured tokens of a linear table."""

    def __init__(self, table: LinearTable) -> None:
        self.bias = table.bias
        self._number = {word: number for number, word in enumerate(table.words)}
        idf = table.idf.astype(np.float64)
        # An additional column for unknown tokens.
        self._parts = np.append(idf * table.weight, 0.0)
        self._squares = np.append(idf * idf, 0.0)
        self._index = HashIndex(_word_hashes(table.words))
        self._depths = np.array([self.column(f"depth={number}") for number in range(MAX_URL + 2)])
        self._digits = np.array([self.column(f"#{number}") for number in range(MAX_URL + 2)])

    def column(self, token: str) -> int:
        """Return the column of a token, or -1."""
        return self._number.get(token, -1)

    def logits(self, texts: _PlainUrls, of_hosts: list[npt.NDArray[np.int64]], host: Ints) -> Floats:
        """Return the logit of each text."""
        rows, columns = [], []
        for row, column in self._token_columns(texts, of_hosts, host):
            known = column >= 0
            rows.append(row[known])
            columns.append(column[known])
        row, column = np.concatenate(rows), np.concatenate(columns).astype(np.int64)
        number = len(texts.which)
        total = np.bincount(row, self._parts[column], minlength=number)
        square = np.bincount(row, self._squares[column], minlength=number)
        candidates = candidate_repeats(row, column + 1)
        more, longer = sublinear_tf_correction(row[candidates], column[candidates], self._parts, self._squares, number)
        return l2_scaled(total + more, square + longer, self.bias)

    def _token_columns(
        self, texts: _PlainUrls, of_hosts: list[npt.NDArray[np.int64]], host: Ints
    ) -> Iterator[tuple[Ints, npt.NDArray[Any]]]:
        """Yield text and column (or -1) of every token."""
        yield _host_columns(of_hosts, host)
        raw, number = texts.raw, np.arange(len(texts.which))
        # Escapes in the path must be decoded first.
        escaped = np.unique(texts.row[raw == ord("%")])
        slow = np.zeros(len(number), bool)
        slow[escaped] = True
        for at in escaped.tolist():
            text = raw[texts.starts[at] + 1 : texts.ends[at]].tobytes().decode("ascii")
            own = url_tokens(f"http://{text}")[len(host_tokens(text.partition("/")[0])) :]
            columns = np.array([self.column(token) for token in own], np.int64)
            yield np.full(len(columns), at), columns
        fast = number[~slow]
        end = np.minimum(_next(np.flatnonzero(raw == ord("?")), texts.starts, len(raw)), texts.ends)
        slashes = np.flatnonzero(raw == ord("/"))
        first, last = np.searchsorted(slashes, texts.slash), np.searchsorted(slashes, end)
        for depth in range(1, PREFIXES + 1):
            has = fast[(first + depth < last)[fast]]
            slash, before = slashes[first[has] + depth], slashes[first[has] + depth - 1]
            filled = slash > before + 1
            has, slash = has[filled], slash[filled]
            yield has, self._index.find(texts.hashed(texts.starts[has] + 1, slash, "under="))
        stem_end = self._without_extension(texts, slashes[last - 1], end)
        typed = fast[(stem_end < end)[fast]]
        yield typed, self._index.find(texts.hashed(stem_end[typed] + 1, end[typed], "type="))
        depths = last - first - 1 + (stem_end > texts.slash + 1)
        yield fast, self._depths[depths[fast]]
        yield from self._path_words(texts, stem_end, slow)
        yield from self._query_keys(texts, end, slow)

    def _without_extension(self, texts: _PlainUrls, last_slash: Ints, end: Ints) -> Ints:
        """Return the end of each path without its extension."""
        raw = texts.raw
        dots = np.flatnonzero(raw == ord("."))
        dot = np.append(-1, dots)[np.searchsorted(dots, end)]
        separators = np.concatenate([[0], np.cumsum(_KIND.take(raw) == 0, dtype=np.int32)])
        size = end - dot - 1
        has_separator = separators[end] != separators[np.maximum(dot, 0) + 1]
        is_type = (dot > last_slash + 1) & (size >= 1) & (size <= _EXTENSION) & ~has_separator
        return np.where(is_type, dot, end)

    def _path_words(self, texts: _PlainUrls, end: Ints, slow: npt.NDArray[np.bool_]) -> Iterator[tuple[Ints, Any]]:
        kind = _KIND.take(texts.raw)
        first = np.flatnonzero(kind[1:] != kind[:-1]) + 1
        last = np.append(first[1:], len(kind))
        row = texts.row[first]
        is_word = (kind[first] > 0) & (first > texts.slash[row]) & (first < end[row]) & ~slow[row]
        first, last, row = first[is_word], last[is_word], row[is_word]
        is_number = kind[first] == 2
        yield row[is_number], self._digits[(last - first)[is_number]]
        word = ~is_number
        yield row[word], self._index.find(texts.hashed(first[word], last[word]))

    def _query_keys(self, texts: _PlainUrls, mark: Ints, slow: npt.NDArray[np.bool_]) -> Iterator[tuple[Ints, Any]]:
        with_query = np.flatnonzero((mark < texts.ends) & ~slow)
        if not len(with_query):
            return
        raw = texts.raw
        joints = np.flatnonzero(raw == ord("&"))
        equals = np.flatnonzero(raw == ord("="))
        first, ends = mark[with_query] + 1, texts.ends[with_query]
        for _ in range(_QUERY_KEYS):
            last = np.minimum(_next(joints, first, len(raw)), ends)
            filled = last > first
            key = np.minimum(_next(equals, first, len(raw)), last)
            yield with_query[filled], self._index.find(texts.hashed(first[filled], key[filled], "query="))
            more = last < ends
            with_query, first, ends = with_query[more], last[more] + 1, ends[more]
            if not len(with_query):
                return


def _host_columns(of_hosts: list[npt.NDArray[np.int64]], host: Ints) -> tuple[Ints, Ints]:
    """Return text and column of the host tokens of each text."""
    sizes = np.array([len(columns) for columns in of_hosts])
    starts = np.cumsum(sizes) - sizes
    each = sizes[host]
    row = np.repeat(np.arange(len(host)), each)
    within = np.arange(len(row)) - np.repeat(np.cumsum(each) - each, each)
    all_columns = np.concatenate([np.zeros(0, np.int64), *of_hosts])
    return row, all_columns[np.repeat(starts[host], each) + within]


def _word_hashes(words: tuple[str, ...]) -> npt.NDArray[np.uint64]:
    raw = [word.encode("utf-8", "surrogatepass") for word in words]
    last = np.cumsum([len(word) for word in raw], dtype=np.int64)
    first = np.concatenate([np.zeros(1, np.int64), last[:-1]]) if raw else last
    total, inverse = running_sum(np.frombuffer(b"".join(raw), np.uint8))
    return mix_bits((total[last] - total[first]) * inverse[first])
