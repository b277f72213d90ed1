"""Scores of very many URLs: from the bytes of an Arrow array to numbers, without a Python object a URL.

The scores are those of :meth:`RelevanceModel.score`. Addresses of another form than ``https://host/path?query`` in ASCII
go through that one themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from corpuskit.errors import RelevanceError
from corpuskit.relevance.counts import Floats, Ints
from corpuskit.relevance.hashing import BASE, HashIndex, mixed, running_sum
from corpuskit.relevance.model import RelevanceModel, probability
from corpuskit.relevance.table import WordTable
from corpuskit.relevance.url_runs import RunTable, repeated, scaled, surplus
from corpuskit.relevance.urls import MAX_URL, PREFIXES, WAYBACK, host_tokens, url_tokens

if TYPE_CHECKING:
    import pyarrow as pa


_TEXTS = 2048  # URLs at once: what fits into the processor's cache is done fastest
_MOST_HOSTS = 20_000  # some 10 MB; an index has the pages of a host side by side
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
    """What is known of a host: the columns of its tokens, and what the pool says of its pages."""

    columns: npt.NDArray[np.int64]
    seen: bool
    replaced: float
    pull: float


class UrlScorer:
    """Scores URLs as a model does, in large numbers.

    Args:
        model: of URLs.

    Raises:
        RelevanceError: it is a model of documents.
    """

    def __init__(self, model: RelevanceModel) -> None:
        if model.kind != "url" or model.places is None:
            raise RelevanceError("found a model of documents, expected one of URLs")
        self._model = model
        structured, runs = model.tables
        self._runs = RunTable(runs)
        self._words = _Tokens(structured)
        self._places = model.places
        self._hosts: dict[int, _Host] = {}

    def score(self, urls: pa.Array) -> Floats:
        """Return P(relevant) of each URL; of null 0."""
        import pyarrow as pa

        if isinstance(urls, pa.ChunkedArray):
            return np.concatenate([np.zeros(0), *(self.score(chunk) for chunk in urls.chunks)])
        found = np.zeros(len(urls))
        for first in range(0, len(urls), _TEXTS):
            part = urls.slice(first, _TEXTS)
            found[first : first + len(part)] = self._scored(part)
        return found

    def _scored(self, urls: pa.Array) -> Floats:
        logits = np.full(len(urls), -np.inf)
        plain = _plain(urls)
        if plain is not None:
            logits[plain.which] = self._logits(plain)
        left = np.ones(len(urls), bool)
        if plain is not None:
            left[plain.which] = False
        odd = [(at, url) for at in np.flatnonzero(left).tolist() if (url := urls[at].as_py()) is not None]
        if odd:
            logits[[at for at, _ in odd]] = self._model.logits([url for _, url in odd])
        scores: Floats = np.where(logits > -np.inf, probability(logits), 0.0)
        return scores

    def _logits(self, texts: _Plain) -> Floats:
        hosts, host_of_text = self._known_hosts(texts)
        runs = self._runs.logits(texts.raw, texts.starts, texts.row)
        seen = np.array([host.seen for host in hosts])[host_of_text]
        replaced = np.array([host.replaced for host in hosts])[host_of_text]
        pull = np.array([host.pull for host in hosts])[host_of_text]
        own = runs
        if seen.any():  # the structured tokens of other hosts say nothing
            structured = self._words.logits(texts, [host.columns for host in hosts], host_of_text)
            own = np.where(seen, (structured + runs) / 2.0, runs)
        logits: Floats = (1.0 - replaced) * own + pull
        return logits

    def _known_hosts(self, texts: _Plain) -> tuple[list[_Host], Ints]:
        """The different hosts of some URLs, and the host of each."""
        if len(self._hosts) > _MOST_HOSTS:
            self._hosts.clear()
        hashes, first, number = np.unique(
            texts.hashed(texts.starts + 1, texts.slash), return_index=True, return_inverse=True
        )
        found = []
        for key, at in zip(hashes.tolist(), first.tolist(), strict=True):
            host = self._hosts.get(key)
            if host is None:
                name = texts.raw[texts.starts[at] + 1 : texts.slash[at]].tobytes().decode("ascii")
                host = self._hosts[key] = self._host(name)
            found.append(host)
        return found, number

    def _host(self, name: str) -> _Host:
        seen, replaced, pull = self._places.find([f"http://{name}/"])
        columns = [column for token in host_tokens(name) if (column := self._words.column(token)) >= 0]
        return _Host(np.array(columns, np.int64), bool(seen[0]), float(replaced[0]), float(pull[0]))


@dataclass(frozen=True, slots=True)
class _Plain:
    """The URLs of common form among some: a blank, host, path and query of each, lowered, and a line feed.

    Attributes:
        which: of the URLs, those that are here.
        raw: their bytes.
        starts, ends: where the blank and the line feed of each stand.
        slash: where the path's slash stands.
        row: the URL of each byte.
        total, inverse: for the hash of any part.
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
        """The hashes of parts of the texts, each with something before it."""
        part = (self.total[last] - self.total[first]) * self.inverse[first]
        return mixed(_after(prefix, part))


def _after(prefix: str, part: Any) -> Any:
    if not prefix:
        return part
    total, _ = running_sum(np.frombuffer(prefix.encode(), np.uint8))
    return total[-1] + part * np.uint64(pow(BASE, len(prefix), 2**64))


def _plain(urls: pa.Array) -> _Plain | None:
    """The URLs of common form; None where there is none."""
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
    for beginning, those in ((b"https://", secure), (b"http://", ~secure)):
        for at, letter in enumerate(beginning):
            fits &= ~those | (source[np.minimum(first + at, len(source) - 1)] == letter)
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
    size = last - host + 2  # with a blank before and a line feed behind
    starts = np.concatenate([[0], np.cumsum(size)[:-1]])
    ends = starts + size - 1
    raw[starts], raw[ends] = 0x20, 0x0A
    total, inverse = running_sum(raw)
    row = np.repeat(np.arange(len(which)), size)
    return _Plain(which, raw, starts, ends, starts + 1 + slash - host, row, total, inverse)


def _next(places: Ints, at: Ints, none: int) -> Ints:
    """Of sorted places the first one from each position on; ``none`` where there is none."""
    return np.append(places, none)[np.searchsorted(places, at)]


class _Tokens:
    """The structured tokens of a word table."""

    def __init__(self, table: WordTable) -> None:
        self.bias = table.bias
        self._number = {word: number for number, word in enumerate(table.words)}
        idf = table.idf.astype(np.float64)
        # A column more, for what is not known.
        self._parts = np.append(idf * table.weight, 0.0)
        self._squares = np.append(idf * idf, 0.0)
        self._index = HashIndex(_hashes_of(table.words))
        self._depths = np.array([self.column(f"depth={number}") for number in range(MAX_URL + 2)])
        self._digits = np.array([self.column(f"#{number}") for number in range(MAX_URL + 2)])

    def column(self, token: str) -> int:
        """The number of a token, or -1."""
        return self._number.get(token, -1)

    def logits(self, texts: _Plain, of_hosts: list[npt.NDArray[np.int64]], host: Ints) -> Floats:
        """The logit of each text."""
        rows, columns = [], []
        for row, column in self._found(texts, of_hosts, host):
            known = column >= 0
            rows.append(row[known])
            columns.append(column[known])
        row, column = np.concatenate(rows), np.concatenate(columns).astype(np.int64)
        number = len(texts.which)
        total = np.bincount(row, self._parts[column], minlength=number)
        square = np.bincount(row, self._squares[column], minlength=number)
        again = repeated(row, column + 1)
        more, longer = surplus(row[again], column[again], self._parts, self._squares, number)
        return scaled(total + more, square + longer, self.bias)

    def _found(
        self, texts: _Plain, of_hosts: list[npt.NDArray[np.int64]], host: Ints
    ) -> Iterator[tuple[Ints, npt.NDArray[Any]]]:
        """The text and the column (or -1) of every token."""
        yield _spread(of_hosts, host)
        raw, number = texts.raw, np.arange(len(texts.which))
        # An escaped character in the path stands for a letter or a blank.
        escaped = np.unique(texts.row[raw == ord("%")])
        slow = np.zeros(len(number), bool)
        slow[escaped] = True
        for at in escaped.tolist():
            text = raw[texts.starts[at] + 1 : texts.ends[at]].tobytes().decode("ascii")
            own = url_tokens(f"http://{text}")[len(host_tokens(text.partition("/")[0])) :]
            found = np.array([self.column(token) for token in own], np.int64)
            yield np.full(len(found), at), found
        fast = number[~slow]
        end = np.minimum(_next(np.flatnonzero(raw == ord("?")), texts.starts, len(raw)), texts.ends)
        slashes = np.flatnonzero(raw == ord("/"))
        first, behind = np.searchsorted(slashes, texts.slash), np.searchsorted(slashes, end)
        for depth in range(1, PREFIXES + 1):
            has = fast[(first + depth < behind)[fast]]
            here, before = slashes[first[has] + depth], slashes[first[has] + depth - 1]
            filled = here > before + 1
            has, here = has[filled], here[filled]
            yield has, self._index.find(texts.hashed(texts.starts[has] + 1, here, "under="))
        stem_end = self._without_extension(texts, slashes[behind - 1], end)
        typed = fast[(stem_end < end)[fast]]
        yield typed, self._index.find(texts.hashed(stem_end[typed] + 1, end[typed], "type="))
        depths = behind - first - 1 + (stem_end > texts.slash + 1)
        yield fast, self._depths[depths[fast]]
        yield from self._path_words(texts, stem_end, slow)
        yield from self._query_keys(texts, end, slow)

    def _without_extension(self, texts: _Plain, last_slash: Ints, end: Ints) -> Ints:
        """Where each path ends without its extension."""
        raw = texts.raw
        dots = np.flatnonzero(raw == ord("."))
        dot = np.append(-1, dots)[np.searchsorted(dots, end)]
        odd = np.concatenate([[0], np.cumsum(_KIND.take(raw) == 0, dtype=np.int32)])
        size = end - dot - 1
        is_type = (
            (dot > last_slash + 1) & (size >= 1) & (size <= _EXTENSION) & (odd[end] == odd[np.maximum(dot, 0) + 1])
        )
        return np.where(is_type, dot, end)

    def _path_words(self, texts: _Plain, end: Ints, slow: npt.NDArray[np.bool_]) -> Iterator[tuple[Ints, Any]]:
        kind = _KIND.take(texts.raw)
        first = np.flatnonzero(kind[1:] != kind[:-1]) + 1
        last = np.append(first[1:], len(kind))
        row = texts.row[first]
        inside = (kind[first] > 0) & (first > texts.slash[row]) & (first < end[row]) & ~slow[row]
        first, last, row = first[inside], last[inside], row[inside]
        is_number = kind[first] == 2
        yield row[is_number], self._digits[(last - first)[is_number]]
        word = ~is_number
        yield row[word], self._index.find(texts.hashed(first[word], last[word]))

    def _query_keys(self, texts: _Plain, mark: Ints, slow: npt.NDArray[np.bool_]) -> Iterator[tuple[Ints, Any]]:
        asked = np.flatnonzero((mark < texts.ends) & ~slow)
        if not len(asked):
            return
        raw = texts.raw
        joints = np.flatnonzero(raw == ord("&"))
        equals = np.flatnonzero(raw == ord("="))
        first, ends = mark[asked] + 1, texts.ends[asked]
        for _ in range(_QUERY_KEYS):
            last = np.minimum(_next(joints, first, len(raw)), ends)
            filled = last > first
            key = np.minimum(_next(equals, first, len(raw)), last)
            yield asked[filled], self._index.find(texts.hashed(first[filled], key[filled], "query="))
            more = last < ends
            asked, first, ends = asked[more], last[more] + 1, ends[more]
            if not len(asked):
                return


def _spread(of_hosts: list[npt.NDArray[np.int64]], host: Ints) -> tuple[Ints, Ints]:
    """The tokens of each text's host."""
    sizes = np.array([len(columns) for columns in of_hosts])
    starts = np.cumsum(sizes) - sizes
    each = sizes[host]
    row = np.repeat(np.arange(len(host)), each)
    within = np.arange(len(row)) - np.repeat(np.cumsum(each) - each, each)
    every = np.concatenate([np.zeros(0, np.int64), *of_hosts])
    return row, every[np.repeat(starts[host], each) + within]


def _hashes_of(words: tuple[str, ...]) -> npt.NDArray[np.uint64]:
    raw = [word.encode("utf-8", "surrogatepass") for word in words]
    last = np.cumsum([len(word) for word in raw], dtype=np.int64)
    first = np.concatenate([np.zeros(1, np.int64), last[:-1]]) if raw else last
    total, inverse = running_sum(np.frombuffer(b"".join(raw), np.uint8))
    return mixed((total[last] - total[first]) * inverse[first])
