"""Result of a discovery: locations of pages that the URL model selected, and statistics by host and score."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.discovery.estimate import Estimate, Prices, estimate
from corpuskit.discovery.selection import scored_schema
from corpuskit.errors import ConfigurationError, CorpusError, SourceError
from corpuskit.shards.byte_ranges import Span, coalesce_ranges
from corpuskit.shards.output import Output
from corpuskit.store import CorpusFolder
from corpuskit.store.formatting import pluralize

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from corpuskit.discovery.sampling import Sample

LOCATIONS_FILE: Final = "places.parquet"
SUMMARY_FILE: Final = "summary.json"
BINS: Final = 100  # of scores, of equal width
_MAX_SOURCES: Final = 1000


@dataclass(slots=True)
class Tally:
    """Counts made while an index is scored.

    Attributes:
        seen: Number of rows of the index.
        wrong: Number of rows with an invalid location.
        left_out: Number of rows removed, by the first filter that rejects them; ``threshold`` counts those with a
            lower score.
        pages, bytes: Number and compressed size of records by score, in bins of equal width.
    """

    seen: int = 0
    wrong: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    pages: list[int] = field(default_factory=lambda: [0] * BINS)
    bytes: list[int] = field(default_factory=lambda: [0] * BINS)

    def add(self, scores: Any, lengths: Any) -> None:
        """Count scored rows."""
        bins = np.minimum((scores * BINS).astype(np.int64), BINS - 1)
        for totals, weights in ((self.pages, None), (self.bytes, lengths)):
            counts = np.bincount(bins, weights, minlength=BINS)
            totals[:] = [old + int(new) for old, new in zip(totals, counts, strict=True)]

    def merge(self, other: dict[str, Any]) -> None:
        """Add the counts of a part of the index."""
        self.seen += other["seen"]
        self.wrong += other["wrong"]
        self.left_out.update(other.get("left_out", {}))
        self.pages = [a + b for a, b in zip(self.pages, other["pages"], strict=True)]
        self.bytes = [a + b for a, b in zip(self.bytes, other["bytes"], strict=True)]

    def as_json(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        left_out = {name: number for name, number in self.left_out.items() if number}
        return {
            "seen": self.seen, "wrong": self.wrong, "left_out": left_out, "pages": self.pages, "bytes": self.bytes
        }  # fmt: skip


class Discovery:
    """Selected pages of an index, which :meth:`Corpus.fetch` fetches.

    Args:
        folder: The corpus folder.
        name: Name of the discovery.
        url: Location of its files.
        archives: Location of the archives, named by the user in this process. None: as stored in the files of the
            discovery, which may come from an untrusted person.

    Raises:
        CorpusError: The files do not exist or are damaged.
    """

    def __init__(self, folder: CorpusFolder, name: str, url: str, *, archives: str | None = None) -> None:
        self._folder, self.name, self.url, self._archives = folder, name, url, archives
        self._output = Output(url)
        try:
            self._summary: dict[str, Any] = json.loads(self._output.read(SUMMARY_FILE, 64 << 20))
            if len(self._summary["pages"]) != BINS or not isinstance(self._summary["archives"], str):
                raise ValueError("unexpected content")
        except FileNotFoundError as error:
            raise CorpusError(
                f"the discovery {name!r} is not finished: repeat the call or command to continue it"
            ) from error
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise CorpusError(f"the discovery {name!r} cannot be read ({error}): run discover again") from error

    @classmethod
    def resolve(cls, folder: CorpusFolder, discovery: Discovery | str, *, archives: str | None = None) -> Discovery:
        """Return a discovery of this corpus.

        Args:
            folder: The corpus folder.
            discovery: The discovery, or its name.
            archives: Location of its archives; None: see :meth:`load`.

        Raises:
            CorpusError: The corpus does not contain a discovery of this name.
            ConfigurationError: ``discovery`` belongs to another corpus or has another type.
        """
        if isinstance(discovery, str):
            return cls.load(folder, discovery, archives=archives)
        if not isinstance(discovery, Discovery):
            raise ConfigurationError(
                f"found {discovery!r:.80}, expected a discovery returned by corpus.archives.discover(index), or its name"
            )
        if discovery._folder.path.resolve() != folder.path.resolve():
            location = archives or discovery._archives or discovery._summary["archives"]
            raise ConfigurationError(
                f"the discovery {discovery.name!r} belongs to the corpus {discovery._folder.path}, expected one of {folder.path}: run discover on "
                f"this corpus. To import these pages anyway, .write(FILE), then corpuskit extract FILE OUT --base {location} and "
                f"corpus.archives.merge(OUT)"
            )
        return discovery if archives is None else cls(folder, discovery.name, discovery.url, archives=archives)

    @classmethod
    def load(cls, folder: CorpusFolder, name: str, *, archives: str | None = None) -> Discovery:
        """Load a discovery from the corpus folder.

        Args:
            folder: The corpus folder.
            name: Name of the discovery.
            archives: Location of its archives; None: as stored in its files, if that is a public location.

        Raises:
            CorpusError: The corpus does not contain a discovery of this name.
        """
        directory = folder.root.subfolder("discoveries")
        names = directory.folder_names()
        if name not in names:
            raise CorpusError(
                f"discovery {name!r} does not exist: expected one of {', '.join(sorted(names)[:20]) or 'none'}"
            )
        return cls(folder, name, str(directory.subfolder(name).path), archives=archives)

    @cached_property
    def locations(self) -> pa.Table:
        """Selected pages, the best first: the columns of the index, crawl and score.

        Raises:
            CorpusError: The file does not exist or is damaged.
        """
        import tempfile

        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with tempfile.TemporaryDirectory(prefix="corpuskit-") as temporary:
                return pq.read_table(self._output.fetch(LOCATIONS_FILE, Path(temporary))).cast(scored_schema())
        except (pa.ArrowException, OSError, SourceError, ValueError) as error:
            raise CorpusError(f"the discovery {self.name!r} cannot be read ({error}): run discover again") from error

    def __getattr__(self, name: str) -> Any:
        if name == "places":  # the earlier name
            return self.locations
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def archives(self) -> str:
        """Location of the archives, to which their names are relative.

        Raises:
            ConfigurationError: Only the files of the discovery contain it, and it is not a public location.
        """
        stored = str(self._summary["archives"])
        if self._archives is None and not is_public(stored):
            raise ConfigurationError(
                f"the archives of {self.name!r} are at {stored[:200]}, which is not a public location: the corpus may come from "
                "an untrusted person, so pass the location yourself (base=, --base), or discover again"
            )
        return self._archives or stored

    @property
    def has_untrusted_location(self) -> bool:
        """Whether the location of the archives is from the files only. Private addresses are then not requested."""
        return self._archives is None

    @property
    def is_anonymous(self) -> bool:
        """Whether buckets are read without credentials."""
        return self._summary.get("anonymous") is not False

    @property
    def damaged(self) -> dict[str, str]:
        """Files of the index that could not be scored, with the reason. The same call retries them."""
        damaged = self._summary.get("damaged")
        return {str(url): str(why) for url, why in damaged.items()} if isinstance(damaged, dict) else {}

    @property
    def pool(self) -> list[str]:
        """Random URLs of the index, selected or not."""
        urls = self._summary.get("pool")
        return [url for url in urls if isinstance(url, str)] if isinstance(urls, list) else []

    @property
    def share(self) -> float:
        """Share of the files of the index that were scored."""
        return float(min(1.0, self._summary["scored"] / max(self._summary["partitions"], 1)))

    @property
    def seen(self) -> int:
        """Number of rows of the index that were read."""
        return int(self._summary["seen"])

    @property
    def left_out(self) -> dict[str, int]:
        """Number of rows that each criterion removed, by its name.

        Filters come first. ``threshold`` counts rows that passed the filters with a lower score. Of the others, ``equal
        URL`` and ``equal digest`` count further captures of a page, and ``per_host``, ``budget_pages`` and
        ``budget_bytes`` count rows over these limits. A row is counted once, for the first criterion. If the statistics
        of a part of a file show that it cannot match, all its rows are counted for that filter. Discoveries of earlier
        versions have no counts.
        """
        stored = self._summary.get("left_out")
        stored = stored if isinstance(stored, dict) else {}
        counts = {str(name)[:20]: number for name, number in stored.items() if isinstance(number, int)}
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    @property
    def frame(self) -> pd.DataFrame:
        """DataFrame with one row per host, most pages first.

        Columns: host (str); pages, bytes (Int64, compressed size of the records); score (float64, the mean); sampled
        (Int64, labelled or scored pages of :meth:`sample`); relevant (float64, share of relevant pages among them).
        """
        import pandas as pd

        from corpuskit.discovery.sampling import judged_hosts

        grouped = self.locations.group_by("url_host_name").aggregate(
            [("score", "mean"), ("url", "count"), ("warc_record_length", "sum")]
        )
        frame = pd.DataFrame({
            "host": grouped.column("url_host_name").to_pylist(),
            "pages": grouped.column("url_count").to_numpy(),
            "score": grouped.column("score_mean").to_numpy(),
            "bytes": grouped.column("warc_record_length_sum").to_numpy(),
        })  # fmt: skip
        judged = judged_hosts(self._folder, self)
        frame["sampled"] = [judged.get(host, (0, 0))[0] for host in frame["host"]]
        frame["relevant"] = [
            good / number if number else float("nan")
            for number, good in (judged.get(host, (0, 0)) for host in frame["host"])
        ]
        types = {
            "host": "str",
            "pages": "Int64",
            "score": "float64",
            "bytes": "Int64",
            "sampled": "Int64",
            "relevant": "float64",
        }
        ordered = frame.sort_values(["pages", "host"], ascending=[False, True]).reset_index(drop=True)
        return ordered.astype(types)[list(types)]

    @property
    def scores(self) -> pd.DataFrame:
        """DataFrame with the number of pages and bytes per threshold, from 1 down to 0: threshold, pages, bytes."""
        import pandas as pd

        steps = np.arange(BINS)[::-1]
        pages, sizes = np.array(self._summary["pages"])[::-1], np.array(self._summary["bytes"])[::-1]
        return pd.DataFrame({"threshold": steps / BINS, "pages": pages.cumsum(), "bytes": sizes.cumsum()})

    @property
    def sources(self) -> pd.DataFrame:
        """DataFrame of the hosts as candidates for a live crawl: host, url (the home page), pages, score, why."""
        frame = self.frame.head(_MAX_SOURCES)
        index = str(self._summary.get("index", ""))[:100]
        frame["url"] = "https://" + frame["host"] + "/"
        frame["why"] = [
            f"{pluralize(pages, 'page')} in {index}, of mean score {score:.2f}"
            for pages, score in zip(frame["pages"], frame["score"], strict=True)
        ]
        return frame[["host", "url", "pages", "score", "why"]]

    def estimate(self, prices: Prices | None = None) -> Estimate:
        """Return the estimated cost of fetching the selected pages. For a sampled index, it is extrapolated to the
        whole index.

        Args:
            prices: Assumptions of the estimate.
        """
        requests = fetched = needed = 0
        for spans in spans_of(self.locations).values():
            ranges = coalesce_ranges(spans)
            requests += len(ranges)
            fetched += sum(part.end - part.start for part in ranges)
            needed += sum(span.length for span in spans)
        return estimate(len(self.locations), fetched, needed, requests, prices or Prices(), self.share)

    def sample(self, n: int = 50, *, seed: int = 0, **how: Any) -> Sample:
        """Fetch random selected pages into the corpus. Label them to measure the precision of the selection.

        Args:
            n: Number of pages.
            seed: Seed of the random sample.
            how: Keywords of :meth:`Corpus.fetch`.
        """
        from corpuskit.discovery.sampling import fetch_sample

        return fetch_sample(self._folder, self, n, seed=seed, **how)

    def write(self, path: str | os.PathLike[str]) -> int:
        """Write the locations as a Parquet file, by archive and offset, for ``corpuskit extract`` and other programs.

        Return their number.

        Args:
            path: The file.
        """
        import pyarrow.parquet as pq

        ordered = self.locations.sort_by([("warc_filename", "ascending"), ("warc_record_offset", "ascending")])
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(ordered, target, compression="zstd")
        return len(ordered)

    def __len__(self) -> int:
        """Return the number of selected pages."""
        return len(self.locations)

    def __repr__(self) -> str:
        candidates = sum(self._summary["pages"])
        lines = [
            f"Discovery {self.name!r}: {pluralize(len(self), 'page')} selected of {candidates:,} candidates, {pluralize(self.seen, 'row')} read",
            f"  {pluralize(len(set(self.locations.column('url_host_name').to_pylist())), 'host')}; {self.estimate()!r}",
        ]
        if self.left_out:
            lines.append("  left out: " + ", ".join(f"{number:,} by {name}" for name, number in self.left_out.items()))
        if self._summary["wrong"]:
            lines.append(f"  left out, with invalid locations: {pluralize(self._summary['wrong'], 'row')}")
        if self.damaged:
            url, why = next(iter(self.damaged.items()))
            lines.append(
                f"  {pluralize(len(self.damaged), 'file')} could not be scored, such as {url}: {why}; repeat the call or command to retry"
            )
        lines.append(
            "next: .sample(50).label(), then corpus.archives.fetch(discovery)"
            if len(self)
            else "nothing to fetch: discover with other filters or a lower threshold"
        )
        return "\n".join(lines)


def is_public(location: str) -> bool:
    """Return whether archives at this location are read if only the files of a discovery contain it."""
    return location.lower().startswith(("https://", "http://", "s3://", "gs://"))


def spans_of(locations: pa.Table) -> dict[str, list[Span]]:
    """Return the spans of records by archive."""
    spans: dict[str, list[Span]] = {}
    names = locations.column("warc_filename").to_pylist()
    starts = locations.column("warc_record_offset").to_pylist()
    lengths = locations.column("warc_record_length").to_pylist()
    for number, (name, start, length) in enumerate(zip(names, starts, lengths, strict=True)):
        spans.setdefault(name, []).append(Span(number, start, length))
    return spans
